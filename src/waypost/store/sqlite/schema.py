"""Brings a store's schema up to date, and reads what names the store.

Runs under the store's lock, before any unit. Each migration is one transaction; foreign keys are off in it and checked before
its end, so that a table can be rebuilt. A store that already exists is copied first. Knows nothing of what the tables mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from waypost.kernel.errors import StoreUnavailable
from waypost.kernel.ids import new_id
from waypost.store.errors import StoreForeign
from waypost.store.interface import StoreFacts
from waypost.store.migrations import Applied, Migration, pending
from waypost.store.sqlite.connections import APPLICATION_ID, open_to_look, sqlite_version
from waypost.store.sqlite.dialect import script
from waypost.store.sqlite.errors import translate

__all__ = ["applied_steps", "look", "migrate", "read_facts"]


def look(path: Path, migrations: Sequence[Migration], vfs: str | None) -> Sequence[Migration]:
    """The steps that the file lacks; all of them for an empty file. Refuses a database of somebody else, a newer schema and a
    store with other migrations. Changes nothing."""
    if path.stat().st_size == 0:
        return migrations
    try:
        connection = open_to_look(str(path), vfs)
    except apsw.Error as error:
        raise translate(error) from error
    try:
        return pending(migrations, applied_steps(connection, path))
    except apsw.Error as error:
        raise translate(error) from error
    finally:
        connection.close()


def applied_steps(connection: apsw.Connection, path: Path) -> list[Applied]:
    """The steps that a store went through. Refuses (`store_unavailable`) a database that is not Waypost's."""
    application = connection.pragma("application_id")
    names = {row[0] for row in connection.execute("select name from sqlite_schema where type = 'table'")}
    if not names and application in {0, APPLICATION_ID}:
        return []
    if application != APPLICATION_ID or "schema_migrations" not in names:
        raise StoreForeign(
            f"{path} is a database of another program. It was left as it is.",
            hint="Choose another path with --database.",
        )
    rows = connection.execute("select version, name, checksum from schema_migrations order by version")
    return [Applied(version=row[0], name=row[1], checksum=row[2]) for row in rows]


def migrate(connection: apsw.Connection, steps: Sequence[Migration], *, clock: Callable[[], int]) -> None:
    """Runs the steps in order, each in one transaction. A step that fails leaves the store as the step before it made it."""
    if not steps:
        return
    connection.pragma("foreign_keys", 0)
    try:
        for step in steps:
            _run(connection, step, clock())
    finally:
        connection.pragma("foreign_keys", 1)


def read_facts(connection: apsw.Connection, path: Path) -> StoreFacts:
    """What names the store. Refuses (`store_unavailable`) where the store has lost it."""
    info = {str(row[0]): str(row[1]) for row in connection.execute("select key, value from store_info")}
    schema = connection.execute("select max(version) from schema_migrations").get
    try:
        return StoreFacts(
            store_id=info["store_id"],
            created_at=int(info["created_at"]),
            epoch=int(info["epoch"]),
            engine="sqlite",
            engine_version=sqlite_version(),
            schema=schema,
            place=str(path),
        )
    except (KeyError, ValueError) as error:
        raise StoreForeign(f"{path} has lost what names it as a Waypost store. It was left as it is.") from error


def _run(connection: apsw.Connection, step: Migration, now: int) -> None:
    cursor = connection.cursor()
    try:
        cursor.execute("begin immediate")
        cursor.execute(script(step.text))
        if step.version == 1:
            _name(cursor, now)
        broken = cursor.execute("pragma foreign_key_check").fetchall()
        if broken:
            raise StoreUnavailable(f"it leaves {len(broken)} rows without what they refer to.")  # noqa: TRY301 - rolled back below
        cursor.execute(
            "insert into schema_migrations (version, name, checksum, applied_at) values (?, ?, ?, ?)",
            (step.version, step.name, step.checksum, now),
        )
        cursor.execute("commit")
    except BaseException as error:
        if connection.in_transaction:
            cursor.execute("rollback")
        known = translate(error)
        if isinstance(known, StoreUnavailable) and known is not error:
            raise known from error
        raise StoreForeign(
            f"Migration {step.version:04d} ('{step.name}') failed: {error} The store is as it was before it.",
            hint="The copy from before the migration lies beside the store; report this with the log.",
        ) from error


def _name(cursor: apsw.Cursor, now: int) -> None:
    cursor.execute(f"pragma application_id = {APPLICATION_ID}")
    cursor.executemany(
        "insert into store_info (key, value) values (?, ?)",
        [("store_id", new_id()), ("created_at", str(now)), ("epoch", "1")],
    )
