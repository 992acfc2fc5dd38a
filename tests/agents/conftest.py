"""What these tests share: a desk over a server in process, and the doors' homes for real commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.desk import Desk
from tests.doors.conftest import database, home, shell
from tests.doors.rest_door import RestDoor
from tests.operations.office import VirtualClock

__all__ = ["database", "home", "shell"]


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def desk(tmp_path: Path, clock: VirtualClock) -> Iterator[Desk]:
    with RestDoor(tmp_path, clock=clock) as rest:
        yield Desk(rest, tmp_path / "work")
