"""How far a follower of the feed has come: what it asks next, what it hands out, what it may commit. No I/O.

Invariant: an item is handed out once and in order. The next page begins where the page before said, so that a request which is
repeated, against whatever server, can neither lose nor repeat. A checkpoint moves only to what the caller is done with.
"""

from __future__ import annotations

import logging
from collections import deque

from waypost.client.api.asked import Fields
from waypost.client.api.retries import Retries
from waypost.client.errors import AnswerLost, ConnectionFault, ServerAway, ServerNotStarted, ServerSlow
from waypost.kernel.errors import Conflict, WaypostError
from waypost.operations.changes import ChangeRecord, ChangesOutput
from waypost.operations.feed import NOW, GapRecord

__all__ = ["ChangesGap", "Patience", "Progress", "passes"]

LOG = logging.getLogger("waypost.client")
HELD_SECONDS = 20
"""For how long the server holds an empty answer back."""
COMMIT_SECONDS = 1.0
"""A checkpoint is moved behind each page, and within one at most so often."""
ALIVE_SECONDS = 86_400.0
"""A checkpoint that did not move is confirmed so often, because consumers that commit nothing are forgotten."""


class ChangesGap(Exception):
    """Changes between two cursors are not told any more; `gap` says which and why. Raised once, where the gap is: who asks the same
    follower for the next change after it goes on behind the gap."""

    def __init__(self, gap: GapRecord) -> None:
        super().__init__(
            f"changes from {gap.from_} to {gap.to or 'an unknown end'} are missing ({gap.reason}); reading goes on after "
            f"{gap.resumes_at}"
        )
        self.gap = gap


class Progress:
    """The place of one follower. `consumer` is read from only until the first answer; from then on the place is its own."""

    def __init__(self, *, after: str | None, consumer: str | None, project: str | None, limit: int) -> None:
        self.consumer = consumer
        self.begins = after
        self.cursor = after if consumer is None and after != NOW else None
        self._asks = {"project": project, "limit": limit}
        self._left: deque[ChangeRecord] = deque()
        self._ends: str | None = None
        self._gap: GapRecord | None = None
        self._committed: str | None = None
        self._committed_at = 0.0
        self._refused: Conflict | None = None

    @property
    def begun(self) -> bool:
        """Whether the server answered once, so that the place is known."""
        return self._ends is not None

    @property
    def wants_page(self) -> bool:
        """Whether everything that came was handed out."""
        return not self._left and self._gap is None

    def fields(self) -> Fields:
        """What to ask for. The first answer is not waited for, so that a place like `now` is fixed before anything can break."""
        if not self.begun:
            place = {"consumer": self.consumer} if self.consumer is not None else {"after": self.begins}
            return {**self._asks, **place}
        return {**self._asks, "after": self._ends, "wait": HELD_SECONDS}

    def arrived(self, page: ChangesOutput) -> None:
        """Takes a page in. Raises the refusal of an automatic commit that no gap explains: somebody else moves the checkpoint."""
        refused, self._refused = self._refused, None
        if refused is not None and page.gap is None:
            raise refused
        self._left.extend(page.items)
        self._ends = page.next_cursor
        self._gap = page.gap
        if not page.items and page.gap is None:
            self.cursor = page.next_cursor

    def next(self) -> ChangeRecord | None:
        """The next change, or None where a page is wanted first. Raises `ChangesGap` before the first change behind a gap."""
        gap, self._gap = self._gap, None
        if gap is not None:
            self.cursor = gap.resumes_at if self._left else self._ends
            raise ChangesGap(gap)
        if not self._left:
            return None
        item = self._left.popleft()
        self.cursor = item.cursor if self._left else self._ends
        return item

    def due(self, now: float) -> str | None:
        """The cursor to commit by itself when the next change is asked for; None where there is nothing new or it is too early."""
        since = now - self._committed_at
        if self.consumer is None or self.cursor is None:
            return None
        if self.cursor == self._committed:
            return self.cursor if since >= ALIVE_SECONDS else None
        return None if self._left and since < COMMIT_SECONDS else self.cursor

    def committed(self, cursor: str | None, now: float) -> None:
        """Notes that the checkpoint stands at a cursor."""
        self._committed = cursor
        self._committed_at = now

    def refused(self, refusal: Conflict, now: float) -> None:
        """Notes that a commit was refused, which a gap in the next page may explain: the store was restored meanwhile."""
        self._refused = refusal
        self.committed(self.cursor, now)


def passes(fault: WaypostError) -> bool:
    """Whether a fault goes away by itself, so that a follower waits for it to pass."""
    if isinstance(fault, ConnectionFault):
        return isinstance(fault, (AnswerLost, ServerAway, ServerNotStarted, ServerSlow))
    return fault.retryable and fault.status in {429, 503}


class Patience:
    """For how long one request is tried again while its faults pass: from the first fault on, `seconds`; None is for ever."""

    def __init__(self, retries: Retries, seconds: float | None) -> None:
        self._retries = retries
        self._seconds = seconds
        self._since: float | None = None
        self._tried = 0

    def pause(self, fault: WaypostError, now: float) -> float | None:
        """Seconds until the next try; None where the fault is to be raised."""
        if self._since is None:
            self._since = now
        if not passes(fault) or (self._seconds is not None and now - self._since >= self._seconds):
            return None
        self._tried += 1
        pause = self._retries.backoff(self._tried)
        LOG.warning("the server is not reached (%s); trying again in %.1f s", fault.detail, pause)
        return pause
