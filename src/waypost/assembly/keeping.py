"""Keeping a SQLite store well: backup, restore, and what `doctor` looks at. Doors go through here, because only the assembly knows
the engines."""

from __future__ import annotations

from pathlib import Path

from waypost.assembly.postgres import driver_needed
from waypost.assembly.waypost import Waypost
from waypost.client.folders import database_url
from waypost.client.postgres_url import is_postgres
from waypost.kernel.errors import InvalidInput
from waypost.mail.store import RESTORE_ENDINGS
from waypost.store.migrations import Upgrade
from waypost.store.sqlite.backup import backup, check
from waypost.store.sqlite.connections import check_version, sqlite_version
from waypost.store.sqlite.engine import SqliteStore
from waypost.store.sqlite.lock import TIMEOUT_SECONDS, StoreLock
from waypost.store.sqlite.place import check_file, check_file_system, file_system_of, real_path
from waypost.store.sqlite.restore import Restored, restore

__all__ = [
    "ENDINGS",
    "Restored",
    "Upgrade",
    "back_up",
    "check_engine",
    "check_place",
    "find_problems",
    "migrate_store",
    "restore_store",
]

ENDINGS = RESTORE_ENDINGS
"""What begins a new epoch in every domain, after a restore and after an import alike: each domain's own statements."""


def back_up(waypost: Waypost, target: Path, *, overwrite: bool = False) -> Path:
    """Writes a whole copy of a running store to `target` and answers its real path. Refuses `conflict` for a name that is taken
    unless `overwrite`, `invalid_input`, `store_unavailable`."""
    return backup(_sqlite(waypost), target, overwrite=overwrite)


def restore_store(source: Path, database: Path | str, *, lock_timeout: float = TIMEOUT_SECONDS) -> Restored:
    """Puts a backup in the place of a stopped store, as a new epoch in which no lease lives on. Refuses `store_busy` while a
    process has the store open, `not_found`, `invalid_input` (for a Postgres database too), `schema_newer` and `store_unavailable`; the
    store stays as it was then."""
    if is_postgres(str(database)):
        raise InvalidInput(
            "A Postgres database is restored by its own tools. Nothing was changed.",
            hint="Stop every node, then restore what pg_dump wrote, with pg_restore or psql, into an empty database.",
        )
    return restore(source, Path(database), endings=ENDINGS, lock_timeout=lock_timeout)


def migrate_store(database: Path | str, *, lock_timeout: float = TIMEOUT_SECONDS) -> Upgrade:
    """Brings the store at `database` up to date without serving it, making it where there is none, and answers what that took; an
    older SQLite file is copied first. Refuses as opening it does."""
    if is_postgres(str(database)):
        with driver_needed():
            from waypost.store.postgres.engine import PostgresStore  # noqa: PLC0415 - an extra, and slow to import
        store: SqliteStore | PostgresStore = PostgresStore.open(database_url(str(database)), sequences=False)
    else:
        store = SqliteStore.open(database, lock_timeout=lock_timeout)
    try:
        return store.upgrade
    finally:
        store.close()


def find_problems(waypost: Waypost) -> list[str]:
    """What is wrong with the store's pages, indexes and references; empty where all is well."""
    return check(_sqlite(waypost))


def check_engine() -> str:
    """The version of SQLite. Refuses `store_unavailable` for one with a known fault."""
    check_version(sqlite_version())
    return sqlite_version()


def check_place(database: Path | str) -> str:
    """Looks at where a store lies and whether another process has it open, without opening or making it, and says what it found.
    Refuses `store_unavailable` and `store_busy`."""
    if is_postgres(str(database)):
        from waypost.store.postgres.connections import look_at  # noqa: PLC0415 - an extra, and slow to import

        return f"{database} can be reached and written: Postgres {look_at(database_url(str(database)))}"
    place = real_path(database)
    check_file_system(place, file_system_of)
    if place.exists():
        StoreLock.acquire(place, timeout=0.0).release()
        check_file(place)
    return f"{database} is free"


def _sqlite(waypost: Waypost) -> SqliteStore:
    if not isinstance(waypost.store, SqliteStore):
        raise InvalidInput(
            "A Postgres database is backed up by its own tools. Nothing was written.",
            hint="Run pg_dump --format=custom --schema=waypost on it, at any time; or set up continuous archiving.",
        )
    return waypost.store
