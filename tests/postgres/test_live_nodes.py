"""What people and agents see at one node of what happens at another, and nodes that die or stand still in the middle."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tests.crash.home import Home, end
from tests.doors.rest_door import RestDoor
from tests.doors.test_background import SetClock, keep_nothing
from tests.doors.test_rest_waiting import waiting
from tests.doors.web.page_office import PageOffice
from tests.doors.web.test_web_live import stream_of
from tests.postgres.conftest import Nodes, Raw
from tests.postgres.test_nodes import offices
from tests.promises.marks import promise
from tests.store.stores import WAIT_SECONDS
from waypost.identity.store import lock_mailbox
from waypost.server.background import sweep
from waypost.store.interface import Query
from waypost.store.postgres import PostgresStore, connections
from waypost.store.postgres.sequencer import SEQUENCER_LOCK


@contextmanager
def doors(url: str, **options: Any) -> Iterator[list[RestDoor]]:
    """Three servers on one database."""
    with ExitStack() as stack:
        yield [stack.enter_context(RestDoor(url, **options)) for _ in range(3)]


class PageNode(PageOffice):
    """The pages of one node, which gives positions and hears of them as a server does."""

    def _store(self) -> PostgresStore:
        return PostgresStore.open(self.database, clock=self.clock)


@promise("postgres.nodes.news_within_a_second")
def test_a_long_poll_at_every_node_ends_by_mail_sent_at_another(postgres_url: str) -> None:
    with doors(postgres_url) as nodes:
        for sender in nodes:
            polls = [(node, waiting(node)) for node in nodes if node is not sender]
            sent = sender.send(body=f"from node {nodes.index(sender)}")["message_id"]
            for node, poll in polls:
                assert [item["id"] for item in node.answer_of(poll).json()["items"]] == [sent]
            sender.ok("POST", "/v1/messages/pop", {"project": "b"})


@promise("postgres.nodes.news_within_a_second", "web.page.live")
def test_a_page_open_at_every_node_is_told_of_a_change_at_another(postgres_url: str) -> None:
    nodes = [PageNode(postgres_url) for _ in range(3)]
    nodes[0].add("a", "b")
    with ExitStack() as stack:
        streams = [stack.enter_context(node.stream(stream_of(node, "b"))) for node in nodes]
        assert [stream.start() for stream in streams] == [200, 200, 200]
        nodes[2].send()
        events = [stream.event() for stream in streams]
        assert [event and event["event"] for event in events] == ["news"] * 3
    for node in nodes:
        node.close()


@promise("postgres.nodes.background_once")
def test_nodes_that_sweep_at_once_close_each_expired_message_once(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.server.app.keep_house", keep_nothing)
    clock = SetClock()
    with doors(postgres_url, clock=clock) as nodes:
        sent = [
            nodes[0].send(body=f"number {number}", expires_at="2030-03-17T17:50:00Z")["message_id"]
            for number in range(40)
        ]
        clock.time += 3_600_000_000
        with ThreadPoolExecutor(3) as threads:
            swept = list(threads.map(lambda node: node.run(sweep(node.context)), nodes))
        assert sum(done.expired for done in swept) == 40
        kinds = Query(name="kinds", text="select subject_id from journal where kind = 'message.expired'")
        closed = Counter(row["subject_id"] for row in nodes[1].waypost.store.read(lambda tx: tx.rows(kinds)))
        assert closed == Counter(sent)


HOLDER = f"""
import psycopg, sys, time
held = psycopg.connect(sys.argv[1], options="-c search_path=waypost")
held.execute("select pg_advisory_xact_lock({SEQUENCER_LOCK})")
held.execute("update journal set position = 77 + entry where position is null")
print("holding", flush=True)
time.sleep(600)
"""


@promise("postgres.nodes.one_dies", "sequencer.two.no_doubles")
def test_a_process_killed_with_the_sequencers_lock_leaves_it_to_the_next(
    postgres_url: str, node: Nodes, raw: Raw
) -> None:
    store = node(sequences=False)
    journal = Query(name="positions", text="select position from journal order by position")
    for number in range(3):
        store.write(lambda tx, number=number: tx.put(PUT, {"subject": str(number)}))  # type: ignore[misc] # mypy infers no type for a default of a lambda
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, postgres_url], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"holding\n"
    other = node()
    watcher = raw()
    watcher.autocommit = True
    while watcher.execute("select count(*) from pg_locks where locktype = 'advisory' and not granted").fetchone() == (
        0,
    ):
        assert holder.poll() is None
    end(holder)  # SIGKILL
    wanted = [{"position": 1}, {"position": 2}, {"position": 3}]
    other.write(lambda tx: tx.now)
    while other.read(lambda tx: tx.rows(journal)) != wanted:
        assert other.follower.head <= 3


PUT = Query(
    name="put", text="insert into journal (at, kind, subject_id, version, door) values (1, 'kind', :subject, 1, 'cli')"
)


@pytest.mark.slow
@pytest.mark.timeout(120)  # the database ends the unit after ten seconds
@promise("postgres.nodes.one_dies")
def test_a_node_that_stands_still_in_a_unit_keeps_nobody_waiting_for_long_and_its_unit_runs_again(
    postgres_url: str, tmp_path: Any
) -> None:
    nodes = offices(postgres_url)
    mailbox = str(nodes[0].rows("select id from projects where name = 'b'")[0]["id"])
    home = Home(tmp_path / "stopped")
    home.folder.mkdir()
    child = home.start("-m", "tests.postgres.stopping_child", postgres_url, mailbox)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"holding\n"
        sent = nodes[1].send(body="while another node stands still")["message_id"]
        nodes[2].waypost.store.write(lambda tx: lock_mailbox(tx, mailbox))
        assert nodes[2].run("message.pop", project="b")["message"]["id"] == sent
        child.send_signal(signal.SIGCONT)
        assert b"stored in run 2\n" in list(child.stdout)
        assert child.wait(WAIT_SECONDS) == 0
        assert nodes[0].rows("select value from store_info where key = 'stopped'") == [{"value": "once"}]
    finally:
        child.send_signal(signal.SIGCONT)
        end(child)
        for office in nodes:
            office.waypost.close()


@promise("postgres.nodes.one_dies", "postgres.errors.clear")
def test_every_connection_of_a_node_has_bounds_for_locks_statements_and_standing_still(node: Nodes) -> None:
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "tcp_user_timeout")
    shown = Query(name="shown", text="select " + ", ".join(f"current_setting('{name}') as {name}" for name in names))
    found = node().read(lambda tx: tx.rows(shown)[0])
    assert [found[name] for name in names[:3]] == ["5s", "30s", "10s"]
    assert connections.IDLE_TIMEOUT_MS < 15_000, "who waits gives up after that"
