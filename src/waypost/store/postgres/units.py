"""Runs units: on a snapshot for a read, in a transaction that commits for a write, again where another one came first.

A unit has no effect outside its transaction, so it runs again after a deadlock, a lock timeout, a row that another unit made
first, and a connection lost before COMMIT was sent. What happens to a COMMIT whose answer is lost is not known, and is said so.
Knows no thread and no journal.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

import psycopg

from waypost.kernel.errors import StoreUnavailable, WaypostError
from waypost.kernel.time import Clock
from waypost.store.interface import Transaction
from waypost.store.postgres.dialect import Statements
from waypost.store.postgres.errors import is_lost, runs_again, translate
from waypost.store.postgres.pool import Pool
from waypost.store.postgres.transaction import PostgresTransaction, ReadTransaction
from waypost.store.postgres.versions import opening_to_read, opening_to_write
from waypost.store.postgres.wire import Wire

__all__ = ["Units"]

T = TypeVar("T")
MOST_RUNS: Final = 6
FIRST_PAUSE_SECONDS: Final = 0.002
GIVE_UP_AFTER_SECONDS: Final = 15.0
UNKNOWN_NAMES: Final = "42"
"""The class of codes for what the schema does not know or allow."""


class Units:
    """Runs the units of one store. `committed` is called after each commit that appended to the journal."""

    def __init__(self, pool: Pool, *, clock: Clock | None, schema: int, committed: Callable[[], None]) -> None:
        self._pool = pool
        self._reading, self._writing = opening_to_read(schema), opening_to_write(schema)
        self._clock = clock
        self._committed = committed
        self._statements = Statements()
        self._here = threading.local()

    @property
    def inside(self) -> bool:
        """Whether the calling thread runs a unit."""
        return getattr(self._here, "depth", 0) > 0

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """As `Store.read`."""
        return self._repeat(lambda wire: self._look(wire, unit))

    def write(self, unit: Callable[[Transaction], T]) -> T:
        """As `Store.write`."""
        result, journalled = self._repeat(lambda wire: self._change(wire, unit))
        if journalled:
            self._committed()
        return result

    def _repeat(self, run: Callable[[Wire], T]) -> T:
        started, pause = time.monotonic(), FIRST_PAUSE_SECONDS
        for runs in range(1, MOST_RUNS + 1):
            try:
                with self._pool.lend() as connection:
                    return self._served(connection.wire, run)
            except (WaypostError, psycopg.Error) as error:
                lost = is_lost(error)
                over = runs == MOST_RUNS or time.monotonic() - started > GIVE_UP_AFTER_SECONDS
                if lost:
                    self._pool.lost()
                if over or isinstance(error, UnknownCommit) or not (lost or runs_again(error)):
                    raise
            time.sleep(random.uniform(0, pause))  # noqa: S311 - spreads those that met, keeps no secret
            pause *= 2
        raise AssertionError("unreachable")

    def _served(self, wire: Wire, run: Callable[[Wire], T]) -> T:
        """Runs; a statement that the schema no longer knows is looked into: it may be that a migration left this node behind."""
        try:
            return run(wire)
        except psycopg.Error as error:
            if (error.sqlstate or "").startswith(UNKNOWN_NAMES):
                wire.end()
                answers = wire.run_together([(statement, {}) for statement in self._reading.statements])
                self._reading.read(answers[-1])
            raise

    def _look(self, wire: Wire, unit: Callable[[Transaction], T]) -> T:
        transaction = ReadTransaction(wire, self._statements, self._clock, self._reading)
        try:
            return self._run(unit, transaction)
        finally:
            transaction.end()

    def _change(self, wire: Wire, unit: Callable[[Transaction], T]) -> tuple[T, bool]:
        transaction = PostgresTransaction(wire, self._statements, self._clock, self._writing)
        try:
            result = self._run(unit, transaction)
            self._commit(transaction)
            return result, transaction.journalled
        finally:
            transaction.end()

    def _commit(self, transaction: PostgresTransaction) -> None:
        try:
            transaction.commit()
        except psycopg.Error as error:
            if is_lost(error):
                raise UnknownCommit(
                    "The connection was lost while the change was being made durable, and whether it was stored is not known.",
                    hint="Repeat the request with the same idempotency key.",
                ) from error
            raise translate(error) from error

    def _run(self, unit: Callable[[Any], T], transaction: PostgresTransaction) -> T:
        self._here.depth = getattr(self._here, "depth", 0) + 1
        try:
            return unit(transaction)
        finally:
            self._here.depth -= 1


class UnknownCommit(StoreUnavailable):
    """Nobody knows whether the commit took place."""
