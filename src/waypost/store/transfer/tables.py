"""What an export carries: every table of the schema as the engine's own catalogue lists it, so that no migration can forget one.

Left out are the engine's bookkeeping: the list of migrations and the store's facts, which the header carries, and notes that a
writer makes for itself. Knows no engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["BOOKKEEPING", "FACTS", "OWN_KEYS", "Column", "Kind", "Table", "in_order", "kind_of", "what_is_held"]

Kind = Literal["text", "integer", "blob"]

BOOKKEEPING: Final = "schema_migrations"
"""The one table that is not carried: whoever imports goes through the migrations himself."""
FACTS: Final = "store_info"
"""The table whose rows `OWN_KEYS` are the store's own; what else stands there is carried."""
OWN_KEYS: Final = ("store_id", "created_at", "epoch", "tried_at", "settled_at", "oldest_schema")
MADE_BY_ITSELF: Final = frozenset({FACTS, BOOKKEEPING, "users", "mailboxes"})
"""What a store may hold that was only ever opened: the person whose machine it is, with a mailbox."""
MOST_COUNTED: Final = 1_000
TYPES: Final[dict[str, Kind]] = {
    "text": "text",
    "integer": "integer",
    "bigint": "integer",
    "blob": "blob",
    "bytea": "blob",
}
NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column: `text`, a 64-bit `integer`, or bytes (`blob`)."""

    name: str
    kind: Kind
    nullable: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """One table: its columns in order, the key by which its records are sorted, and the tables that its rows refer to."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    parents: frozenset[str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)


def kind_of(table: str, column: str, declared: str) -> Kind:
    """What a column holds, by the type that the engine names. An unknown one raises ValueError, so that a migration which brings
    it fails its tests until the format says how it is written."""
    try:
        return TYPES[declared.lower()]
    except KeyError:
        raise ValueError(
            f"{table}.{column} has the type {declared}, which an export cannot carry: add it to store/transfer "
            "(tables.TYPES, lines) and to docs/export.md"
        ) from None


def in_order(tables: Iterable[Table]) -> tuple[Table, ...]:
    """The tables that are carried, each behind those that it refers to, else by name; so a record comes after what it refers to.
    A circle raises ValueError, and so does a table without a primary key, whose records would have no order."""
    left = {table.name: table for table in tables if table.name != BOOKKEEPING}
    for table in left.values():
        if not table.key or not NAME.fullmatch(table.name):
            raise ValueError(
                f"the table {table.name} needs a primary key and a plain name, so that an export can carry it"
            )
    done: list[Table] = []
    while left:
        ready = sorted(name for name, table in left.items() if not (table.parents - {name}) & left.keys())
        if not ready:
            raise ValueError(f"the tables {sorted(left)} refer to each other in a circle")
        done.append(left.pop(ready[0]))
    return tuple(done)


def what_is_held(counts: Mapping[str, int]) -> str:
    """What keeps a store from being empty, in words; nothing where it was only ever opened. `counts` has the rows of each table,
    at most `MOST_COUNTED` and one."""
    if not any(count for name, count in counts.items() if name not in MADE_BY_ITSELF):
        return ""
    return ", ".join(
        f"{'over ' if count > MOST_COUNTED else ''}{min(count, MOST_COUNTED)} in {name}"
        for name, count in sorted(counts.items())
        if count and name not in {FACTS, BOOKKEEPING}
    )
