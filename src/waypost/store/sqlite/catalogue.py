"""What tables a SQLite store has, as SQLite itself lists them, and how much stands in them. Knows nothing of what they mean."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from waypost.store.transfer.tables import MOST_COUNTED, Column, Table, in_order, kind_of

__all__ = ["count_some", "read_tables"]

NAMES = "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'"


def read_tables(connection: apsw.Connection) -> tuple[Table, ...]:
    """The tables that an export carries, in its order."""
    return in_order(_table(connection, str(row[0])) for row in connection.execute(NAMES).fetchall())


def count_some(connection: apsw.Connection, tables: Sequence[Table]) -> dict[str, int]:
    """How many rows each table has, counted no further than needed to say so."""
    return {
        table.name: connection.execute(
            f"select count(*) from (select 1 from {table.name} limit {MOST_COUNTED + 1})"  # noqa: S608 - names of the schema
        ).get
        for table in tables
    }


def _table(connection: apsw.Connection, name: str) -> Table:
    columns: list[Column] = []
    keys: list[tuple[int, str]] = []
    for row in connection.execute('select name, type, "notnull", pk from pragma_table_info(?)', (name,)):
        column, declared, not_null, place = str(row[0]), str(row[1]), bool(row[2]), int(row[3])
        if place:
            keys.append((place, column))
        columns.append(Column(name=column, kind=kind_of(name, column, declared), nullable=not not_null and not place))
    parents = connection.execute('select distinct "table" from pragma_foreign_key_list(?)', (name,))
    return Table(
        name=name,
        columns=tuple(columns),
        key=tuple(column for _, column in sorted(keys)),
        parents=frozenset(str(row[0]) for row in parents),
    )
