"""What was offered to sessions a moment ago, so that two hooks at the same boundary do not both tell it.

Parallel tools end at once, and Cursor runs Claude Code's hooks beside its own. Kept in memory: what is forgotten is told once more,
never lost. Used on the event loop alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from waypost.agents.client import Boundary

__all__ = ["Offers"]

T = TypeVar("T")
UNCONFIRMED_SECONDS = 2.0
"""After so long without the word that it was printed, an offer was lost and is made again."""
ONCE_SECONDS = 10.0
"""How far apart two clients' hooks for one boundary may come."""
SEEN_SECONDS = 30.0
"""How often a session's silent events are noted at most."""
MOST = 4_096


class Offers:
    """The offers of the last seconds, by session."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, float] = {}
        self._told: dict[str, tuple[str, str, float]] = {}
        self._seen: dict[str, float] = {}
        self._hinted: dict[str, bool] = {}

    def may_tell(self, session: str, client: str, boundary: Boundary) -> bool:
        """Whether the hook of `client` may tell the session something now."""
        now = self._clock()
        if now - self._open.get(session, -UNCONFIRMED_SECONDS) < UNCONFIRMED_SECONDS:
            return False
        by, at_boundary, at = self._told.get(session, ("", "", 0.0))
        return not (by and by != client and at_boundary == boundary and now - at < ONCE_SECONDS)

    def offered(self, session: str) -> None:
        """Something was handed to a hook of the session."""
        _room(self._open)[session] = self._clock()

    def confirmed(self, session: str, client: str, boundary: str) -> None:
        """The hook printed it."""
        self._open.pop(session, None)
        _room(self._told)[session] = (client, boundary, self._clock())
        _room(self._seen)[session] = self._clock()

    def first_hint(self, session: str) -> bool:
        """Whether the session was not yet told that its project is not certain; from now on it was."""
        known = self._hinted.get(session, False)
        _room(self._hinted)[session] = True
        return not known

    def is_news(self, session: str) -> bool:
        """Whether the session was not heard of for a while; from now on it was."""
        now = self._clock()
        if now - self._seen.get(session, -SEEN_SECONDS) < SEEN_SECONDS:
            return False
        _room(self._seen)[session] = now
        return True


def _room(kept: dict[str, T]) -> dict[str, T]:
    if len(kept) >= MOST:
        kept.clear()
    return kept
