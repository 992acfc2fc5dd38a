"""A real Postgres in trouble: its disk full, a statement that takes too long. What is refused was not stored, and it goes on after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.operations.office import Office
from tests.postgres.conftest import Nodes
from tests.postgres_cluster import find_binaries, own_cluster, url_of
from tests.promises.marks import promise
from waypost.kernel.errors import StoreBusy, StoreFull
from waypost.store.interface import Query

FULL = Path("/dev/full")
"""Takes no byte and says that no space is left: the file of an empty table that stands for it is on a full disk."""


@pytest.mark.slow
@pytest.mark.timeout(180)  # makes a cluster and starts it three times
@promise("postgres.errors.clear")
def test_a_full_disk_is_said_so_and_nothing_is_stored_until_there_is_space() -> None:
    if find_binaries() is None or not FULL.exists():
        pytest.skip("no Postgres of our own can be started and stopped, or there is no /dev/full")
    with own_cluster() as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("create database post template template0 encoding 'UTF8'")
        url = url_of(server.url, "post")
        office = Office(url)
        office.add("a", "b")
        office.waypost.close()
        with psycopg.connect(url) as connection:
            found: Any = connection.execute("select pg_relation_filepath('waypost.messages')").fetchone()
        file = server.folder / "data" / str(found[0])
        assert file.stat().st_size == 0
        server.stop("fast")
        kept = file.rename(file.with_name("kept"))
        file.symlink_to(FULL)
        server.start()
        office.reopen()
        before = office.everything()
        for _ in range(2):
            with pytest.raises(StoreFull, match=r"disk is full\. Nothing of this request was stored") as refusal:
                office.send()
            assert refusal.value.problem()["status"] == 507
        assert office.everything() == before
        office.waypost.close()
        server.stop("fast")
        kept.replace(file)
        server.start()
        office.reopen()
        sent = office.send()["message_id"]
        assert office.ids(project="b") == [sent]
        office.waypost.close()


@promise("postgres.errors.clear")
def test_a_statement_that_takes_too_long_is_ended_and_said_so(node: Nodes) -> None:
    store = node()
    hurry = Query(name="hurry", text="select set_config('statement_timeout', '50ms', true)")
    sleep = Query(name="sleep", text="select pg_sleep(60)")
    put = Query(name="put", text="insert into store_info (key, value) values ('late', '')")

    def unit(tx: Any) -> None:
        tx.put(put)
        tx.rows(hurry)
        tx.rows(sleep)

    with pytest.raises(StoreBusy, match="took too long"):
        store.write(unit)
    late = Query(name="late", text="select count(*) as late from store_info where key = 'late'")
    assert store.read(lambda tx: tx.rows(late)) == [{"late": 0}]
