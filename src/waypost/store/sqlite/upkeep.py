"""Looks after the WAL: copies it into the database behind the answers, and empties it when nothing waits.

SQLite's own checkpoint would run inside a commit and hold up its answers; this one runs after them. A checkpoint that cannot be
done harms nobody, since what it would copy is safe in the WAL; it is tried again later. Knows nothing of units.
"""

from __future__ import annotations

import logging
from typing import Final

import apsw

from waypost.store.sqlite.connections import BUSY_TIMEOUT_MS

__all__ = ["WalUpkeep"]

COPY_PAGES: Final = 1_000
"""About 4 MB: copied even while more waits."""
CROWDED_PAGES: Final = 16_000
"""About 64 MB: readers are waited for, briefly, so that the file ends somewhere."""
CROWDED_WAIT_MS: Final = 100
COPY_AFTER_SECONDS: Final = 0.2
EMPTY_AFTER_SECONDS: Final = 2.0
TRY_AGAIN_SECONDS: Final = 10.0

log = logging.getLogger(__name__)


class WalUpkeep:
    """The state of one store's WAL as the writer's thread sees it. Pauses are in seconds, sizes in pages."""

    def __init__(self, *, copy_after: float = COPY_AFTER_SECONDS, empty_after: float = EMPTY_AFTER_SECONDS) -> None:
        self._copy_after = copy_after
        self._empty_after = empty_after
        self._pages = 0
        self._copied = 0
        self._pause: float | None = None

    def watch(self, connection: apsw.Connection) -> None:
        """Learns the WAL's size after each commit of this connection."""
        connection.set_wal_hook(self._committed)

    def next_pause(self) -> float | None:
        """How long the writer may wait for a unit before `idle` is due; None for ever."""
        return self._pause

    def after_commit(self, connection: apsw.Connection | None) -> None:
        """Copies a WAL that has grown by 4 MB, while more may wait."""
        if connection is None or self._pages - self._copied < COPY_PAGES:
            return
        if self._pages >= CROWDED_PAGES and self._checkpoint(
            connection, apsw.SQLITE_CHECKPOINT_TRUNCATE, CROWDED_WAIT_MS
        ):
            return
        self._checkpoint(connection, apsw.SQLITE_CHECKPOINT_PASSIVE, 0)
        self._copied = self._pages  # even where it failed, the next try waits for another 4 MB

    def idle(self, connection: apsw.Connection | None) -> None:
        """Nothing waits: first copies the WAL, and after a longer pause empties it."""
        if connection is None:
            self._pause = None
        elif self._copied < self._pages:
            self._checkpoint(connection, apsw.SQLITE_CHECKPOINT_PASSIVE, 0)
            self._copied = self._pages
            self._pause = self._empty_after
        elif not self._checkpoint(connection, apsw.SQLITE_CHECKPOINT_TRUNCATE, 0):
            self._pause = TRY_AGAIN_SECONDS

    def _committed(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        if pages < self._pages:  # the WAL began anew
            self._copied = 0
        self._pages = pages
        self._pause = self._copy_after
        return apsw.SQLITE_OK

    def _checkpoint(self, connection: apsw.Connection, mode: int, wait_ms: int) -> bool:
        connection.set_busy_timeout(wait_ms)
        try:
            connection.wal_checkpoint(mode=mode)
        except apsw.BusyError:
            return False
        except apsw.Error:
            log.warning("the WAL could not be copied into the database; it is tried again", exc_info=True)
            return False
        finally:
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        if mode == apsw.SQLITE_CHECKPOINT_TRUNCATE:
            self._pages = self._copied = 0
            self._pause = None
        return True
