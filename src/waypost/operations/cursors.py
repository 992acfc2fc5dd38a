"""Cursors of lists: where a page ended, as opaque text. A cursor of another list is refused, never misread."""

from __future__ import annotations

import base64
import binascii
import json

from waypost.kernel.errors import InvalidInput
from waypost.kernel.text import is_storable

__all__ = ["read_cursor", "write_cursor"]

MOST_WHOLE = 2**63 - 1
"""The greatest whole number that both engines hold."""


def write_cursor(kind: str, place: tuple[int | str, ...]) -> str:
    """The cursor of a page of `kind` that ends at `place`."""
    text = json.dumps([kind, *place], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii").rstrip("=")


def read_cursor(kind: str, cursor: str, shape: tuple[type, ...]) -> tuple[int | str, ...]:
    """The place that a cursor of `kind` names. Refuses `invalid_input` for anything else."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        read = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, binascii.Error, UnicodeError, RecursionError):
        read = None
    if isinstance(read, list) and len(read) == len(shape) + 1 and read[0] == kind:
        place = read[1:]
        if all(type(part) is wanted and _storable(part) for part, wanted in zip(place, shape, strict=True)):
            return tuple(place)
    raise InvalidInput("cursor is not one of this list.", hint="Pass next_cursor of the page before, or none.")


def _storable(part: object) -> bool:
    """Whether an engine can compare with it at all: a cursor comes back from a caller, who may have written it himself."""
    if isinstance(part, str):
        return is_storable(part)
    return isinstance(part, int) and -MOST_WHOLE <= part <= MOST_WHOLE
