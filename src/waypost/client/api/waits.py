"""A long poll that may last longer than one request: how its time is cut into requests. Pure: the clock is the caller's."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Protocol

from waypost.client.api.answers import Readable
from waypost.client.api.asked import Fields

__all__ = ["Wait", "WaitPage"]

SLICE_SECONDS = 50
"""The longest single request: below the time after which gateways commonly end a silent connection."""
EARLY_PAUSE_SECONDS = 0.2
"""Before the next request where the server answered early without anything, as it does while it stops."""


class WaitPage(Readable, Protocol):
    """The answer of a long poll."""

    @property
    def retry(self) -> bool:
        """Whether there was nothing."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Wait:
    """One wait, from its beginning to its end. Times are the clock's seconds."""

    given: Fields
    until: float

    @classmethod
    def begin(cls, fields: Fields, now: float) -> Wait:
        """The wait for as long as `timeout_seconds` says."""
        seconds = fields.get("timeout_seconds")
        assert isinstance(seconds, (int, float))
        return cls(given=fields, until=now + max(seconds, 0))

    def slice(self, now: float) -> int:
        """The seconds of the next request."""
        return max(0, min(SLICE_SECONDS, ceil(self.until - now)))

    def fields(self, now: float) -> Fields:
        """The fields of the next request."""
        return {**self.given, "timeout_seconds": self.slice(now)}

    def pause(self, page: WaitPage, *, asked_at: float, now: float) -> float | None:
        """Seconds before the next request; None where the page is the answer."""
        if not page.retry or now >= self.until:
            return None
        early = now - asked_at < self.slice(asked_at) - 1
        return EARLY_PAUSE_SECONDS if early else 0.0
