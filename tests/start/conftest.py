"""The home of the doors' tests serves here too."""

from __future__ import annotations

from tests.doors.conftest import database, home, shell

__all__ = ["database", "home", "shell"]
