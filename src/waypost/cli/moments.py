"""Times as people read them: how long ago, and the local time. Takes the RFC 3339 text of an answer."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["age", "moment"]

UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))


def age(text: str, *, now: datetime | None = None) -> str:
    """How long ago in one unit, such as `3h`; `in 3h` for the future."""
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(text)).total_seconds()
    for size, unit in UNITS:
        if abs(seconds) >= size or size == 1:
            count = int(abs(seconds) // size)
            return f"in {count}{unit}" if seconds < 0 and count else f"{count}{unit}"
    return ""


def moment(text: str) -> str:
    """The instant in the machine's zone, to the second, with its offset; in UTC where that zone would leave the years 1 to 9999."""
    at = datetime.fromisoformat(text)
    try:
        at = at.astimezone()
    except (OverflowError, ValueError, OSError):  # the last hours of 9999, seen from the east
        at = at.astimezone(UTC)
    return at.isoformat(sep=" ", timespec="seconds")
