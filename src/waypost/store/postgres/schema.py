"""Brings the database's schema up to date, and reads what names the store.

Any number of nodes may start at once: one holds the advisory lock and migrates, the others wait for it and find it done. Each
migration is one transaction, which waits for the units that write and keeps new ones waiting until it has committed; one that is not
additive leaves older nodes behind. Knows nothing of what the tables mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import psycopg

from waypost.kernel.errors import StoreBusy, StoreUnavailable
from waypost.kernel.ids import new_id
from waypost.store.errors import StoreForeign
from waypost.store.interface import StoreFacts
from waypost.store.migrations import Applied, Migration, Upgrade, pending
from waypost.store.postgres.connections import SCHEMA
from waypost.store.postgres.dialect import script
from waypost.store.postgres.errors import translate
from waypost.store.postgres.versions import OLDEST_KEY, SCHEMA_LOCK, SERVED
from waypost.store.postgres.wire import Connection

__all__ = ["MIGRATION_LOCK", "applied_steps", "bring_up_to_date", "read_facts", "run_step"]

MIGRATION_LOCK: Final = 0x57505354_0001
"""The key of the advisory lock under which one node migrates."""
WAIT_MS: Final = 120_000
MOST_RUNS: Final = 10
LEAVE_BEHIND: Final = """
insert into store_info (key, value) values (%s, %s) on conflict (key) do update set value = excluded.value
"""
TABLES: Final = "select relname as name from pg_class where relnamespace = to_regnamespace(%s) and relkind = 'r'"


def bring_up_to_date(
    connection: Connection, migrations: Sequence[Migration], place: str, *, clock: Callable[[], int]
) -> Upgrade:
    """Runs the steps that the database lacks, and answers what it did. Refuses a newer schema, other migrations, and a schema of somebody else; the
    database is left as it was then. The connection is set up for Waypost's schema."""
    try:
        if not _pending(connection, migrations, place):
            return Upgrade.by((), after=len(migrations))
        connection.execute(f"set lock_timeout = {WAIT_MS}")
        connection.execute("set statement_timeout = 0")
        connection.execute(f"select pg_advisory_lock({MIGRATION_LOCK})")
        try:
            steps = _pending(connection, migrations, place)
            for step in steps:
                _run(connection, step, clock())
        finally:
            if not connection.closed:
                connection.execute(f"select pg_advisory_unlock({MIGRATION_LOCK})")
    except psycopg.Error as error:
        raise translate(error) from error
    return Upgrade.by(steps, after=len(migrations))


def read_facts(connection: Connection, place: str, version: str) -> StoreFacts:
    """What names the store. Refuses (`store_unavailable`) where the store has lost it."""
    info = {row["key"]: row["value"] for row in connection.execute("select key, value from store_info")}
    row: Any = connection.execute("select max(version) as schema from schema_migrations").fetchone()
    try:
        return StoreFacts(
            store_id=info["store_id"],
            created_at=int(info["created_at"]),
            epoch=int(info["epoch"]),
            engine="postgres",
            engine_version=version,
            schema=row["schema"],
            place=place,
        )
    except (KeyError, ValueError) as error:
        raise StoreForeign(f"{place} has lost what names it as a Waypost store. It was left as it is.") from error


def _pending(connection: Connection, migrations: Sequence[Migration], place: str) -> Sequence[Migration]:
    applied = applied_steps(connection, place)
    row: Any = connection.execute(f"select {SERVED} as served").fetchone() if applied else {"served": 0}
    return pending(migrations, applied, served=row["served"])


def _run(connection: Connection, step: Migration, now: int) -> None:
    """Runs one step; again where readers and it waited for each other, since of those one has to give way."""
    for _ in range(MOST_RUNS - 1):
        try:
            return run_step(connection, step, now)
        except StoreBusy:
            continue
    return run_step(connection, step, now)


def applied_steps(connection: Connection, place: str) -> list[Applied]:
    """The steps that the database went through. Refuses (`store_unavailable`) a schema of somebody else."""
    rows = connection.execute(TABLES, (SCHEMA,))
    names = {row["name"] for row in rows}
    if not names:
        return []
    if "schema_migrations" not in names:
        raise StoreForeign(
            f"The schema {SCHEMA} of {place} belongs to another program. It was left as it is.",
            hint="Give Waypost a database of its own.",
        )
    rows = connection.execute("select version, name, checksum from schema_migrations order by version")
    return [Applied(version=row["version"], name=row["name"], checksum=row["checksum"]) for row in rows]


def run_step(connection: Connection, step: Migration, now: int) -> None:
    """Runs one step in a transaction, or within the one that is open. Refuses (`store_unavailable`) where it fails, `store_busy` where
    others held what it needed."""
    try:
        with connection.transaction():
            if step.version == 1:
                _make_schema(connection)
            else:
                connection.execute(f"select pg_advisory_xact_lock({SCHEMA_LOCK})")
            connection.execute(script(step.text).encode())
            if step.version == 1:
                _name(connection, now)
            if not step.additive:
                connection.execute(LEAVE_BEHIND, (OLDEST_KEY, str(step.version)))
            connection.execute(
                "insert into schema_migrations (version, name, checksum, applied_at) values (%s, %s, %s, %s)",
                (step.version, step.name, step.checksum, now),
            )
    except psycopg.Error as error:
        known = translate(error)
        if isinstance(known, StoreUnavailable | StoreBusy):
            raise known from error
        raise StoreForeign(
            f"Migration {step.version:04d} ('{step.name}') failed ({type(error).__name__}). The store is as it was before it.",
            hint="Report this with the log.",
        ) from error


def _make_schema(connection: Connection) -> None:
    """Makes the schema, unless an administrator has made it for an account that may not."""
    row = connection.execute("select to_regnamespace(%s) as there", (SCHEMA,)).fetchone()
    if row is not None and row["there"] is None:
        connection.execute(f"create schema {SCHEMA}")


def _name(connection: Connection, now: int) -> None:
    names = [("store_id", new_id()), ("created_at", str(now)), ("epoch", "1")]
    with connection.cursor() as cursor:
        cursor.executemany("insert into store_info (key, value) values (%s, %s)", names)
