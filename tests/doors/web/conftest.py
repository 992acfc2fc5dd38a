"""The fixture of the pages' tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.web.page_office import PageOffice


@pytest.fixture
def office(tmp_path: Path) -> Iterator[PageOffice]:
    """A served post office with the projects a, b and c."""
    office = PageOffice(tmp_path)
    office.add("a", "b", "c")
    yield office
    office.close()
