"""Fixtures of the operations' tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.operations.office import Office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A post office with the projects a, b and c."""
    office = Office(tmp_path)
    office.add("a", "b", "c")
    yield office
    office.waypost.close()
