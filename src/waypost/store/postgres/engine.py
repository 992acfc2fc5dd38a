"""The Postgres store: opens the database, brings it up to date, and joins the pool, the units and the follower of the journal.

Any number of nodes may have it open. Knows no domain.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

import psycopg

from waypost.kernel.errors import StoreBusy, StoreUnavailable
from waypost.kernel.time import Clock, SystemClock
from waypost.store.interface import StoreFacts, Transaction
from waypost.store.migrations import Migration, Upgrade, load_migrations
from waypost.store.postgres.connections import (
    check_database,
    configure,
    connect,
    connection_info,
    hold_open,
    shown_place,
)
from waypost.store.postgres.errors import translate
from waypost.store.postgres.follower import Follower
from waypost.store.postgres.pool import MOST_CONNECTIONS, Pool
from waypost.store.postgres.schema import bring_up_to_date, read_facts
from waypost.store.postgres.units import Units
from waypost.store.postgres.wire import Connection

if TYPE_CHECKING:
    from waypost.store.interface import Store

__all__ = ["PostgresStore"]

T = TypeVar("T")
MOST_WAITING: Final = 10_000
KEPT_FOR_READS: Final = 4
"""Connections that writes in threads leave free."""


class PostgresStore:
    """A running store on one Postgres database. Made by `open`; safe to use from any thread; `close` it."""

    def __init__(
        self, *, facts: StoreFacts, upgrade: Upgrade, pool: Pool, units: Units, follower: Follower, threads: int
    ) -> None:
        self._facts = facts
        self.upgrade = upgrade
        self.pool = pool
        self._units = units
        self.follower = follower
        self.most_waiting = MOST_WAITING
        self._gate = threading.Lock()
        self._waiting = 0
        self._closing = False
        self._threads = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="waypost-write")

    @classmethod
    def open(
        cls,
        url: str,
        *,
        clock: Clock | None = None,
        migrations: Sequence[Migration] | None = None,
        connections: int = MOST_CONNECTIONS,
        sequences: bool = True,
    ) -> PostgresStore:
        """Opens the database at `url`, making and migrating its schema as needed. Without a `clock` the database's own counts.

        Refuses with `schema_newer` and with `store_unavailable` for a database that is missing, out of reach, too old, not in
        UTF-8, read-only, or that refuses the account. `connections` bounds what this node uses, one more follows the journal.
        """
        info = connection_info(url)
        place = shown_place(info)
        steps = migrations or load_migrations()
        with contextlib.ExitStack() as undo:
            connection = connect(info)
            undo.callback(connection.close)
            facts, upgrade = _prepare(connection, place, steps, (clock or SystemClock()).now)
            pool = Pool(info, most=connections)
            undo.callback(pool.close)
            follower = Follower(info, schema=len(steps), sequences=sequences)
            follower.start(connection)
            units = Units(pool, clock=clock, schema=len(steps), committed=follower.nudge)
            undo.pop_all()
        threads = max(1, connections - KEPT_FOR_READS)
        return cls(facts=facts, upgrade=upgrade, pool=pool, units=units, follower=follower, threads=threads)

    @property
    def facts(self) -> StoreFacts:
        return self._facts

    def read(self, unit: Callable[[Transaction], T]) -> T:
        return self._units.read(unit)

    def write(self, unit: Callable[[Transaction], T]) -> T:
        if self.follower.is_own_thread():
            raise RuntimeError("the journal's thread would hold up every listener; use submit in a listener")
        self._check()
        return self._units.write(unit)

    def submit(self, unit: Callable[[Transaction], T]) -> Future[T]:
        self._check()
        with self._gate:
            if self._waiting >= self.most_waiting:
                raise StoreBusy(
                    f"{self.most_waiting} writes wait already. Nothing of this one was stored.",
                    hint="Repeat the request in a moment.",
                )
            self._waiting += 1
            future = self._threads.submit(self._units.write, unit)
        future.add_done_callback(self._done)
        return future

    def subscribe(self, listener: Callable[[int], None]) -> Callable[[], None]:
        return self.follower.subscribe(listener)

    def close(self) -> None:
        if self.follower.is_own_thread():
            raise RuntimeError("the journal's thread cannot close the store")
        with self._gate:
            self._closing = True
        self._threads.shutdown(wait=True)
        self.follower.stop()
        self.pool.close()

    def _check(self) -> None:
        if self._units.inside:
            raise RuntimeError("a unit cannot write outside its transaction")
        if self._closing:
            raise StoreUnavailable("The store was closed. Nothing was stored.", hint="Start Waypost again.")

    def _done(self, future: Future[T]) -> None:  # noqa: ARG002 - called with it, whatever came of it
        with self._gate:
            self._waiting -= 1


def _prepare(
    connection: Connection, place: str, migrations: Sequence[Migration], clock: Callable[[], int]
) -> tuple[StoreFacts, Upgrade]:
    """Checks the database, migrates it, and answers what names the store and what was done."""
    version = check_database(connection, place)
    try:
        configure(connection)
        hold_open(connection)
        upgrade = bring_up_to_date(connection, migrations, place, clock=clock)
        return read_facts(connection, place, version), upgrade
    except psycopg.Error as error:
        raise translate(error) from error


if TYPE_CHECKING:

    def _conforms(store: PostgresStore) -> Store:
        return store
