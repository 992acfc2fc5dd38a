"""Imports into a SQLite store: a new file is filled, migrated and checked under a temporary name, then takes the store's place.

Until it has the name, nothing is changed; whoever dies before leaves a file that the next one removes. Only a store that holds
nothing is replaced. Epoch, leases and generations go the way of a restore. Knows no domain: their statements are given.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import apsw

from waypost.kernel.errors import Conflict
from waypost.kernel.time import Clock, SystemClock
from waypost.store.interface import Query, StoreFacts
from waypost.store.migrations import Migration, load_migrations, pending
from waypost.store.sqlite.catalogue import count_some, read_tables
from waypost.store.sqlite.connections import check_version, open_plain, sqlite_version
from waypost.store.sqlite.copying import partial_path
from waypost.store.sqlite.errors import TAKEN, translate
from waypost.store.sqlite.leftovers import clear_partials, undo_interrupted_restore
from waypost.store.sqlite.lock import TIMEOUT_SECONDS, StoreLock
from waypost.store.sqlite.place import (
    CLOSE_ON_EXEC,
    FILE_MODE,
    Probe,
    check_file,
    check_file_system,
    file_system_of,
    make_folder,
    real_path,
    unwritable,
)
from waypost.store.sqlite.restore import renew, take_place
from waypost.store.sqlite.schema import applied_steps, migrate, read_facts
from waypost.store.transfer.lines import Header, Values, broken
from waypost.store.transfer.reading import Export, Numbered, load
from waypost.store.transfer.tables import OWN_KEYS, Table, what_is_held

__all__ = ["import_into"]

CACHE_KIB: Final = -65_536
"""Indexes are filled in no order; with SQLite's usual 2 MB a large one would be read and written page by page."""
RENAME: Final = "insert or replace into store_info (key, value) values (?, ?)"


def import_into(
    path: str | Path,
    export: Export,
    *,
    endings: Sequence[Query] = (),
    clock: Clock | None = None,
    migrations: Sequence[Migration] | None = None,
    lock_timeout: float = TIMEOUT_SECONDS,
    probe: Probe = file_system_of,
) -> StoreFacts:
    """Makes the store at `path` of a checked export, as a new epoch; needs the store stopped and empty, or not there yet.

    `endings` are the domains' statements, as for a restore. Refuses with `store_busy`, `conflict` for a store that holds anything,
    `schema_newer`, `invalid_input` for a line and `store_unavailable`; a refusal leaves everything as it was.
    """
    check_version(sqlite_version())
    place = real_path(path)
    check_file_system(place, probe)
    steps = migrations or load_migrations()
    lacking = pending(steps, export.header.migrations)
    now = (clock or SystemClock()).now()
    lock = StoreLock.acquire(place, timeout=lock_timeout)
    partial = partial_path(place)
    try:
        undo_interrupted_restore(place)
        clear_partials(place)
        epoch = max(export.header.epoch, _epoch_of_empty(place)) + 1
        _make(partial)
        _fill(partial, export, steps[: len(steps) - len(lacking)], now)
        facts = renew(partial, place, steps=lacking, endings=endings, now=now, epoch=epoch)
        kept = take_place(partial, place, now)
        if kept is not None:  # it held nothing
            with contextlib.suppress(OSError):
                kept.unlink()
                Path(f"{kept}-wal").unlink(missing_ok=True)
        return facts
    finally:
        partial.unlink(missing_ok=True)
        lock.release()


def _epoch_of_empty(place: Path) -> int:
    """The epoch of the store that is there, or 0. Refuses (`conflict`) one that holds anything."""
    check_file(place)
    if not place.exists() or place.stat().st_size == 0:
        return 0
    connection = open_plain(str(place), None)
    try:
        if not applied_steps(connection, place):
            return 0
        held = what_is_held(count_some(connection, read_tables(connection)))
        if held:
            raise Conflict(
                f"{place} is not empty: {held}. Nothing was imported.",
                hint="Import into a new store: name another file with --database, or move this one away.",
            )
        return read_facts(connection, place).epoch
    except apsw.Error as error:
        raise translate(error) from error
    finally:
        connection.close()


def _make(partial: Path) -> None:
    try:
        make_folder(partial.parent)
        os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, FILE_MODE))
    except OSError as error:
        raise unwritable(partial, error) from error


def _fill(partial: Path, export: Export, steps: Sequence[Migration], now: int) -> None:
    """A store of the export's own schema with the export's records, in the partial file."""
    connection = open_plain(str(partial), None)
    try:
        connection.pragma(
            "journal_mode", "off"
        )  # a file that is not whole is thrown away; it is synced before it gets its name
        connection.pragma("synchronous", "off")
        connection.pragma("cache_size", CACHE_KIB)
        migrate(connection, steps, clock=lambda: now)
        connection.pragma("foreign_keys", 1)
        cursor = connection.cursor()
        cursor.execute("begin immediate")
        _name(cursor, export.header)
        load(export, read_tables(connection), lambda table, batch: _put(cursor, table, batch))
        cursor.execute("commit")
    except apsw.Error as error:
        raise translate(error) from error
    finally:
        connection.close()


def _name(cursor: apsw.Cursor, header: Header) -> None:
    for key in OWN_KEYS[:3]:
        cursor.execute(RENAME, (key, str(getattr(header, key))))


def _put(cursor: apsw.Cursor, table: Table, batch: Numbered) -> None:
    places = ", ".join("?" * len(table.columns))
    sql = f"insert into {table.name} ({', '.join(table.names)}) values ({places})"  # noqa: S608 - names of the schema
    at = batch[0][0]

    def rows() -> Iterator[Values]:
        nonlocal at
        for at, values in batch:  # noqa: B007 - the line is named where SQLite refuses its row
            yield values

    try:
        cursor.executemany(sql, rows())
    except apsw.ConstraintError as error:
        raise broken(at, _fault(error, table)) from error


def _fault(error: apsw.ConstraintError, table: Table) -> str:
    result = getattr(error, "extendedresult", 0)
    if result in TAKEN:
        return f"stands in {table.name} already, or another record of it has the same key"
    if result == apsw.SQLITE_CONSTRAINT_FOREIGNKEY:
        return f"refers to a record that does not stand before it (one of {', '.join(sorted(table.parents))})"
    return f"holds a value that {table.name} does not take"
