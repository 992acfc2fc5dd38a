"""The one way in which these tests wait: for a condition, until a deadline, and never for a fixed time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

__all__ = ["NotInTime", "pass_moment", "wait_until"]

T = TypeVar("T")
LOOK_AGAIN_SECONDS: Final = 0.01
_NEVER = threading.Event()


class NotInTime(AssertionError):
    """What was waited for did not come."""


def wait_until(condition: Callable[[], T | None], what: str, *, seconds: float = 20.0) -> T:
    """The condition's first answer that is true. Raises `NotInTime`, naming `what`, after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() >= deadline:
            raise NotInTime(f"{what} did not happen within {seconds} seconds")
        _NEVER.wait(LOOK_AGAIN_SECONDS)


def pass_moment(seconds: float) -> None:
    """A random moment passes, or one in which a client leaves a store in trouble alone; nothing is asserted about it."""
    over = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() >= over, "the moment of a kill")
