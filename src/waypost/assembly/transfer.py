"""Export and import of a whole store, on either engine and between them. Doors go through here, because only the assembly knows
the engines.

An export gets its name when it is whole and durable, and is for its owner alone; an import reads a file that it can read twice.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from waypost.assembly.keeping import ENDINGS
from waypost.assembly.postgres import driver_needed
from waypost.assembly.waypost import Waypost
from waypost.client.folders import database_url
from waypost.client.postgres_url import is_postgres
from waypost.kernel.errors import Conflict, InvalidInput, NotFound
from waypost.store.interface import StoreFacts
from waypost.store.sqlite.copying import partial_path, publish
from waypost.store.sqlite.engine import SqliteStore
from waypost.store.sqlite.exporting import snapshot_of_file, snapshot_of_store
from waypost.store.sqlite.importing import import_into
from waypost.store.sqlite.leftovers import clear_partials
from waypost.store.sqlite.lock import TIMEOUT_SECONDS
from waypost.store.sqlite.place import CLOSE_ON_EXEC, FILE_MODE, make_folder, real_path, unwritable
from waypost.store.transfer.reading import Export
from waypost.store.transfer.writing import Source, Written, write_export

__all__ = ["Exported", "Imported", "export_database", "export_store", "import_store"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    """A finished export: where it is, and what was written."""

    path: Path
    written: Written


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What an import made: the store's facts, and how many records of each table."""

    facts: StoreFacts
    counts: dict[str, int]


def export_store(waypost: Waypost, target: Path, *, overwrite: bool = False) -> Exported:
    """Writes a running store to `target` while it goes on. Refuses `conflict` for a name that is taken unless `overwrite`,
    `invalid_input` for the store's own files and folders, and `store_unavailable`; no partial file is left."""
    return _to_file(_snapshot(waypost), target, own=waypost.store.facts.place, overwrite=overwrite)


def export_database(
    database: str, target: Path, *, overwrite: bool = False, lock_timeout: float = TIMEOUT_SECONDS
) -> Exported:
    """Writes the store at `database` to `target`, as it is: a file that no process has open, or a Postgres database that others may
    use meanwhile. Refuses as `export_store` does, and `not_found`, `store_busy`, `schema_newer`."""
    return _to_file(_snapshot_at(database, lock_timeout), target, own=database, overwrite=overwrite)


def import_store(given: Path | BinaryIO, database: str, *, lock_timeout: float = TIMEOUT_SECONDS) -> Imported:
    """Makes the store at `database` of an export, as a new epoch in which no lease lives on; `given` may be a stream. Needs a store
    that is stopped and empty, or not there yet. Refuses `not_found`, `invalid_input` for a file that was cut or altered or a line
    of it, `conflict` for a store that holds anything, `store_busy`, `schema_newer`, `store_unavailable`; nothing was changed then."""
    with _readable(given, database) as file:
        export = Export(file)
        export.check()
        if is_postgres(database):
            with driver_needed():
                from waypost.store.postgres.importing import (  # noqa: PLC0415 - an extra, and slow to import
                    import_into as import_into_postgres,
                )
            facts = import_into_postgres(database_url(database), export, endings=ENDINGS)
        else:
            facts = import_into(database, export, endings=ENDINGS, lock_timeout=lock_timeout)
        return Imported(facts=facts, counts=dict(export.counts))


def _snapshot(waypost: Waypost) -> AbstractContextManager[Source]:
    store = waypost.store
    if isinstance(store, SqliteStore):
        return snapshot_of_store(store)
    from waypost.store.postgres.engine import PostgresStore  # noqa: PLC0415 - imported already, since a store of it is open
    from waypost.store.postgres.exporting import snapshot_of_database  # noqa: PLC0415 - as above

    assert isinstance(store, PostgresStore)
    return snapshot_of_database(store.pool.info)


def _snapshot_at(database: str, lock_timeout: float) -> AbstractContextManager[Source]:
    if not is_postgres(database):
        return snapshot_of_file(database, lock_timeout=lock_timeout)
    with driver_needed():
        from waypost.store.postgres.exporting import snapshot_of_database  # noqa: PLC0415 - an extra, and slow to import
    return snapshot_of_database(database_url(database))


def _to_file(snapshot: AbstractContextManager[Source], target: Path, *, own: str, overwrite: bool) -> Exported:
    place = real_path(target)
    if place in [Path(f"{own}{ending}") for ending in ("", "-wal", "-shm", ".lock")] or place.is_dir():
        raise InvalidInput(f"{place} cannot take an export. Nothing was written.", hint="Name a new file.")
    if place.exists() and not overwrite:  # said before a long export; looked at again when the file gets its name
        raise Conflict(f"{place} exists. It was left as it is.", hint="Choose another name, or say to overwrite it.")
    with snapshot as source:
        partial = partial_path(place)
        try:
            written = _write(source, place, partial)
        except OSError as error:
            raise unwritable(place, error) from error
    publish(partial, place, overwrite=overwrite)
    return Exported(path=place, written=written)


def _write(source: Source, place: Path, partial: Path) -> Written:
    """Writes the file under its temporary name. A failure removes it; who is killed leaves it to the next export of that name."""
    make_folder(place.parent)
    clear_partials(place)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | CLOSE_ON_EXEC, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            return write_export(source, file.write)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _readable(given: Path | BinaryIO, database: str) -> Iterator[BinaryIO]:
    """The export as a file that can be read twice. A stream is kept beside the store, where there is room for it, without a name."""
    if isinstance(given, Path):
        if not given.is_file():
            raise NotFound(f"There is no file {given}. Nothing was imported.", hint="Name what `waypost export` wrote.")
        with given.open("rb") as file:
            yield file
        return
    folder = None if is_postgres(database) else real_path(database).parent
    try:
        if folder is not None:
            make_folder(folder)
        kept = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed below
        with kept:
            shutil.copyfileobj(given, kept)
            yield kept
    except OSError as error:
        raise unwritable(folder or Path(tempfile.gettempdir()), error) from error
