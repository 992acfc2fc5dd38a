"""How an instant is shown: its age or the time until it in words, and the UTC instant at hand.

The page's script says the same words and puts the viewer's own zone in; without it, UTC stands. Knows no template.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from waypost.kernel.time import DAY, HOUR, MINUTE, SECOND, format_instant, parse_instant

__all__ = ["Moment", "moment"]

WORDS_FOR_HOURS = 48 * HOUR
WORDS_FOR_DAYS = 60 * DAY
"""Beyond this a date says more than a number of days."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """One instant, ready for a page. `iso` is exact, `utc` for people, `away` relative to when the page was made, `late` how long
    ago a time came that was to be kept."""

    at: int
    iso: str
    utc: str
    away: str
    late: str


def moment(text: str, now: int) -> Moment:
    """The instant that an answer names (RFC 3339), seen at `now` (microseconds)."""
    at = parse_instant(text, field="time")
    iso = format_instant(at // SECOND * SECOND).replace(".000000Z", "Z")
    return Moment(at=at, iso=iso, utc=_utc(at), away=_away(at, now), late=_late(at, now))


def _utc(at: int) -> str:
    shown = datetime.fromtimestamp(at // SECOND, tz=UTC)
    return f"{shown.day} {shown:%b %Y, %H:%M:%S} UTC"


def _away(at: int, now: int) -> str:
    distance = abs(now - at)
    if distance < MINUTE:
        return "just now" if at <= now else "in a moment"
    if distance >= WORDS_FOR_DAYS:
        shown = datetime.fromtimestamp(at // SECOND, tz=UTC)
        return f"{shown.day} {shown:%b %Y}"
    words = _long(distance)
    return f"{words} ago" if at <= now else f"in {words}"


def _late(at: int, now: int) -> str:
    return f"{_long(now - at)} late" if now - at >= MINUTE else "due now"


def _long(distance: int) -> str:
    if distance < HOUR:
        return f"{distance // MINUTE} min"
    return f"{distance // HOUR} h" if distance < WORDS_FOR_HOURS else f"{distance // DAY} days"
