"""Exports a Postgres database from one REPEATABLE READ transaction that only reads, on a connection of its own.

Nodes go on writing beside it. The schema is read as it is: nothing is migrated or made. Entries of the journal that wait for
their position get, in the export alone, those that the sequencer would give them. Knows no domain.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import psycopg
from psycopg.rows import tuple_row

from waypost import __version__
from waypost.kernel.errors import NotFound
from waypost.kernel.time import Clock, SystemClock
from waypost.store.interface import Value
from waypost.store.migrations import Applied, load_migrations, pending
from waypost.store.postgres.catalogue import read_tables
from waypost.store.postgres.connections import check_database, configure, connect, connection_info, shown_place
from waypost.store.postgres.errors import translate
from waypost.store.postgres.schema import applied_steps, read_facts
from waypost.store.postgres.wire import Connection
from waypost.store.transfer.lines import Header
from waypost.store.transfer.tables import FACTS, OWN_KEYS, Table

__all__ = ["snapshot_of_database"]

ROWS_AT_ONCE: Final = 500
PATIENT: Final = (
    "select set_config('statement_timeout', '0', false), set_config('idle_in_transaction_session_timeout', '0', false)"
)
"""However slow the disk is that takes the lines."""
JOURNAL: Final = "journal"


class Snapshot:
    """One consistent view of a database (`writing.Source`). The connection is in a transaction."""

    def __init__(self, connection: Connection, steps: Sequence[Applied], place: str, version: str, now: int) -> None:
        self._connection = connection
        self._steps = steps
        self._place = place
        self._version = version
        self._now = now

    def header(self) -> Header:
        facts = read_facts(self._connection, self._place, self._version)
        return Header(
            store_id=facts.store_id,
            created_at=facts.created_at,
            epoch=facts.epoch,
            exported_at=self._now,
            waypost_version=__version__,
            migrations=tuple(self._steps),
        )

    def tables(self) -> Sequence[Table]:
        return read_tables(self._connection)

    def rows(self, table: Table) -> Iterator[Sequence[Value]]:
        kept = f" where key not in {OWN_KEYS}" if table.name == FACTS else ""
        order = "position nulls last, entry" if table.name == JOURNAL else ", ".join(table.key)
        sql = f"select {', '.join(table.names)} from {table.name}{kept} order by {order}"  # noqa: S608 - names of the schema
        with self._connection.cursor("export", row_factory=tuple_row) as cursor:
            cursor.itersize = ROWS_AT_ONCE
            cursor.execute(sql.encode())
            yield from _positioned(cursor) if table.name == JOURNAL else cursor


def _positioned(rows: Iterator[tuple[Any, ...]]) -> Iterator[Sequence[Value]]:
    """The journal's rows, whose first column is the position; those that wait for one follow on from the highest."""
    last = 0
    for row in rows:
        last = last + 1 if row[0] is None else row[0]
        yield (last, *row[1:])


@contextlib.contextmanager
def snapshot_of_database(url: str, *, clock: Clock | None = None) -> Iterator[Snapshot]:
    """What the database at `url` holds at this moment. Refuses with `not_found` where no store is in it, `schema_newer`, and
    `store_unavailable` as opening it does."""
    info = connection_info(url)
    place = shown_place(info)
    with connect(info) as connection:
        version = check_database(connection, place)
        configure(connection)
        try:
            connection.execute(PATIENT)
            connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
            connection.set_read_only(True)
            with connection.transaction():
                steps = applied_steps(connection, place)
                pending(load_migrations(), steps)  # refuses what a newer or another Waypost made
                if not steps:
                    raise NotFound(
                        f"There is no store in {place}. Nothing was written.", hint="Name it with --database."
                    )
                yield Snapshot(connection, steps, place, version, (clock or SystemClock()).now())
        except psycopg.Error as error:
            raise translate(error) from error
