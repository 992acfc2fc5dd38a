"""Identifiers: UUID version 7 (RFC 9562, section 5.7), rising within a process even where the clock stands still or steps back."""

from __future__ import annotations

import os
import re
import threading
import time

from waypost.kernel.errors import InvalidInput

__all__ = ["new_id", "parse_id"]

UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A new UUIDv7 in canonical text. The 12 bits after the milliseconds hold their fraction (RFC 9562, 6.2 method 3)."""
    global _last  # noqa: PLW0603 - the last value is what makes the ids rise
    nanoseconds = time.time_ns()
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    stamp = (milliseconds << 12) | (rest * 4096 // 1_000_000)
    with _lock:
        stamp = max(stamp, _last + 1)
        _last = stamp
    random = int.from_bytes(os.urandom(8), "big") >> 2
    value = ((stamp >> 12) << 80) | (0x7 << 76) | ((stamp & 0xFFF) << 64) | (0b10 << 62) | random
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def parse_id(text: str, *, field: str) -> str:
    """The canonical form of a UUID. Refuses (`invalid_input`) anything else, naming `field`."""
    if not UUID.fullmatch(text):
        raise InvalidInput(f"{field} is not a UUID.", hint=f"Pass {field} exactly as an earlier answer gave it.")
    return text.lower()
