"""A server that was opened, used and closed leaves no descriptor, thread or task behind."""

from __future__ import annotations

import gc
import os
import sys
import threading
from pathlib import Path

import pytest

from tests.doors.rest_door import RestDoor


def used_up() -> tuple[int, int]:
    """How many descriptors and threads this process has."""
    gc.collect()
    return len(os.listdir("/proc/self/fd")), threading.active_count()  # noqa: PTH208 - names alone are counted


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are counted in /proc")
def test_opening_and_closing_leaves_nothing_behind(tmp_path: Path) -> None:
    counts = []
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        with RestDoor(folder) as door:
            door.send()
            door.ok("GET", "/v1/messages/wait?project=b")
            door.ok("GET", "/v1/messages/wait?project=a&timeout_seconds=1")
            begun = door.begin("GET", "/v1/messages/wait?project=a&timeout_seconds=60")
        assert begun.result(10).status == 200
        counts.append(used_up())
    assert counts[1:] == [counts[1]] * 3  # the first round loads what stays
