"""The SQLite store: opens the file under its lock, brings it up to date, and joins the writer and the readers.

Order: SQLite's version, the place, the lock, the file, its schema, then the threads. What fails on the way undoes what came
before it. Knows no domain.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from waypost.kernel.time import Clock, SystemClock
from waypost.store.errors import StoreDamaged
from waypost.store.interface import StoreFacts, Transaction
from waypost.store.migrations import Migration, Upgrade, load_migrations
from waypost.store.sqlite.connections import check_version, open_plain, open_writer, sqlite_version
from waypost.store.sqlite.copying import copy_into, name_with_time, partial_path, publish
from waypost.store.sqlite.dialect import Statements
from waypost.store.sqlite.errors import translate
from waypost.store.sqlite.leftovers import clear_partials, undo_interrupted_restore
from waypost.store.sqlite.lock import TIMEOUT_SECONDS, StoreLock
from waypost.store.sqlite.place import Probe, check_file, check_file_system, file_system_of, make_file, real_path
from waypost.store.sqlite.readers import Readers
from waypost.store.sqlite.schema import look, migrate, read_facts
from waypost.store.sqlite.upkeep import WalUpkeep
from waypost.store.sqlite.writer import Writer

if TYPE_CHECKING:
    from waypost.store.interface import Store

__all__ = ["SqliteStore"]

T = TypeVar("T")


class SqliteStore:
    """A running store on one SQLite file. Made by `open`; safe to use from any thread; `close` it."""

    def __init__(
        self, *, facts: StoreFacts, upgrade: Upgrade, lock: StoreLock, writer: Writer, readers: Readers
    ) -> None:
        self._facts = facts
        self.upgrade = upgrade
        self._lock = lock
        self._writer = writer
        self.readers = readers

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        clock: Clock | None = None,
        migrations: Sequence[Migration] | None = None,
        vfs: str | None = None,
        lock_timeout: float = TIMEOUT_SECONDS,
        probe: Probe = file_system_of,
        upkeep: WalUpkeep | None = None,
    ) -> SqliteStore:
        """Opens the store at `path`, making and migrating it as needed, and holds its lock until `close`.

        Refuses with `store_busy` where another process has it open after `lock_timeout` seconds, `schema_newer`, and
        `store_unavailable` for an old SQLite, a network file system, a damaged, foreign or read-only file.
        """
        check_version(sqlite_version())
        place = real_path(path)
        check_file_system(place, probe)
        clock = clock or SystemClock()
        with contextlib.ExitStack() as undo:
            lock = StoreLock.acquire(place, timeout=lock_timeout)
            undo.callback(lock.release)
            undo_interrupted_restore(place)
            clear_partials(place)
            check_file(place)
            make_file(place)
            connection, upgrade = _up_to_date(place, migrations or load_migrations(), clock, vfs)
            undo.callback(connection.close)
            statements = Statements()
            try:
                facts = read_facts(connection, place)
                readers = Readers(str(place), statements=statements, clock=clock, vfs=vfs)
            except apsw.Error as error:
                raise translate(error) from error
            writer = Writer(
                connection,
                lambda: open_writer(str(place), vfs),
                statements=statements,
                clock=clock,
                upkeep=upkeep or WalUpkeep(),
            )
            undo.pop_all()
            return cls(facts=facts, upgrade=upgrade, lock=lock, writer=writer, readers=readers)

    @property
    def facts(self) -> StoreFacts:
        return self._facts

    def read(self, unit: Callable[[Transaction], T]) -> T:
        try:
            return self.readers.read(unit)
        except StoreDamaged as error:
            self._writer.condemn(error)
            raise

    def write(self, unit: Callable[[Transaction], T]) -> T:
        if self._writer.is_own_thread():
            raise RuntimeError("the store's thread would wait for itself; use submit in a listener")
        return self.submit(unit).result()

    def submit(self, unit: Callable[[Transaction], T]) -> Future[T]:
        return self._writer.submit(unit)

    def subscribe(self, listener: Callable[[int], None]) -> Callable[[], None]:
        return self._writer.subscribe(listener)

    def close(self) -> None:
        self._writer.close()
        self.readers.close()
        self._writer.disconnect()
        self._lock.release()


def _up_to_date(
    place: Path, migrations: Sequence[Migration], clock: Clock, vfs: str | None
) -> tuple[apsw.Connection, Upgrade]:
    """The writer's first connection, after the schema was looked at, the file copied where it is older, and migrated; and what was
    done."""
    steps = look(place, migrations, vfs)
    kept: Path | None = None
    if steps and len(steps) < len(migrations):
        kept = _keep_copy(place, schema=len(migrations) - len(steps), now=clock.now(), vfs=vfs)
    connection = open_writer(str(place), vfs)
    try:
        migrate(connection, steps, clock=clock.now)
    except BaseException:
        connection.close()
        raise
    return connection, Upgrade.by(steps, after=len(migrations), kept=str(kept) if kept else None)


def _keep_copy(place: Path, *, schema: int, now: int, vfs: str | None) -> Path:
    """Keeps the store as it is beside itself; the name says its schema and the time."""
    target = name_with_time(place, f"schema-{schema:04d}", now, ".backup")
    source = open_plain(str(place), vfs)
    try:
        copy_into(source, partial_path(target))
        publish(partial_path(target), target, overwrite=False)
    finally:
        source.close()
    return target


if TYPE_CHECKING:

    def _conforms(store: SqliteStore) -> Store:
        return store
