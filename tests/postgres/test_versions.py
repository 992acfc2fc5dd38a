"""Nodes of two versions beside each other while the newer one migrates: real processes, the newer one from a copy of the sources with
one more migration."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import waypost
from tests.crash.home import ROOT, Home, ServerProcess, ask
from tests.crash.waiting import wait_until
from tests.postgres.conftest import Nodes, Raw
from tests.promises.marks import promise
from tests.store.stores import WAIT_SECONDS
from waypost.client.run_file import RunFile
from waypost.kernel.errors import SchemaNewer, StoreUnavailable
from waypost.store.interface import Query
from waypost.store.migrations import load_migrations, migration
from waypost.store.postgres import PostgresStore
from waypost.store.postgres.versions import SCHEMA_LOCK

ADDITIVE = "-- additive: nothing that an older node knows changes its meaning.\n"
STEP = """
create table next_things (
  id text not null primary key,
  workspace text not null
) {strict};

alter table messages add column next_mark text;
alter table projects add column next_mark text;
"""
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "message_list", "arguments": {"project": "default/web"}},
}
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25", "Waypost-Door": "mcp"}


class Sender:
    """Sends through one node, call after call, and notes what each was answered."""

    def __init__(self, run: RunFile) -> None:
        self.acknowledged: list[str] = []
        self.refused: list[str] = []
        self._run = run
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def until(self, count: int) -> None:
        """Waits for so many further answers."""
        before = len(self.acknowledged) + len(self.refused)
        wait_until(lambda: len(self.acknowledged) + len(self.refused) >= before + count, "more answers", seconds=60)

    def stop(self) -> None:
        self._over.set()
        self._thread.join(WAIT_SECONDS)

    def _work(self) -> None:
        number = 0
        while not self._over.is_set():
            number += 1
            try:
                status, found = send(self._run, f"number {number}")
            except StoreUnavailable:
                return  # the node was killed in the middle of this one
            if status < 300:
                self.acknowledged.append(found["message_id"])
            else:
                self.refused.append(found["code"])


def send(run: RunFile, body: str) -> tuple[int, dict[str, Any]]:
    """One message from web to web."""
    fields = {"from_project": "default/web", "to_project": "default/web", "body": body}
    status, words = ask(run, "POST", "/v1/messages", json.dumps(fields).encode())
    return status, json.loads(words)


def listed(run: RunFile) -> set[str]:
    """The ids that a node shows in web's outbox."""
    query = {"project": "default/web", "box": "outbox", "status": "all", "limit": 200}
    found: set[str] = set()
    while True:
        status, words = ask(run, "GET", "/v1/messages", query=query)
        assert status == 200, words
        page = json.loads(words)
        found |= {item["id"] for item in page["items"]}
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


@pytest.fixture
def older(postgres_url: str, tmp_path: Path) -> Iterator[ServerProcess]:
    """A node of this version, whose limits let a test send as fast as it can."""
    with node_at(tmp_path / "older", postgres_url) as server:
        yield server


def node_at(folder: Path, url: str, **changes: str) -> ServerProcess:
    """A node in a home of its own, without bounds that many sends would meet."""
    config = folder / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[limits]\ninbox = 100000\n", encoding="utf-8")
    return ServerProcess(Home(folder, url=url), **changes)


def newer(tmp_path: Path, url: str, step: str) -> ServerProcess:
    """A node from a copy of the sources with one more migration."""
    sources = tmp_path / "sources"
    shutil.copytree(Path(waypost.__file__).parent, sources / "waypost", ignore=shutil.ignore_patterns("__pycache__"))
    number = len(load_migrations()) + 1
    (sources / "waypost" / "store" / "migrations" / f"{number:04d}_next.sql").write_text(step, encoding="utf-8")
    return node_at(tmp_path / "newer", url, PYTHONPATH=f"{sources}:{ROOT}")


@pytest.mark.slow
@pytest.mark.timeout(300)  # starts several servers; a slow machine is no failure
@promise("postgres.versions.side_by_side")
def test_an_older_node_goes_on_across_an_additive_migration(
    older: ServerProcess, postgres_url: str, tmp_path: Path
) -> None:
    run = older.start()
    ask(run, "PUT", "/v1/projects/default/web", b"{}")
    sender = Sender(run)
    try:
        sender.until(20)
        with newer(tmp_path, postgres_url, ADDITIVE + STEP) as other:
            new = other.start()
            sender.until(20)
            assert ask(run, "GET", "/readyz")[0] == 200
            older.kill()  # in the middle of a send, whose answer is lost
            sender.stop()
            again = older.start()
            sender_again = Sender(again)
            sender_again.until(5)
            sender_again.stop()
            assert sender.refused == sender_again.refused == []
            acknowledged = {*sender.acknowledged, *sender_again.acknowledged}
            assert acknowledged <= listed(new) == listed(again)
            assert len(listed(new) - acknowledged) <= 1
    finally:
        sender.stop()


@pytest.mark.slow
@pytest.mark.timeout(300)  # as above
@promise("postgres.versions.side_by_side", "postgres.errors.clear")
def test_an_older_node_says_at_every_door_that_a_migration_left_it_behind_and_acknowledges_nothing_more(
    older: ServerProcess, postgres_url: str, tmp_path: Path
) -> None:
    run = older.start()
    ask(run, "PUT", "/v1/projects/default/web", b"{}")
    sender = Sender(run)
    try:
        sender.until(20)
        with newer(tmp_path, postgres_url, STEP) as other:
            new = other.start()
            sender.until(20)
            sender.stop()
            assert listed(new) == set(sender.acknowledged)
            assert set(sender.refused) == {"schema_newer"}
            for method, path, body in (
                ("GET", "/readyz", None),
                ("GET", "/v1/messages?project=default/web", None),
                ("POST", "/v1/messages", b'{"from_project": "web", "to_project": "web", "body": "late"}'),
            ):
                status, words = ask(run, method, path, body)
                assert (status, json.loads(words)["code"]) == (503, "schema_newer"), path
            assert b"schema_newer" in ask(run, "POST", "/mcp", json.dumps(CALL).encode(), headers=MCP)[1]
            assert ask(run, "GET", "/healthz")[0] == 200
            assert "schema_newer" in older.home.command("message", "list", "--project", "web", "--json")[1]
            assert older.stop() == 0
            ended, said = older.home.run("-m", "waypost", "serve", WAYPOST_PORT="0")
            assert (ended, "schema_newer" in said) == (1, True), said
            assert send(new, "goes on")[0] == 200
    finally:
        sender.stop()


NUMBER = len(load_migrations()) + 1


def step(text: str) -> Any:
    return migration(f"{NUMBER:04d}_next.sql", text)


@promise("postgres.versions.side_by_side", "postgres.migrations.any_number")
def test_a_migration_that_leaves_nodes_behind_waits_for_the_units_that_write(
    node: Nodes, raw: Raw, postgres_url: str
) -> None:
    store = node()
    go, running = threading.Event(), threading.Event()
    count = Query(name="count", text="select count(*) as messages from messages")

    def unit(tx: Any) -> int:
        tx.rows(count)
        running.set()
        assert go.wait(WAIT_SECONDS)
        return int(tx.rows(count)[0]["messages"])

    writing = store.submit(unit)
    assert running.wait(WAIT_SECONDS)
    opened: list[PostgresStore] = []
    steps = [*load_migrations(), step("alter table messages rename to letters;")]
    migrating = threading.Thread(target=lambda: opened.append(PostgresStore.open(postgres_url, migrations=steps)))
    migrating.start()
    watcher = raw()
    watcher.autocommit = True
    waiting = f"select count(*) from pg_locks where locktype = 'advisory' and objid = {SCHEMA_LOCK & 0xFFFFFFFF} and not granted"
    while watcher.execute(waiting.encode()).fetchone() == (0,):
        assert migrating.is_alive()
    later = store.submit(unit)
    go.set()
    assert writing.result(WAIT_SECONDS) == 0
    migrating.join(WAIT_SECONDS)
    with pytest.raises(SchemaNewer, match="this node knows schema"):
        later.result(WAIT_SECONDS)
    with pytest.raises(SchemaNewer):
        store.read(lambda tx: tx.rows(count))
    opened[0].close()


@promise("postgres.versions.side_by_side")
def test_the_journal_of_a_database_that_left_a_node_behind_is_given_no_positions_by_it(
    node: Nodes, postgres_url: str
) -> None:
    store = node()
    steps = [*load_migrations(), step("select 1;")]
    PostgresStore.open(postgres_url, migrations=steps, sequences=False).close()
    with psycopg.connect(postgres_url, options="-c search_path=waypost") as beside:
        beside.execute("insert into journal (at, kind, subject_id, version, door) values (1, 'kind', 'late', 1, 'cli')")
    store.follower.nudge()
    store.close()  # which gives what is left its positions first
    newer_one = PostgresStore.open(postgres_url, migrations=steps, sequences=False)
    waiting = Query(name="waiting", text="select count(*) as waiting from journal where position is null")
    assert newer_one.read(lambda tx: tx.rows(waiting)[0]["waiting"]) == 1
    newer_one.close()


@promise("postgres.versions.side_by_side")
def test_a_statement_that_a_migration_outlived_is_prepared_anew(node: Nodes, raw: Raw) -> None:
    store = node()
    everything = Query(name="everything", text="select * from store_info where key = :key")

    def look() -> Any:
        return store.read(lambda tx: tx.row(everything, {"key": "epoch"}))

    for _ in range(12):
        assert look() == {"key": "epoch", "value": "1"}
    with raw() as other:
        other.execute("alter table store_info add column more text")
    assert look() == look() == {"key": "epoch", "value": "1", "more": None}


@promise("postgres.errors.clear")
def test_a_statement_that_fails_leaves_the_exchange_behind_it_undone(node: Nodes) -> None:
    store = node()
    put = Query(name="put", text="insert into store_info (key, value) values (:key, :value)")

    def unit(tx: Any) -> None:
        tx.put(put, {"key": "first", "value": ""})
        tx.put(put, {"key": "second", "value": "x"}, otherwise=StoreUnavailable("never"))
        tx.put(put, {"key": "epoch", "value": "twice"})

    with pytest.raises(Exception, match="already"):
        store.write(unit)
    found = Query(name="found", text="select count(*) as n from store_info where key in ('first', 'second')")
    assert store.read(lambda tx: tx.rows(found)[0]["n"]) == 0
