"""Instants: integer microseconds since 1970 in UTC, their RFC 3339 form, and the source of `now`.

A unit of work reads `now` once and passes it on; no rule asks a clock. Tests give a `Clock` of their own.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from waypost.kernel.errors import InvalidInput

__all__ = [
    "DAY",
    "HOUR",
    "LATEST",
    "MINUTE",
    "SECOND",
    "Clock",
    "SystemClock",
    "format_instant",
    "format_maybe",
    "parse_instant",
]

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAIVE_EPOCH = EPOCH.replace(tzinfo=None)
LATEST = (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
"""The last instant that RFC 3339 can write with four digits for the year."""


class Clock(Protocol):
    """Where `now` comes from."""

    def now(self) -> int:
        """The current instant in microseconds since 1970, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """The current instant in microseconds since 1970, UTC."""
        return time.time_ns() // 1_000


def format_instant(at: int) -> str:
    """RFC 3339 in UTC with `Z` and microseconds, for instants from 1970 to `LATEST`."""
    return f"{(NAIVE_EPOCH + timedelta(microseconds=at)).isoformat(timespec='microseconds')}Z"


def format_maybe(at: int | None) -> str | None:
    """The same for a time that may not be there."""
    return None if at is None else format_instant(at)


def parse_instant(text: str, *, field: str) -> int:
    """Microseconds for an ISO 8601 time with an offset (RFC 3339). Refuses (`invalid_input`) a time without an offset, because
    nobody can know which wall it hung on, and times outside 1970 to 9999."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{field} is not an ISO 8601 time.", hint=f"Give {field} like 2026-12-04T09:00:00+01:00."
        ) from None
    if moment.tzinfo is None:
        raise InvalidInput(
            f"{field} has no offset from UTC.", hint=f"Give {field} with an offset or Z, like 2026-12-04T09:00:00Z."
        )
    at = (moment - EPOCH) // timedelta(microseconds=1)
    if not 0 <= at <= LATEST:
        raise InvalidInput(f"{field} lies outside the years 1970 to 9999.", hint=f"Give {field} within those years.")
    return at
