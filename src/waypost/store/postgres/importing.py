"""Imports into a Postgres database: one transaction makes the tables, fills, migrates and names the store, or leaves all as it was.

Needs the database to itself: no node may have it open, and it may hold no more than a store that was only ever opened. Epoch,
leases and generations go the way of a restore. Knows no domain: their statements are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import psycopg

from waypost.kernel.errors import Conflict, StoreBusy
from waypost.kernel.time import Clock, SystemClock
from waypost.store.epochs import ending_parameters
from waypost.store.interface import Query, StoreFacts
from waypost.store.migrations import Migration, load_migrations, pending
from waypost.store.postgres.catalogue import count_some, read_tables, table_names
from waypost.store.postgres.connections import (
    OPEN_LOCK,
    check_database,
    configure,
    connect,
    connection_info,
    shown_place,
)
from waypost.store.postgres.dialect import Statements
from waypost.store.postgres.errors import translate
from waypost.store.postgres.schema import MIGRATION_LOCK, applied_steps, read_facts, run_step
from waypost.store.postgres.wire import Connection, Wire
from waypost.store.transfer.lines import Values, broken
from waypost.store.transfer.reading import Export, Numbered, load
from waypost.store.transfer.tables import OWN_KEYS, Table, what_is_held

__all__ = ["import_into"]

PATIENT: Final = (
    "select set_config('statement_timeout', '0', false), set_config('idle_in_transaction_session_timeout', '0', false)"
)
ALONE: Final = f"select pg_try_advisory_xact_lock({OPEN_LOCK}) as alone"
NAME: Final = "update store_info set value = %s where key = %s"


def import_into(
    url: str,
    export: Export,
    *,
    endings: Sequence[Query] = (),
    clock: Clock | None = None,
    migrations: Sequence[Migration] | None = None,
) -> StoreFacts:
    """Makes a store of a checked export in the database at `url`, as a new epoch.

    `endings` are the domains' statements, as for a restore. Refuses with `store_busy` while a node has it open, `conflict` for a
    store that holds anything, `schema_newer`, `invalid_input` for a line and `store_unavailable`; nothing was changed then.
    """
    steps = migrations or load_migrations()
    lacking = pending(steps, export.header.migrations)
    now = (clock or SystemClock()).now()
    info = connection_info(url)
    place = shown_place(info)
    with connect(info) as connection:
        version = check_database(connection, place)
        configure(connection)
        try:
            connection.execute(PATIENT)
            with connection.transaction():
                epoch = max(export.header.epoch, _clear(connection, steps, place, version)) + 1
                for step in steps[: len(steps) - len(lacking)]:
                    run_step(connection, step, now)
                _name(connection, {key: str(getattr(export.header, key)) for key in OWN_KEYS[:3]})
                tables = read_tables(connection)
                load(export, tables, Loading(connection))
                for step in lacking:
                    run_step(connection, step, now)
                _begin_epoch(connection, endings, now=now, epoch=epoch)
                facts = read_facts(connection, place, version)
                connection.execute(f"analyze {', '.join(table.name for table in tables)}".encode())
        except psycopg.Error as error:
            raise translate(error) from error
    return facts


def _clear(connection: Connection, steps: Sequence[Migration], place: str, version: str) -> int:
    """Takes the empty tables away under the locks that nodes take too; answers the epoch of the store that they were, or 0. Refuses
    (`store_busy`) while a node has it open, and (`conflict`) a store that holds anything."""
    row: Any = connection.execute(ALONE).fetchone()
    if not row["alone"]:
        raise StoreBusy(
            f"A server has {place} open. Nothing was imported.",
            hint="Stop every node of it with `waypost stop`, then import, then start them again.",
        )
    connection.execute(f"select pg_advisory_xact_lock({MIGRATION_LOCK})")
    there = applied_steps(connection, place)
    pending(steps, there)  # refuses what a newer or another Waypost made
    if not there:
        return 0
    held = what_is_held(count_some(connection, read_tables(connection)))
    if held:
        raise Conflict(
            f"{place} is not empty: {held}. Nothing was imported.",
            hint="Import into a new database: make one with createdb --encoding=UTF8, and name it with --database.",
        )
    epoch = read_facts(connection, place, version).epoch
    connection.execute(f"drop table {', '.join(table_names(connection))}".encode())
    return epoch


def _name(connection: Connection, facts: dict[str, str]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(NAME, [(value, key) for key, value in facts.items()])


def _begin_epoch(connection: Connection, endings: Sequence[Query], *, now: int, epoch: int) -> None:
    _name(connection, {"epoch": str(epoch)})
    statements, wire = Statements(), Wire(connection)
    for ending in endings:
        wire.run(statements[ending.text], ending_parameters(now=now, epoch=epoch))


class Loading:
    """Takes the batches: each is copied whole; where the database refuses one, its rows go in one by one, to name the line."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __call__(self, table: Table, batch: Numbered, /) -> None:
        try:
            self._copy(table, [values for _, values in batch])
        except (psycopg.IntegrityError, psycopg.DataError):
            for number, values in batch:
                try:
                    self._copy(table, [values])
                except (psycopg.IntegrityError, psycopg.DataError) as error:
                    raise broken(number, _fault(error, table)) from error

    def _copy(self, table: Table, rows: Sequence[Values]) -> None:
        sql = f"copy {table.name} ({', '.join(table.names)}) from stdin"
        with self._connection.transaction(), self._connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            for row in rows:
                copy.write_row(row)


def _fault(error: psycopg.Error, table: Table) -> str:
    if isinstance(error, psycopg.errors.UniqueViolation):
        return f"stands in {table.name} already, or another record of it has the same key"
    if isinstance(error, psycopg.errors.ForeignKeyViolation):
        return f"refers to a record that does not stand before it (one of {', '.join(sorted(table.parents))})"
    return f"holds a value that {table.name} does not take"
