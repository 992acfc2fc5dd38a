"""How long the bridge bears a server that is away: for one request, and in starting servers for all of them."""

from __future__ import annotations

import time
from _thread import allocate_lock

from waypost.bridge.log import log
from waypost.client.errors import ServerNotStarted

__all__ = ["Patience", "Starter"]

OUTAGE_SECONDS = 20.0
FIRST_PAUSE_SECONDS = 0.02
LAST_PAUSE_SECONDS = 1.0
# A request whose answer was lost this often is more likely the cause than the victim.
MAX_LOST = 5
# Between two starts that failed, so that a server starting elsewhere (`waypost restart`) has time to become ready.
START_PAUSE_SECONDS = 2.0
MAX_START_FAILURES = 3
# For so long after that many failures, requests are refused at once instead of each trying anew.
GIVEN_UP_SECONDS = 10.0


class Patience:
    """What one request still bears: `OUTAGE_SECONDS` of outage in all, and `MAX_LOST` lost answers."""

    __slots__ = ("_pause", "_since", "_spent", "lost")

    def __init__(self) -> None:
        self._pause = FIRST_PAUSE_SECONDS
        self._since: float | None = None
        self._spent = 0.0
        self.lost = 0

    @property
    def away(self) -> bool:
        """Whether the server was away at the last try."""
        return self._since is not None

    def connected(self) -> None:
        """A server took the request: the outage, if there was one, is over."""
        if self._since is not None:
            self._spent += time.monotonic() - self._since
            self._since = None

    def pause(self, failure: Exception) -> None:
        """Waits before the next try, or raises `failure` when patience is at its end."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if self._spent + now - self._since >= OUTAGE_SECONDS or self.lost >= MAX_LOST:
            raise failure
        time.sleep(self._pause)
        self._pause = min(self._pause * 2, LAST_PAUSE_SECONDS)


class Starter:
    """Starts the server for all requests of one bridge, one start at a time; a failure is shared, not repeated by each."""

    __slots__ = ("_database", "_failed_at", "_failure", "_failures", "_lock")

    def __init__(self, database: str) -> None:
        self._database = database
        self._lock = allocate_lock()
        self._failure: ServerNotStarted | None = None
        self._failures = 0
        self._failed_at = 0.0

    def start(self) -> None:
        """Starts a server unless one answers; after a recent failure it does nothing, so that the caller tries the old way again.

        Raises `ServerNotStarted` when several starts have failed.
        """
        from waypost.client.launch import start_server  # noqa: PLC0415 - loaded only where no server runs

        with self._lock:
            quiet = time.monotonic() - self._failed_at
            if self._failure is not None:
                if self._failures >= MAX_START_FAILURES and quiet < GIVEN_UP_SECONDS:
                    raise self._failure
                if quiet < START_PAUSE_SECONDS:
                    return
            try:
                start_server(self._database)
            except ServerNotStarted as failure:
                log(f"the server did not start: {failure.detail}")
                self._failures = self._failures + 1 if self._failures < MAX_START_FAILURES else 1
                self._failure, self._failed_at = failure, time.monotonic()
            else:
                self._failure, self._failures = None, 0
