"""Threads for the requests of one client, at most so many at once; the next wait their turn. Loaded after the first answer."""

from __future__ import annotations

import threading
import time
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Pool"]


class Pool:
    """Runs pieces of work, each on a thread of its own while it lasts. Threads are made on demand and end with the process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._waiting: deque[Callable[[], None]] = deque()
        self._threads = 0
        self._idle = 0

    def submit(self, work: Callable[[], None]) -> None:
        """Runs `work` as soon as a thread is free. It must not raise."""
        with self._changed:
            self._waiting.append(work)
            if self._idle >= len(self._waiting):
                self._changed.notify()
            elif self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._run, name="waypost-request", daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                self._changed.notify_all()
                while not self._waiting:
                    self._changed.wait()
                self._idle -= 1
                work = self._waiting.popleft()
            work()

    def drain(self, seconds: float) -> bool:
        """Waits until nothing waits or runs, at most `seconds`. Answers whether all was done."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while self._waiting or self._idle < self._threads:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
            return True
