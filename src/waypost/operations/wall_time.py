"""A due time as people say it: a wall time and the zone whose clocks show it, turned into the one instant that is stored.

A wall time that clocks skip (a gap) becomes the first valid minute after it; one that they show twice (an overlap), the first. The only
importer of `whenever`, whose knowledge of zones comes from the system; imported when a zone is first named.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import LATEST, SECOND, parse_instant

if TYPE_CHECKING:
    from whenever import PlainDateTime

__all__ = ["local_time", "read_due"]

NEAR = 3
LONGEST_NAME = 64
"""Above any name of a zone."""


def read_due(due_at: str | None, timezone: str | None) -> int | None:
    """The instant of `due_at`: a time with its offset, or a wall time in `timezone`; None without one. Refuses `invalid_input`:
    neither offset nor zone, both, a zone without a due time, and an unknown zone, with near names."""
    if timezone is None:
        return None if due_at is None else parse_instant(due_at, field="due_at")
    zone = _zone(timezone)
    if due_at is None:
        raise InvalidInput("timezone came without due_at.", hint="Pass the wall time as due_at, or leave timezone out.")
    wall = _wall_time(due_at)
    if wall.tzinfo is not None:
        raise InvalidInput(
            "due_at has an offset from UTC, and timezone names another clock.", hint="Leave one of the two out."
        )
    try:
        at = _instant(wall, zone)
    except ValueError:  # the library's own bounds, which are wider
        at = -1
    if not 0 <= at <= LATEST:
        raise InvalidInput("due_at lies outside the years 1970 to 9999.", hint="Give due_at within those years.")
    return at


def local_time(at: int, timezone: str | None) -> str | None:
    """An instant as the zone's clocks show it, with offset and zone (RFC 9557), like `2026-12-04T09:00:00+01:00[Europe/Berlin]`; None
    without a zone."""
    if timezone is None:
        return None
    from whenever import Instant  # noqa: PLC0415 - only where a zone is named

    return Instant.from_timestamp(at, unit="microsecond").to_tz(_zone(timezone)).format_iso()


def _wall_time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            "due_at is not an ISO 8601 time.", hint="Give due_at with a timezone like 2026-12-04T09:00."
        ) from None


def _instant(wall: datetime, zone: str) -> int:
    """The first instant at which the zone's clocks show the wall time; where they skip it, the first valid minute after."""
    from whenever import PlainDateTime  # noqa: PLC0415 - only where a zone is named

    plain = PlainDateTime(wall)
    first = plain.assume_tz(zone, disambiguation="earlier")
    if first.to_plain() != plain:
        return _after_gap(plain, zone)
    return first.to_instant().timestamp(unit="microsecond")


def _after_gap(plain: PlainDateTime, zone: str) -> int:
    """The first whole minute that the zone's clocks show after a gap, found by halving the time between both readings of the skipped
    wall time: by the offset after the gap it lies before, by the offset before the gap it lies after."""
    from whenever import Instant  # noqa: PLC0415 - only where a zone is named

    before = plain.assume_tz(zone, disambiguation="earlier").to_instant().timestamp()
    after = plain.assume_tz(zone, disambiguation="later").to_instant().timestamp() + 1
    offset = Instant.from_timestamp(after).to_tz(zone).offset
    while after - before > 1:
        middle = (before + after) // 2
        if Instant.from_timestamp(middle).to_tz(zone).offset == offset:
            after = middle
        else:
            before = middle
    seconds = int(offset.total("seconds"))
    shown = after + seconds  # what the wall clock counts right after the gap
    whole = -(-shown // 60) * 60
    return (whole - seconds) * SECOND


def _zone(name: str) -> str:
    """The zone's name as the database of zones spells it. Refuses `invalid_input`, with near names."""
    zones = _zones()
    found = zones.get(name.casefold())
    if found is not None:
        return found
    if not zones:
        raise InvalidInput(
            "This machine has no database of time zones.", hint="Install its tzdata, or pass due_at with an offset."
        )
    near = difflib.get_close_matches(name[:LONGEST_NAME].casefold(), list(zones), n=NEAR)
    offered = f"Near names: {', '.join(zones[one] for one in near)}." if near else "Pass a name like Europe/Berlin."
    raise InvalidInput("timezone names no known time zone.", hint=offered)


@cache
def _zones() -> Mapping[str, str]:
    """Every zone of the database by its name in lower case. Names that stand for the machine's own clock are none."""
    from whenever import available_timezones  # noqa: PLC0415 - only where a zone is named

    return {name.casefold(): name for name in sorted(available_timezones()) if name != "Factory"}
