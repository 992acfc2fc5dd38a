"""When a request is sent again, and after which pause. Pure: whoever sleeps is told how long.

Only what may be repeated is: reads, and writes under an idempotency key. Repeated are faults of the connection, and refusals by which
the server asks for a repeat (429 and 503 with Retry-After). A pause that the server asks for is kept or, where it is longer than the
caller wants to wait, not waited at all.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from waypost.client.errors import AnswerLost, ServerAway, ServerSlow
from waypost.kernel.errors import WaypostError

__all__ = ["Retries"]

AGAIN = (ServerAway, AnswerLost, ServerSlow)
ASKED_BY_SERVER = frozenset({429, 503})
LARGEST_POWER = 20
"""Above it the pause is the longest one anyway."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Retries:
    """How often a request that may be repeated is sent again: at most `times`, after pauses that double from `first_pause` to
    `longest_pause` (seconds), each shortened at random so that many clients do not come back at once. `Retries(times=0)` sends once."""

    times: int = 5
    first_pause: float = 0.1
    longest_pause: float = 10.0

    def pause(
        self,
        fault: WaypostError,
        *,
        tried: int,
        retry_after: float | None = None,
        spread: Callable[[], float] = random.random,
    ) -> float | None:
        """Seconds to wait before the request is sent again after `tried` tries; None where it is not."""
        if tried > self.times:
            return None
        if isinstance(fault, AGAIN):
            return self.backoff(tried, spread=spread)
        if fault.status in ASKED_BY_SERVER and retry_after is not None and retry_after <= self.longest_pause:
            return max(retry_after, self.backoff(tried, spread=spread))
        return None

    def backoff(self, tried: int, *, spread: Callable[[], float] = random.random) -> float:
        """The pause after `tried` tries: between half of the doubled pause and all of it."""
        longest = min(self.first_pause * 2.0 ** min(tried - 1, LARGEST_POWER), self.longest_pause)
        return longest * (0.5 + 0.5 * spread())
