"""Brings a backup back in place of a stopped store, as a new epoch.

What is restored is finished and checked under a temporary name before the old file loses its own; the old file is kept. The new
epoch lies above those of both files, so every cursor from before gets an explicit gap, and the domains' statements end leases
and lift their generations above every earlier one. Knows no domain: their statements are given.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import apsw

from waypost.kernel.errors import InvalidInput, NotFound, StoreUnavailable
from waypost.kernel.time import Clock, SystemClock
from waypost.store.epochs import GENERATIONS_PER_EPOCH, ending_parameters
from waypost.store.errors import StoreDamaged
from waypost.store.interface import Query, StoreFacts
from waypost.store.migrations import Migration, load_migrations, pending
from waypost.store.sqlite.connections import check_version, open_plain, open_still, open_to_look, sqlite_version
from waypost.store.sqlite.copying import copy_into, name_with_time, partial_path, publish
from waypost.store.sqlite.dialect import script
from waypost.store.sqlite.errors import translate
from waypost.store.sqlite.leftovers import give_back, undo_interrupted_restore
from waypost.store.sqlite.lock import TIMEOUT_SECONDS, StoreLock
from waypost.store.sqlite.place import (
    Probe,
    check_file_system,
    check_header,
    file_system_of,
    real_path,
    sync_folder,
    unwritable,
)
from waypost.store.sqlite.schema import applied_steps, migrate, read_facts

__all__ = ["GENERATIONS_PER_EPOCH", "Restored", "renew", "restore", "take_place"]

EPOCHS_OVER_UNREADABLE: Final = 1_000
"""How far the epoch jumps where the replaced file cannot be read, so that its own epoch is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Restored:
    """What a restore left: the store's new facts, and where the replaced file is kept, if there was one."""

    facts: StoreFacts
    kept: Path | None


def restore(
    source: str | Path,
    path: str | Path,
    *,
    endings: Sequence[Query] = (),
    clock: Clock | None = None,
    migrations: Sequence[Migration] | None = None,
    lock_timeout: float = TIMEOUT_SECONDS,
    probe: Probe = file_system_of,
) -> Restored:
    """Puts the backup `source` in place of the store at `path`, migrated, as a new epoch; needs the store stopped.

    `endings` are the domains' statements in the shared dialect; each may use `:now`, `:epoch` and `:generation_floor`.
    Refuses with `store_busy`, `not_found`, `invalid_input`, `schema_newer` and `store_unavailable`; a refusal leaves the store as it was.
    """
    check_version(sqlite_version())
    backup, place = real_path(source), real_path(path)
    if backup == place:
        raise InvalidInput("The backup is the store itself. Nothing was changed.", hint="Name another file to restore.")
    if not backup.is_file():
        raise NotFound(
            f"There is no file {backup}. Nothing was changed.", hint="Name the file that `waypost backup` wrote."
        )
    check_file_system(place, probe)
    steps = migrations or load_migrations()
    now = (clock or SystemClock()).now()
    lock = StoreLock.acquire(place, timeout=lock_timeout)
    partial = partial_path(place)
    try:
        undo_interrupted_restore(place)
        lacking, epoch = _take(backup, partial, steps)
        epoch = max(epoch, _replaced_epoch(place, source_epoch=epoch)) + 1
        facts = renew(partial, place, steps=lacking, endings=endings, now=now, epoch=epoch)
        return Restored(facts=facts, kept=take_place(partial, place, now))
    finally:
        partial.unlink(missing_ok=True)
        lock.release()


def _take(backup: Path, partial: Path, steps: Sequence[Migration]) -> tuple[Sequence[Migration], int]:
    """Copies the backup after checking it whole; answers the migrations that it lacks, and its epoch."""
    check_header(backup)
    connection = open_still(str(backup))
    try:
        lacking = pending(steps, applied_steps(connection, backup))
        epoch = read_facts(connection, backup).epoch
        if connection.execute("pragma integrity_check(1)").get != "ok":
            raise StoreDamaged(
                f"{backup} did not pass SQLite's check. Nothing was changed.", hint="Restore an older backup."
            )
        copy_into(connection, partial)
        return lacking, epoch
    except apsw.Error as error:
        raise translate(error) from error
    finally:
        connection.close()


def _replaced_epoch(place: Path, *, source_epoch: int) -> int:
    if not place.exists() or place.stat().st_size == 0:
        return source_epoch
    try:
        connection = open_to_look(str(place), None)
        try:
            return read_facts(connection, place).epoch
        finally:
            connection.close()
    except (apsw.Error, StoreUnavailable):  # damaged, which may be why a backup is brought back
        return source_epoch + EPOCHS_OVER_UNREADABLE


def take_place(partial: Path, place: Path, now: int) -> Path | None:
    """Gives a finished file the store's name; answers where the file is kept that had it, if there was one. Needs the lock."""
    kept = _keep(place, now)
    try:
        publish(partial, place, overwrite=kept is not None)
    except BaseException:
        if kept is not None:
            give_back(place, kept)
        raise
    return kept


def renew(
    partial: Path, place: Path, *, steps: Sequence[Migration], endings: Sequence[Query], now: int, epoch: int
) -> StoreFacts:
    """Migrates the finished file `partial`, begins the epoch there, and ends what must not live on; answers what will name the store at
    `place`. The one way into a new epoch on SQLite: an import goes it too."""
    connection = open_plain(str(partial), None)
    try:
        migrate(connection, steps, clock=lambda: now)
        given = ending_parameters(now=now, epoch=epoch)
        cursor = connection.cursor()
        cursor.execute("begin immediate")
        cursor.execute("update store_info set value = :epoch where key = 'epoch'", {"epoch": str(epoch)})
        for ending in endings:
            cursor.execute(script(ending.text), given).fetchall()
        cursor.execute("commit")
        return read_facts(connection, place)
    except apsw.Error as error:
        raise translate(error) from error
    finally:
        connection.close()


def _empty_wal(place: Path) -> None:
    """Brings what only the WAL holds into the file, because a crash between a copy and the new name could not be told from a store
    without a WAL. A damaged store stays as it is. Refuses (`store_unavailable`) where the disk has no room for it."""
    try:
        connection = open_plain(str(place), None)
        try:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            connection.close()
    except apsw.FullError as error:
        raise translate(error) from error
    except (apsw.Error, StoreUnavailable):
        return


def _keep(place: Path, now: int) -> Path | None:
    """Gives the file that is replaced a second name, with its WAL where it could not be emptied. Its own name stays until the
    restored file takes it, so that a crash never leaves a path without a store."""
    if not place.exists():
        return None
    kept = name_with_time(place, "replaced", now)
    try:
        try:
            kept.hardlink_to(place)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            _empty_wal(place)
            shutil.copy2(place, kept)
        with contextlib.suppress(FileNotFoundError):
            Path(f"{place}-wal").rename(f"{kept}-wal")
        Path(f"{place}-shm").unlink(missing_ok=True)
        sync_folder(place.parent)
    except OSError as error:
        raise unwritable(kept, error) from error
    return kept
