"""Standard input of a hook: read to its end within a moment, and only its beginning kept.

Clients name session, directory and event first, before prompts and tool results that may have any length. What follows is read
and dropped, because some clients fail when nobody reads.
"""

from __future__ import annotations

import os

__all__ = ["HEAD_BYTES", "read_head"]

HEAD_BYTES = 65_536
READ_BYTES = 1_048_576


class Late(Exception):
    """The moment to read is over."""


def read_head(descriptor: int = 0) -> tuple[bytes, bool]:
    """The first bytes of the input and whether they are all of it. An input that cannot be read is empty, and so is a terminal's.
    Raises `Late` only where the caller's alarm does."""
    head = b""
    whole = True
    try:
        if os.isatty(descriptor):
            return b"", True
        while piece := os.read(descriptor, READ_BYTES if len(head) == HEAD_BYTES else HEAD_BYTES):
            room = HEAD_BYTES - len(head)
            if room:
                head += piece[:room]
            whole = whole and len(piece) <= room
    except OSError:
        return head, False
    except Late:
        return head, False
    return head, whole
