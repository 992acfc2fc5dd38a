"""A node says that it has the database open as long as it does, also after its connection was lost; so no import slips in."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.crash.waiting import wait_until
from tests.operations.office import Office
from tests.promises.marks import promise
from tests.transfer.conftest import Places
from tests.transfer.filling import Schema, made_up
from waypost.kernel.errors import StoreBusy
from waypost.store.postgres.connections import OPEN_LOCK
from waypost.store.postgres.engine import PostgresStore

HOLDERS = """
select pid from pg_locks where locktype = 'advisory' and granted and database = (
  select oid from pg_database where datname = current_database()
) and classid = %s and objid = %s
"""
LOCK = (OPEN_LOCK >> 32, OPEN_LOCK & 0xFFFF_FFFF)


def holders(connection: psycopg.Connection[Any]) -> set[int]:
    return {row[0] for row in connection.execute(HOLDERS, LOCK)}


@promise("store.import.needs_stopped")
def test_a_node_that_lost_its_connection_takes_the_lock_again(schema: Schema, places: Places) -> None:
    place = places("postgres")
    office = Office(place.database)
    with psycopg.connect(place.database, autocommit=True) as connection:
        (first,) = holders(connection)
        connection.execute("select pg_terminate_backend(%s)", (first,))
        wait_until(lambda: holders(connection) - {first}, "the lock on a new connection")
    with pytest.raises(StoreBusy):
        place.take(made_up(schema, 1))
    office.waypost.close()


@promise("store.import.needs_stopped")
def test_a_node_that_starts_during_an_import_is_told_so(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    place = places("postgres")
    monkeypatch.setattr("waypost.store.postgres.connections.LOCK_TIMEOUT_MS", 1)
    with psycopg.connect(place.database) as connection:
        connection.execute("select pg_advisory_xact_lock(%s)", (OPEN_LOCK,))
        with pytest.raises(StoreBusy, match="being imported"):
            PostgresStore.open(place.database)
