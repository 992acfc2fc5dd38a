"""The pool: connections lent to units, made anew after the database was away, and a reason where none can be had.

The driver's pool does the lending; what it cannot do is say why there is no connection, so that is asked of the database itself.
While the database is away nobody waits for the pool: each request finds out at once. Knows nothing of units.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Final

import psycopg
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from waypost.kernel.errors import StoreBusy, StoreUnavailable
from waypost.store.postgres.connections import configure, connect
from waypost.store.postgres.wire import UnitConnection

__all__ = ["MOST_CONNECTIONS", "Pool"]

MOST_CONNECTIONS: Final = 16
PATIENCE_SECONDS: Final = 30.0


class Pool:
    """The connections of one node to one database. `info` is what the driver connects by, password included."""

    def __init__(self, info: str, *, most: int = MOST_CONNECTIONS) -> None:
        self.info = info
        self.patience = PATIENCE_SECONDS
        self._away = threading.Event()
        self._pool: ConnectionPool[UnitConnection] = ConnectionPool(
            info,
            connection_class=UnitConnection,
            kwargs={"row_factory": dict_row, "autocommit": True},
            min_size=0,
            max_size=most,
            configure=configure,
            reconnect_timeout=1.0,
            name="waypost",
            open=True,
        )

    @contextlib.contextmanager
    def lend(self) -> Iterator[UnitConnection]:
        """A connection outside any transaction, and it comes back so. Refuses `store_busy` after 30 s, `store_unavailable` with the
        reason where the database is away."""
        if self._away.is_set():
            self._look()
        try:
            connection = self._pool.getconn(timeout=self.patience)
        except PoolClosed:
            raise StoreUnavailable("The store was closed.", hint="Start Waypost again.") from None
        except PoolTimeout:
            self._look()
            raise StoreBusy("Every connection to the database is in use.", hint="Repeat the request.") from None
        try:
            yield connection
        finally:
            with contextlib.suppress(psycopg.Error):  # the pool sees for itself that the connection is lost
                connection.wire.end()
            self._pool.putconn(connection)

    def lost(self) -> None:
        """A connection was lost: the others are looked at too. Refuses with the reason while the database is away."""
        self._away.set()
        self._look()

    def close(self) -> None:
        """Waits for what was lent, then closes. Idempotent."""
        self._pool.close(timeout=self.patience)

    def _look(self) -> None:
        try:
            connect(self.info).close()
        except StoreUnavailable:
            self._away.set()
            raise
        if self._away.is_set():
            self._away.clear()
            self._pool.check()
