"""A pool of connections that read: each unit sees one snapshot, in the thread that asked for it.

Connections are opened when they are first needed; the first stays open as long as the store, because it keeps the WAL's index
alive while the writer reopens its own. Knows nothing of writing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, TypeVar

import apsw

from waypost.kernel.errors import StoreBusy, StoreUnavailable
from waypost.kernel.time import Clock
from waypost.store.interface import Transaction
from waypost.store.sqlite.connections import open_reader
from waypost.store.sqlite.dialect import Statements
from waypost.store.sqlite.errors import is_failure, translate
from waypost.store.sqlite.transaction import ReadTransaction

__all__ = ["Readers"]

T = TypeVar("T")
MOST: Final = 8
PATIENCE_SECONDS: Final = 30.0


class Readers:
    """The connections that read one store."""

    def __init__(self, path: str, *, statements: Statements, clock: Clock, vfs: str | None, most: int = MOST) -> None:
        self._path = path
        self._statements = statements
        self._clock = clock
        self._vfs = vfs
        self._most = most
        self.patience = PATIENCE_SECONDS
        self._change = threading.Condition()
        self._idle: list[apsw.Connection] = []
        self._opened = 0
        self._closed = False
        self._anchor = open_reader(path, vfs)
        _snapshot(self._anchor)  # makes it join the WAL's index now

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Runs the unit on a snapshot. Refuses (`store_busy`) after 30 s without a free connection."""
        connection = self._take()
        healthy = True
        try:
            return self._run(connection, unit)
        except BaseException as error:
            healthy = not is_failure(error)
            raise
        finally:
            self._give(connection, healthy=healthy)

    def close(self) -> None:
        """Waits for the units that run, then closes the connections. Idempotent."""
        with self._change:
            self._closed = True
            self._change.wait_for(lambda: len(self._idle) == self._opened, timeout=self.patience)
            idle, self._idle = self._idle, []
            self._opened -= len(idle)
        for connection in [*idle, self._anchor]:
            connection.close()

    def borrow(self) -> apsw.Connection:
        """A further connection of its own for a long job, such as a backup; the borrower closes it."""
        return open_reader(self._path, self._vfs)

    def _run(self, connection: apsw.Connection, unit: Callable[[Transaction], T]) -> T:
        cursor = connection.cursor()
        try:
            cursor.execute("begin")
        except apsw.Error as error:
            raise translate(error) from error
        transaction = ReadTransaction(cursor, self._statements, self._clock.now())
        try:
            return unit(transaction)
        finally:
            transaction.end()
            if connection.in_transaction:
                cursor.execute("rollback")

    def _take(self) -> apsw.Connection:
        with self._change:
            free = self._change.wait_for(
                lambda: self._closed or self._idle or self._opened < self._most, timeout=self.patience
            )
            if self._closed:
                raise StoreUnavailable("The store was closed.", hint="Start Waypost again.")
            if not free:
                raise StoreBusy("Every connection that reads the store is in use.", hint="Repeat the request.")
            if self._idle:
                return self._idle.pop()
            self._opened += 1
        try:
            return open_reader(self._path, self._vfs)
        except BaseException as error:
            self._gone()
            raise translate(error) from error

    def _give(self, connection: apsw.Connection, *, healthy: bool) -> None:
        if healthy:
            with self._change:
                self._idle.append(connection)
                self._change.notify_all() if self._closed else self._change.notify()
            return
        connection.close(True)
        self._gone()

    def _gone(self) -> None:
        with self._change:
            self._opened -= 1
            self._change.notify_all()


def _snapshot(connection: apsw.Connection) -> None:
    try:
        connection.execute("select count(*) from sqlite_schema").fetchall()
    except apsw.Error as error:
        connection.close()
        raise translate(error) from error
