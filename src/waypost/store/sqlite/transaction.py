"""The transaction that a unit sees, over one connection of SQLite.

It ends with its unit: a unit that keeps it and comes back later is refused, so that nothing happens outside a transaction.
Rows are plain dictionaries; the names of a query's columns are asked of SQLite once. Knows no thread and no commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import apsw

from waypost.kernel.errors import WaypostError
from waypost.store.interface import Actor, Query, Row, Value
from waypost.store.journal import APPEND, entry_parameters
from waypost.store.sqlite.dialect import Prepared, Statements
from waypost.store.sqlite.errors import translate

if TYPE_CHECKING:
    from waypost.store.interface import Transaction

__all__ = ["ReadTransaction", "SqliteTransaction"]

NOTHING: Final[Mapping[str, Value]] = {}


class SqliteTransaction:
    """A unit's transaction on the writer's connection. `journalled` is the last position that it appended, or 0."""

    __slots__ = ("_cursor", "_statements", "journalled", "now")

    def __init__(self, cursor: apsw.Cursor, statements: Statements, now: int) -> None:
        self._cursor: apsw.Cursor | None = cursor
        self._statements = statements
        self.now = now
        self.journalled = 0

    def end(self) -> None:
        """After this the transaction refuses every call."""
        self._cursor = None

    def rows(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> Sequence[Row]:
        known = self._statements[query.text]
        cursor = self._open()
        try:
            cursor.execute(known.sql, parameters)
            return _named(known, cursor)
        except apsw.Error as error:
            raise translate(error) from error

    def row(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> Row | None:
        found = self.rows(query, parameters)
        return found[0] if found else None

    def execute(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> int:
        known = self._statements[query.text]
        cursor = self._open()
        try:
            cursor.execute(known.sql, parameters).fetchall()
            return cursor.connection.changes()
        except apsw.Error as error:
            raise translate(error) from error

    def put(
        self, query: Query, parameters: Mapping[str, Value] = NOTHING, *, otherwise: WaypostError | None = None
    ) -> None:
        if self.execute(query, parameters) != 1 and otherwise is not None:
            raise otherwise

    def later(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> Callable[[], Sequence[Row]]:
        found = self.rows(query, parameters)
        return lambda: found

    def many(self, query: Query, parameters: Iterable[Mapping[str, Value]]) -> None:
        known = self._statements[query.text]
        cursor = self._open()
        try:
            cursor.executemany(known.sql, parameters).fetchall()
        except apsw.Error as error:
            raise translate(error) from error

    def hold(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> None:  # noqa: ARG002 - there is one writer
        self._open()

    def journal(self, kind: str, subject_id: str, *, version: int, actor: Actor, scopes: Sequence[str]) -> None:
        self.execute(
            APPEND, entry_parameters(kind, subject_id, version=version, actor=actor, scopes=scopes, at=self.now)
        )
        self.journalled = self._open().connection.last_insert_rowid()

    def _open(self) -> apsw.Cursor:
        cursor = self._cursor
        if cursor is None:
            raise RuntimeError("this transaction ended with its unit")
        return cursor


class ReadTransaction(SqliteTransaction):
    """A unit's transaction on a reader's snapshot; whatever would change something is a programming error."""

    __slots__ = ()

    def execute(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> int:  # noqa: ARG002 - refused whatever it is
        raise RuntimeError(f"{query.name} would change something in a read")

    def many(self, query: Query, parameters: Iterable[Mapping[str, Value]]) -> None:  # noqa: ARG002 - as above
        raise RuntimeError(f"{query.name} would change something in a read")

    def journal(self, kind: str, subject_id: str, *, version: int, actor: Actor, scopes: Sequence[str]) -> None:  # noqa: ARG002 - as above
        raise RuntimeError(f"{kind} would be journalled in a read")


def _named(known: Prepared, cursor: apsw.Cursor) -> list[Row]:
    names = known.names
    if names is None:
        try:
            names = known.names = tuple(column[0] for column in cursor.get_description())
        except apsw.ExecutionCompleteError:  # no row came, so there is nothing to name yet
            return []
    return [dict(zip(names, values)) for values in cursor.fetchall()]  # noqa: B905 - each row has the columns of its query


if TYPE_CHECKING:

    def _conforms(transaction: SqliteTransaction) -> Transaction:
        return transaction
