"""Several nodes on one database: nothing is taken twice, bounds hold, a database that restarts is found again."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.operations.office import Office
from tests.postgres.conftest import Nodes, Raw
from tests.postgres_cluster import find_binaries, own_cluster, url_of
from tests.promises.marks import promise
from tests.store.stores import ACTOR, WAIT_SECONDS
from waypost.assembly.settings import LimitSettings
from waypost.identity.store import add_project
from waypost.kernel.errors import StoreUnavailable, WaypostError
from waypost.operations import projects
from waypost.server.background import close_expired
from waypost.store.interface import Transaction
from waypost.store.postgres import PostgresStore

NODES = 3


def offices(url: str, limits: LimitSettings | None = None) -> list[Office]:
    """Three nodes, each with a post office; the first adds the projects."""
    made = [Office(url, limits) for _ in range(NODES)]
    made[0].add("a", "b")
    return made


def close(made: list[Office]) -> None:
    for office in made:
        office.waypost.close()


@promise("postgres.claims.skip_locked")
def test_nodes_that_pop_at_once_take_each_message_once(postgres_url: str) -> None:
    nodes = offices(postgres_url)
    sent = {nodes[0].send(body=f"number {number}")["message_id"] for number in range(60)}

    def take(office: Office) -> list[str]:
        taken = []
        while (message := office.run("message.pop", project="b")["message"]) is not None:
            taken.append(message["id"])
        return taken

    with ThreadPoolExecutor(NODES * 2) as threads:
        taken = Counter(message for found in threads.map(take, nodes * 2) for message in found)
    assert set(taken) == sent
    assert set(taken.values()) == {1}
    close(nodes)


@promise("postgres.claims.skip_locked")
def test_a_pop_passes_over_what_another_node_holds_without_waiting(postgres_url: str, raw: Raw) -> None:
    nodes = offices(postgres_url)
    first, second = (nodes[0].send(body=body)["message_id"] for body in ("first", "second"))
    holder = raw()
    holder.execute("select 1 from messages where id = %s for update", (first,))
    assert nodes[1].run("message.pop", project="b")["message"]["id"] == second
    holder.rollback()
    assert nodes[2].run("message.pop", project="b")["message"]["id"] == first
    close(nodes)


@promise("postgres.claims.skip_locked")
def test_one_message_named_by_all_nodes_is_popped_by_one(postgres_url: str) -> None:
    nodes = offices(postgres_url)
    for round_ in range(5):
        message = nodes[0].send(body=f"round {round_}")["message_id"]
        gate = threading.Barrier(NODES)

        def pop(numbered: tuple[int, Office], message: str = message, gate: threading.Barrier = gate) -> Any:
            gate.wait(WAIT_SECONDS)
            number, office = numbered
            return office.run("message.pop", project="b", session=f"S{number}", message_id=message)["message"]

        with ThreadPoolExecutor(NODES) as threads:
            answers = list(threads.map(pop, enumerate(nodes)))
        assert sum(answer is not None for answer in answers) == 1
    close(nodes)


@promise("postgres.bounds.exact")
def test_the_bound_of_an_inbox_is_exact_while_nodes_send_at_once(postgres_url: str) -> None:
    nodes = offices(postgres_url, LimitSettings(inbox=20))

    def send(number: int) -> str:
        office = nodes[number % NODES]
        try:
            office.send(body=f"number {number}")
        except WaypostError as refusal:
            return refusal.code
        return "sent"

    with ThreadPoolExecutor(6) as threads:
        answers = Counter(threads.map(send, range(48)))
    assert answers == {"sent": 20, "inbox_full": 28}
    close(nodes)


@promise("postgres.bounds.exact")
def test_equal_sends_at_once_are_one_message(postgres_url: str) -> None:
    nodes = offices(postgres_url)
    gate = threading.Barrier(NODES)

    def send(office: Office) -> Any:
        gate.wait(WAIT_SECONDS)
        return office.send(body="the very same", session="S1", project="a")

    with ThreadPoolExecutor(NODES) as threads:
        answers = list(threads.map(send, nodes))
    assert len({answer["message_id"] for answer in answers}) == 1
    assert sum(answer["already_sent"] for answer in answers) == NODES - 1
    close(nodes)


@promise("postgres.engine.same_promises")
def test_one_key_at_several_nodes_sends_once(postgres_url: str) -> None:
    nodes = offices(postgres_url)
    gate = threading.Barrier(NODES)

    def send(office: Office) -> Any:
        gate.wait(WAIT_SECONDS)
        return office.send(body="once", key="key-1", repeat=True)

    with ThreadPoolExecutor(NODES) as threads:
        answers = list(threads.map(send, nodes))
    assert len({answer["message_id"] for answer in answers}) == 1
    assert len(nodes[0].rows("select id from messages")) == 1
    close(nodes)


@promise("postgres.engine.same_promises")
def test_one_name_put_at_several_nodes_is_one_project(postgres_url: str) -> None:
    nodes = offices(postgres_url)
    gate = threading.Barrier(NODES)

    def put(office: Office) -> Any:
        gate.wait(WAIT_SECONDS)
        return office.run("project.put", workspace="default", project="new")

    with ThreadPoolExecutor(NODES) as threads:
        answers = list(threads.map(put, nodes))
    assert len({answer["project"]["id"] for answer in answers}) == 1
    assert sum(answer["created"] for answer in answers) == 1
    close(nodes)


@promise("postgres.engine.same_promises")
def test_a_name_that_another_node_took_between_two_looks_is_found(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = offices(postgres_url)
    made: list[Any] = []

    def late(*given: Any, **named: Any) -> Any:
        monkeypatch.undo()
        made.append(nodes[1].run("project.put", workspace="default", project="new"))
        return add_project(*given, **named)

    monkeypatch.setattr(projects, "add_project", late)
    found = nodes[0].run("project.put", workspace="default", project="new")
    assert (found["created"], found["project"]["id"]) == (False, made[0]["project"]["id"])
    close(nodes)


@promise("postgres.nodes.background_once")
def test_expired_mail_is_closed_once_by_nodes_that_sweep_at_once(postgres_url: str) -> None:
    nodes = offices(postgres_url)
    for number in range(12):
        nodes[0].send(body=f"number {number}", expires_at="2025-11-24T16:01:00Z")
    for office in nodes:
        office.clock.pass_seconds(3_600)
    with ThreadPoolExecutor(NODES) as threads:
        closed = list(threads.map(lambda office: office.waypost.store.write(close_expired), nodes))
    assert sum(closed) == 12
    kinds = Counter(row["kind"] for row in nodes[0].rows("select kind from journal"))
    assert kinds["message.expired"] == 12
    close(nodes)


@promise("postgres.nodes.one_dies")
def test_a_node_that_dies_with_rows_held_lets_them_go_and_the_others_go_on(postgres_url: str, raw: Raw) -> None:
    nodes = offices(postgres_url)
    message = nodes[0].send(body="held")["message_id"]
    dying = raw()
    dying.execute("update messages set status = 'done' where id = %s", (message,))
    waiting = nodes[1].waypost.pipeline.submit("message.pop", pop_of(nodes[1], message))
    killer = raw()
    killer.execute("select pg_terminate_backend(%s, 10000)", (dying.info.backend_pid,))
    assert message in waiting.result(WAIT_SECONDS).json
    close(nodes)


def pop_of(office: Office, message: str) -> Any:
    """A call that pops one message by its id."""
    from waypost.operations.call import Call  # noqa: PLC0415 - used here alone

    return Call(caller=office.caller, fields={"project": "b", "message_id": message})


@pytest.mark.slow
@promise("postgres.restart.reconnects")
def test_nodes_find_a_database_that_restarted_and_lose_nothing() -> None:
    if find_binaries() is None:
        pytest.skip("no Postgres of our own can be started and stopped")
    with own_cluster() as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("create database post template template0 encoding 'UTF8'")
        store = PostgresStore.open(url_of(server.url, "post"), connections=6)
        heads: list[int] = []
        moved = threading.Condition()

        def listener(head: int) -> None:
            with moved:
                heads.append(head)
                moved.notify_all()

        store.subscribe(listener)
        acknowledged = [store.write(entry(number)) for number in range(10)]
        with moved:
            assert moved.wait_for(lambda: heads and heads[-1] == 10, WAIT_SECONDS)
        server.stop("fast")
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match=r"reached|stopping|failed"):
                store.write(entry(99))
        server.start()
        acknowledged += [store.write(entry(number)) for number in range(10, 20)]
        with moved:
            assert moved.wait_for(lambda: heads[-1] == 20, WAIT_SECONDS), heads
        assert acknowledged == list(range(20))
        assert heads == sorted(set(heads))
        store.close()


def entry(number: int) -> Any:
    """A unit that journals and answers its number."""

    def unit(tx: Transaction) -> int:
        tx.journal("kind", str(number), version=1, actor=ACTOR, scopes=[])
        return number

    return unit


@promise("postgres.nodes.one_dies")
def test_a_store_that_was_closed_leaves_no_connection_behind(node: Nodes, raw: Raw) -> None:
    store = node()
    store.write(entry(1))
    store.close()
    left = "select count(*) from pg_stat_activity where application_name = 'waypost' and datname = current_database()"
    connection = raw()
    connection.autocommit = True
    while connection.execute(left).fetchone() != (0,):
        connection.execute("select pg_stat_clear_snapshot()")
