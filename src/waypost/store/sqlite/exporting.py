"""Exports a SQLite store from one snapshot: of a running store beside its writer, or of a file that nobody has open.

A stopped store is read under its lock and as it is: it is not migrated. Knows no domain.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from waypost import __version__
from waypost.kernel.errors import NotFound
from waypost.kernel.time import Clock, SystemClock
from waypost.store.interface import Value
from waypost.store.migrations import load_migrations, pending
from waypost.store.sqlite.catalogue import read_tables
from waypost.store.sqlite.connections import check_version, open_reader, sqlite_version
from waypost.store.sqlite.engine import SqliteStore
from waypost.store.sqlite.errors import translate
from waypost.store.sqlite.leftovers import undo_interrupted_restore
from waypost.store.sqlite.lock import TIMEOUT_SECONDS, StoreLock
from waypost.store.sqlite.place import check_file, check_file_system, file_system_of, real_path
from waypost.store.sqlite.schema import applied_steps, read_facts
from waypost.store.transfer.lines import Header
from waypost.store.transfer.tables import FACTS, OWN_KEYS, Table

__all__ = ["snapshot_of_file", "snapshot_of_store"]


class Snapshot:
    """One consistent view of a store's file (`writing.Source`). The connection is in a transaction."""

    def __init__(self, connection: apsw.Connection, place: Path, now: int) -> None:
        self._connection = connection
        self._place = place
        self._now = now

    def header(self) -> Header:
        steps = applied_steps(self._connection, self._place)
        pending(load_migrations(), steps)  # refuses what a newer or another Waypost made
        facts = read_facts(self._connection, self._place)
        return Header(
            store_id=facts.store_id,
            created_at=facts.created_at,
            epoch=facts.epoch,
            exported_at=self._now,
            waypost_version=__version__,
            migrations=tuple(steps),
        )

    def tables(self) -> Sequence[Table]:
        return read_tables(self._connection)

    def rows(self, table: Table) -> Iterator[Sequence[Value]]:
        kept = "" if table.name != FACTS else f" where key not in {OWN_KEYS}"
        sql = f"select {', '.join(table.names)} from {table.name}{kept} order by {', '.join(table.key)}"  # noqa: S608 - names of the schema
        return self._connection.execute(sql)


@contextlib.contextmanager
def snapshot_of_store(store: SqliteStore, *, clock: Clock | None = None) -> Iterator[Snapshot]:
    """What a running store holds at this moment; its writer goes on."""
    with _snapshot(store.readers.borrow(), Path(store.facts.place), clock) as snapshot:
        yield snapshot


@contextlib.contextmanager
def snapshot_of_file(
    path: str | Path, *, clock: Clock | None = None, lock_timeout: float = TIMEOUT_SECONDS
) -> Iterator[Snapshot]:
    """What a stopped store holds. Refuses with `not_found` where there is none, `store_busy` while a process has it open, and
    `store_unavailable` for what is no store."""
    check_version(sqlite_version())
    place = real_path(path)
    if not place.exists() or not place.stat().st_size:
        raise NotFound(f"There is no store at {place}. Nothing was written.", hint="Name it with --database.")
    check_file_system(place, file_system_of)
    lock = StoreLock.acquire(place, timeout=lock_timeout)
    try:
        undo_interrupted_restore(place)
        check_file(place)
        with _snapshot(open_reader(str(place), None), place, clock) as snapshot:
            yield snapshot
    finally:
        lock.release()


@contextlib.contextmanager
def _snapshot(connection: apsw.Connection, place: Path, clock: Clock | None) -> Iterator[Snapshot]:
    try:
        connection.execute("begin")
        connection.execute("select count(*) from sqlite_schema").fetchall()  # the moment that everything is read as of
        yield Snapshot(connection, place, (clock or SystemClock()).now())
    except apsw.Error as error:
        raise translate(error) from error
    finally:
        connection.close(True)
