"""The pytest plugin behind the promises: records the ids that collected tests name, before any selection takes tests away."""

from __future__ import annotations

import pytest

__all__ = ["NAMED", "pytest_itemcollected"]

NAMED = pytest.StashKey[dict[str, list[str]]]()
"""For each promise id that a collected test names: the node ids of those tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Makes the empty record."""
    config.stash[NAMED] = {}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Records the promises that one test names."""
    for mark in item.iter_markers("promise"):
        for promise_id in mark.args:
            item.config.stash[NAMED].setdefault(promise_id, []).append(item.nodeid)
