"""What tables the database's schema has, as Postgres itself lists them, and how much stands in them.

A column that the database numbers by itself is its own business and is left out; where it is the key, the table's other unique
column is. Knows nothing of what the tables mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from waypost.store.postgres.connections import SCHEMA
from waypost.store.postgres.wire import Connection
from waypost.store.transfer.tables import MOST_COUNTED, Column, Table, in_order, kind_of

__all__ = ["count_some", "read_tables", "table_names"]

NAMES: Final = (
    "select relname as name from pg_class where relnamespace = to_regnamespace(%s) and relkind = 'r' order by relname"
)
COLUMNS: Final = """
select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as declared, a.attnotnull as not_null
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = to_regnamespace(%s) and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attidentity = ''
order by c.relname, a.attnum
"""
KEYS: Final = """
select c.relname as table, a.attname as column, k.contype as kind
from pg_constraint k join pg_class c on c.oid = k.conrelid
cross join unnest(k.conkey) with ordinality as part (number, place)
join pg_attribute a on a.attrelid = c.oid and a.attnum = part.number
where c.relnamespace = to_regnamespace(%s) and k.contype in ('p', 'u') and a.attidentity = ''
order by c.relname, k.contype, k.conname, part.place
"""
PARENTS: Final = """
select distinct c.relname as table, p.relname as parent
from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
where c.relnamespace = to_regnamespace(%s) and k.contype = 'f'
"""


def table_names(connection: Connection) -> list[str]:
    """The names of all tables in Waypost's schema."""
    return [row["name"] for row in connection.execute(NAMES, (SCHEMA,))]


def read_tables(connection: Connection) -> tuple[Table, ...]:
    """The tables that an export carries, in its order."""
    keys: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in connection.execute(KEYS, (SCHEMA,)):
        keys[row["table"]][_letter(row["kind"])].append(row["column"])
    key = {name: tuple(found["p"] or found["u"]) for name, found in keys.items()}
    columns: dict[str, list[Column]] = defaultdict(list)
    for row in connection.execute(COLUMNS, (SCHEMA,)):
        name = row["column"]
        kind = kind_of(row["table"], name, row["declared"])
        nullable = not row["not_null"] and name not in key.get(row["table"], ())
        columns[row["table"]].append(Column(name=name, kind=kind, nullable=nullable))
    parents: dict[str, set[str]] = defaultdict(set)
    for row in connection.execute(PARENTS, (SCHEMA,)):
        parents[row["table"]].add(row["parent"])
    return in_order(
        Table(
            name=name,
            columns=tuple(found),
            key=key.get(name, ()),
            parents=frozenset(parents[name]),
        )
        for name, found in columns.items()
    )


def count_some(connection: Connection, tables: Sequence[Table]) -> dict[str, int]:
    """How many rows each table has, counted no further than needed to say so."""
    counts: dict[str, int] = {}
    for table in tables:
        sql = f"select count(*) as n from (select 1 from {table.name} limit {MOST_COUNTED + 1}) as first_ones"  # noqa: S608 - names of the schema
        row: Any = connection.execute(sql.encode()).fetchone()
        counts[table.name] = row["n"]
    return counts


def _letter(kind: object) -> str:
    """Postgres's type "char", which the driver may read as bytes."""
    return kind.decode("ascii") if isinstance(kind, bytes) else str(kind)
