"""The transaction that a unit sees, over one connection of Postgres.

`now` is read when it is first asked for: a unit that takes a row's lock first has an instant from after that lock, the
database's own. It ends with its unit. Knows no pool and no commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg.rows import DictRow

from waypost.kernel.time import Clock
from waypost.store.interface import Actor, Query, Row, Value
from waypost.store.journal import APPEND, entry_parameters
from waypost.store.postgres.dialect import Statements
from waypost.store.postgres.errors import translate

if TYPE_CHECKING:
    from waypost.store.interface import Transaction

__all__ = ["Connection", "PostgresTransaction", "ReadTransaction"]

Connection = psycopg.Connection[DictRow]
NOTHING: Final[Mapping[str, Value]] = {}
NOW: Final = "select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now"


class PostgresTransaction:
    """A unit's transaction that may write. `journalled` says whether it appended to the journal."""

    __slots__ = ("_clock", "_connection", "_now", "_statements", "journalled")

    def __init__(self, connection: Connection, statements: Statements, clock: Clock | None) -> None:
        self._connection: Connection | None = connection
        self._statements = statements
        self._clock = clock
        self._now: int | None = None
        self.journalled = False

    def end(self) -> None:
        """After this the transaction refuses every call."""
        self._connection = None

    @property
    def now(self) -> int:
        if self._now is None:
            self._now = self._clock.now() if self._clock is not None else self._database_now()
        return self._now

    def rows(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> Sequence[Row]:
        with self._run(query, parameters) as cursor:
            return cursor.fetchall() if cursor.description else []

    def row(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> Row | None:
        with self._run(query, parameters) as cursor:
            return cursor.fetchone() if cursor.description else None

    def execute(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> int:
        with self._run(query, parameters) as cursor:
            return cursor.rowcount

    def many(self, query: Query, parameters: Iterable[Mapping[str, Value]]) -> None:
        sql = self._statements[query.text]
        try:
            with self._open().cursor() as cursor:
                cursor.executemany(sql.encode(), parameters)
        except psycopg.Error as error:
            raise translate(error) from error

    def hold(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> None:
        self._run(query, parameters).close()

    def journal(self, kind: str, subject_id: str, *, version: int, actor: Actor, scopes: Sequence[str]) -> None:
        self.execute(
            APPEND, entry_parameters(kind, subject_id, version=version, actor=actor, scopes=scopes, at=self.now)
        )
        self.journalled = True

    def _run(self, query: Query, parameters: Mapping[str, Value]) -> psycopg.Cursor[DictRow]:
        sql = self._statements[query.text]
        try:
            return self._open().execute(sql.encode(), parameters)
        except psycopg.Error as error:
            raise translate(error) from error

    def _database_now(self) -> int:
        try:
            row: Any = self._open().execute(NOW).fetchone()
        except psycopg.Error as error:
            raise translate(error) from error
        return int(row["now"])

    def _open(self) -> Connection:
        connection = self._connection
        if connection is None:
            raise RuntimeError("this transaction ended with its unit")
        return connection


class ReadTransaction(PostgresTransaction):
    """A unit's transaction on a snapshot; whatever would change something is a programming error."""

    __slots__ = ()

    def execute(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> int:  # noqa: ARG002 - refused whatever it is
        raise RuntimeError(f"{query.name} would change something in a read")

    def many(self, query: Query, parameters: Iterable[Mapping[str, Value]]) -> None:  # noqa: ARG002 - as above
        raise RuntimeError(f"{query.name} would change something in a read")

    def journal(self, kind: str, subject_id: str, *, version: int, actor: Actor, scopes: Sequence[str]) -> None:  # noqa: ARG002 - as above
        raise RuntimeError(f"{kind} would be journalled in a read")


if TYPE_CHECKING:

    def _conforms(transaction: PostgresTransaction) -> Transaction:
        return transaction
