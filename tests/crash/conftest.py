"""Fixtures of the crash tests: a home of its own for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose folders exist."""
    home = Home(tmp_path / "home")
    home.database.parent.mkdir(parents=True)
    return home
