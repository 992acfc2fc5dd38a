"""What is asked of a store, and from where: the same whether a server answers it or this process does."""

from __future__ import annotations

import os
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["LONGEST_WAIT", "Asked", "working_directory"]

ANSWER_SECONDS = 30.0
LONGEST_WAIT = 300
"""Seconds, as `message.wait` itself bounds them; the operation is not imported here, because that costs a whole start."""


class Asked(NamedTuple):
    """What is asked: an operation, its fields, the key of a write, and the session that goes with the caller."""

    operation: str
    fields: Mapping[str, object]
    key: str | None
    session: str | None
    note: Callable[[str], None]

    @property
    def patience(self) -> float:
        """Seconds within which the server must have answered."""
        if self.operation != "message.wait":
            return ANSWER_SECONDS
        given = self.fields.get("timeout_seconds", LONGEST_WAIT)
        return ANSWER_SECONDS + (given if isinstance(given, int) else LONGEST_WAIT)

    def after(self, seconds: float) -> Asked:
        """The same request after some time: what waits has less of its time left."""
        if self.operation != "message.wait" or seconds < 1:
            return self
        given = self.fields.get("timeout_seconds", LONGEST_WAIT)
        left = max(0, given - int(seconds)) if isinstance(given, int) else given
        return self._replace(fields={**self.fields, "timeout_seconds": left})


def working_directory() -> str | None:
    """The working directory, or None where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib costs a part of the whole start
    except OSError:
        return None
