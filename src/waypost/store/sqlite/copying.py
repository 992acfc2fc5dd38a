"""Whole copies of a database: a consistent snapshot in short steps, under a temporary name, durable before it gets its own.

The copy is one file without a WAL, for its owner alone. Nothing that has the name already is replaced unless told. Knows SQLite's
pages, not the store's tables.
"""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import apsw

from waypost.kernel.errors import Conflict, StoreFull
from waypost.store.errors import StoreDamaged
from waypost.store.sqlite.connections import open_plain
from waypost.store.sqlite.errors import translate
from waypost.store.sqlite.leftovers import clear_partials
from waypost.store.sqlite.place import FILE_MODE, make_folder, sync_folder, unwritable

__all__ = ["copy_into", "name_with_time", "partial_path", "publish"]

PAGES_AT_ONCE: Final = 256


def name_with_time(place: Path, what: str, now: int, ending: str = "") -> Path:
    """The path of a file kept beside a store: what it is and when it was kept, in UTC."""
    moment = datetime.fromtimestamp(now / 1_000_000, UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return place.with_name(f"{place.name}.{what}.{moment}{ending}")


def partial_path(target: Path) -> Path:
    """The temporary name of a file that is being made."""
    return target.with_name(f".{target.name}.{os.getpid()}.partial")


def _target_of(partial: Path) -> Path:
    """The name that a partial file is made for."""
    return partial.with_name(partial.name[1:].rsplit(".", 2)[0])


def copy_into(source: apsw.Connection, partial: Path) -> None:
    """Copies what `source` sees at this moment into a new file `partial`, whole and checked. A failure removes the file."""
    try:
        make_folder(partial.parent)
        clear_partials(_target_of(partial))
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))
    except OSError as error:
        raise unwritable(partial, error) from error
    try:
        _copy(source, partial)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, apsw.FullError):
            raise StoreFull(f"The disk that holds {partial.parent} is full. No copy was kept.") from error
        raise translate(error) from error


def publish(partial: Path, target: Path, *, overwrite: bool) -> None:
    """Gives a finished file its name, durably. Refuses (`conflict`) a name that is taken unless `overwrite`; the partial file is
    removed then."""
    try:
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        if overwrite:
            partial.replace(target)
        else:
            _take_free_name(partial, target)
        sync_folder(target.parent)
    except FileExistsError as error:
        partial.unlink(missing_ok=True)
        raise Conflict(
            f"{target} exists. It was left as it is.", hint="Choose another name, or say to overwrite it."
        ) from error
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise unwritable(target, error) from error


def _take_free_name(partial: Path, target: Path) -> None:
    """A link refuses a taken name in one step; where the file system has no links, looking first must do."""
    try:
        target.hardlink_to(partial)
    except FileExistsError:
        raise
    except OSError:
        if target.exists():
            raise FileExistsError(target) from None
        partial.rename(target)
    else:
        partial.unlink()


def _copy(source: apsw.Connection, partial: Path) -> None:
    cursor = source.cursor()
    copy = open_plain(str(partial), None)
    try:
        cursor.execute("begin")
        cursor.execute("select count(*) from sqlite_schema").fetchall()  # the snapshot that the whole copy is made of
        with copy.backup("main", source, "main") as steps:
            while not steps.done:
                steps.step(PAGES_AT_ONCE)
        copy.pragma("journal_mode", "delete")
        problems = [row[0] for row in copy.execute("pragma quick_check(1)")]
        if problems != ["ok"]:
            raise StoreDamaged(
                "The copy did not pass SQLite's check, so the store itself is damaged. No copy was kept."
            )
    finally:
        copy.close()
        with contextlib.suppress(apsw.Error):
            if source.in_transaction:
                cursor.execute("rollback")
