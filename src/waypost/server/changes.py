"""Bridges the store's commits to the event loop: whoever waits here wakes when the journal moves, or when the server stops.

Tells nothing of what changed; a waiter looks again for itself. Bound to one event loop from `start` to `close`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from waypost.store.interface import Store
from waypost.store.journal import bounds

__all__ = ["Changes"]


class Changes:
    """The journal's head as the event loop knows it. `closed` says that the server stops: streams and long polls end then."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[asyncio.Future[None]] = set()
        self._unsubscribe: Callable[[], None] | None = None
        self.position = 0
        self.closed = False

    def start(self) -> None:
        """Begins to listen. Called on the event loop, before the first request."""
        self._loop = asyncio.get_running_loop()
        self.closed = False
        self._unsubscribe = self._store.subscribe(self._committed)
        self._advance(self._store.read(bounds).head)

    def close(self) -> None:
        """Wakes everybody for the last time; called on the event loop. Idempotent."""
        self.closed = True
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._wake()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return len(self._waiting)

    async def wait(self, after_position: int, timeout: float | None = None) -> int:  # noqa: ASYNC109 - a bound, not a cancellation
        """The journal's head once it lies above `after_position`; sooner, unchanged perhaps, after `timeout` seconds or when the
        server stops (`closed`)."""
        deadline = None if timeout is None else asyncio.get_running_loop().time() + timeout
        while self.position <= after_position and not self.closed:
            left = None if deadline is None else deadline - asyncio.get_running_loop().time()
            if left is not None and left <= 0:
                break
            await self._woken(left)
        return self.position

    async def _woken(self, seconds: float | None) -> None:
        woken = asyncio.get_running_loop().create_future()
        self._waiting.add(woken)
        try:
            await asyncio.wait_for(woken, seconds)
        except TimeoutError:
            return
        finally:
            self._waiting.discard(woken)

    def _committed(self, position: int) -> None:
        """On the store's thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed already: nobody waits any more
                self._loop.call_soon_threadsafe(self._advance, position)

    def _advance(self, position: int) -> None:
        if position > self.position:
            self.position = position
            self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for woken in waiting:
            if not woken.done():
                woken.set_result(None)
