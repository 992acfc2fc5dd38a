"""What is asked of a store, and from where: the same whether a server answers it or this process does."""

from __future__ import annotations

import os
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["LONGEST_WAIT", "Asked", "working_directory"]

ANSWER_SECONDS = 30.0
COPY_SECONDS = 6 * 3_600.0
"""For those that write the whole store to a file, however large it is and slow the disk."""
COPIES = ("store.backup", "store.export")
LONGEST_WAIT = 300
"""Seconds, as `message.wait` itself bounds them; the operation is not imported here, because that costs a whole start."""

WAITS = {
    "message.wait": ("timeout_seconds", LONGEST_WAIT),
    "decision.wait": ("timeout_seconds", LONGEST_WAIT),
    "changes.list": ("wait", 0),
}
"""The operations that wait: the field that says for how many seconds, and its default."""


class Asked(NamedTuple):
    """What is asked: an operation, its fields, the key of a write, the session that goes with the caller, and the token that comes
    along: one that is given, or the operator's, which is looked up once the place is known."""

    operation: str
    fields: Mapping[str, object]
    key: str | None
    session: str | None
    note: Callable[[str], None]
    token: str | None = None
    as_operator: bool = False

    @property
    def patience(self) -> float:
        """Seconds within which the server must have answered."""
        return COPY_SECONDS if self.operation in COPIES else ANSWER_SECONDS + self.wait

    @property
    def wait(self) -> int:
        """Seconds for which the operation waits by itself."""
        if self.operation not in WAITS:
            return 0
        field, default = WAITS[self.operation]
        given = self.fields.get(field, default)
        return given if isinstance(given, int) else default

    def after(self, seconds: float) -> Asked:
        """The same request after some time: what waits has less of its time left."""
        if self.operation not in WAITS or seconds < 1:
            return self
        field, default = WAITS[self.operation]
        given = self.fields.get(field, default)
        left = max(0, given - int(seconds)) if isinstance(given, int) else given
        return self._replace(fields={**self.fields, field: left})


def working_directory() -> str | None:
    """The working directory, or None where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib costs a part of the whole start
    except OSError:
        return None
