"""Fixtures of the operations' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.operations.office import Office


@pytest.fixture
def office(database: str) -> Iterator[Office]:
    """A post office with the projects a, b and c, once on each engine."""
    office = Office(database)
    office.add("a", "b", "c")
    yield office
    office.waypost.close()
