"""Exports made up at random, with records in every table of the schema: what the catalogue says a column takes, and no more sense.

A new migration is filled by itself. Where its tables take less than their columns say, the fault names what to teach here.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import apsw

from waypost.kernel.ids import new_id
from waypost.store.interface import Value
from waypost.store.migrations import Applied, load_migrations
from waypost.store.sqlite.catalogue import read_tables
from waypost.store.sqlite.engine import SqliteStore
from waypost.store.transfer.lines import Closing, Header, record_writer, write_closing, write_header
from waypost.store.transfer.tables import Column, Table

__all__ = ["Schema", "made_up", "rows_of", "seal"]

ROWS: Final = 40
ONE_OF: Final = re.compile(r"check \((\w+) in \(([^)]*)\)\)")
TEXTS: Final = (
    "",
    "plain",
    "Ünïcode ☃ 🜲 \u2028",
    'two\nlines\tand a \\ "quote"',
    "\x01\x1f\x7f",
    "'; drop table messages; --",
    '{"json": [1, null]}',
)
NUMBERS: Final = (0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63), 1_764_000_000_000_000)


def _token(row: dict[str, Value]) -> None:
    """A token is an agent's exactly where it is for one project."""
    if row["kind"] != "agent":
        row["project_id"] = None


TAUGHT: Final[Mapping[str, Callable[[dict[str, Value]], None]]] = {"tokens": _token}
"""What a table's constraints say of several columns together: mends a row that was made up column by column."""


class Schema:
    """The tables of this Waypost, or of its first migrations alone, and what its constraints say beyond the columns, as a new SQLite
    store has them."""

    def __init__(self, folder: Path, migrations: int | None = None) -> None:
        place = folder / f"schema-{migrations}.db"
        self.migrations = migrations
        SqliteStore.open(place, migrations=load_migrations()[:migrations]).close()
        connection = apsw.Connection(str(place))
        self.tables = read_tables(connection)
        self.choices: dict[tuple[str, str], list[str]] = {}
        self.parents: dict[tuple[str, str], tuple[str, str]] = {}
        for table in self.tables:
            sql = connection.execute("select sql from sqlite_schema where name = ?", (table.name,)).get
            for column, words in ONE_OF.findall(str(sql)):
                self.choices[table.name, column] = [word.strip(" '") for word in words.split(",")]
            for row in connection.execute(
                'select "from", "table", "to" from pragma_foreign_key_list(?)', (table.name,)
            ):
                self.parents[table.name, str(row[0])] = (str(row[1]), str(row[2]))
        connection.close()


def made_up(schema: Schema, seed: int, *, fixed: Mapping[tuple[str, str], Value] | None = None) -> bytes:
    """An export with records in every table; the same seed gives the same records but for their ids. `fixed` sets columns."""
    chance = random.Random(seed)
    rows: dict[str, list[dict[str, Value]]] = {}
    filler = Filler(schema, rows, chance, fixed or {})
    for table in schema.tables:
        made = [filler.row(table, number) for number in range(1, ROWS + 1)]
        rows[table.name] = sorted(made, key=lambda row: [_sortable(row[name]) for name in table.key])
    lines = [
        record_writer(table)([row[name] for name in table.names]) for table in schema.tables for row in rows[table.name]
    ]
    return seal(lines, [table.name for table in schema.tables], migrations=schema.migrations)


def seal(lines: Sequence[bytes], tables: Sequence[str], *, epoch: int = 3, migrations: int | None = None) -> bytes:
    """A whole export of these records, with its header and a closing line that fits."""
    steps = load_migrations()[:migrations]
    header = write_header(
        Header(
            store_id=new_id(),
            created_at=1_764_000_000_000_000,
            epoch=epoch,
            exported_at=1_764_000_001_000_000,
            waypost_version="0.1.0",
            migrations=tuple(Applied(version=s.version, name=s.name, checksum=s.checksum) for s in steps),
        )
    )
    content = b"".join([header, *lines])
    counts = {name: sum(line.startswith(b'{"table":"%s"' % name.encode()) for line in lines) for name in tables}
    return content + write_closing(Closing(counts=counts, sha256=hashlib.sha256(content).hexdigest()))


def rows_of(export: bytes, table: str) -> list[bytes]:
    """The lines of one table's records."""
    return [line for line in export.splitlines(keepends=True) if line.startswith(b'{"table":"%s"' % table.encode())]


class Filler:
    """Makes rows up, in the order of the tables, so that a row can refer to one of those made before."""

    def __init__(
        self,
        schema: Schema,
        rows: Mapping[str, list[dict[str, Value]]],
        chance: random.Random,
        fixed: Mapping[tuple[str, str], Value],
    ) -> None:
        self._schema = schema
        self._rows = rows
        self._chance = chance
        self._fixed = fixed

    def row(self, table: Table, number: int) -> dict[str, Value]:
        """The row of that number."""
        made = {column.name: self._of(table, column, number) for column in table.columns}
        if table.name in TAUGHT:
            TAUGHT[table.name](made)
        return made

    def _of(self, table: Table, column: Column, number: int) -> Value:
        place, chance = (table.name, column.name), self._chance
        if place in self._schema.parents:
            parent, key = self._schema.parents[place]
            return self._rows[parent][number - 1][key]
        if place in self._fixed:
            return self._fixed[place]
        if place in self._schema.choices:
            word = chance.choice(self._schema.choices[place])
            return int(word) if column.kind == "integer" else word
        if column.name in table.key:
            return number if column.kind == "integer" else f"{number:03}{chance.choice(TEXTS)}{new_id()}"
        return _value(column, number, chance)


def _value(column: Column, number: int, chance: random.Random) -> Value:
    if column.nullable and chance.random() < 0.3:
        return None
    if column.kind == "integer":
        return chance.choice(NUMBERS)
    if column.kind == "blob":
        return chance.randbytes(chance.randrange(20))
    return f"{chance.choice(TEXTS)}{number}{chance.choice(TEXTS)}"  # unlike every other row's, for what is unique


def _sortable(value: Value) -> tuple[int, bytes]:
    """Numbers by size, texts by their bytes."""
    if isinstance(value, int):
        return value, b""
    return 0, value.encode() if isinstance(value, str) else b""
