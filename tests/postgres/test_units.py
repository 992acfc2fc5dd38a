"""Units that meet on Postgres run again and see what is there; what is lost is said to be lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.postgres.conftest import Nodes, Raw
from tests.promises.marks import promise
from tests.store.stores import ACTOR, WAIT_SECONDS
from waypost.kernel.errors import Conflict, StoreBusy, StoreUnavailable
from waypost.kernel.time import SystemClock
from waypost.store.interface import Query, Transaction
from waypost.store.keys import KeyScope, StoredAnswer, find_answer, keep_answer
from waypost.store.postgres import units
from waypost.store.postgres.transaction import PostgresTransaction

PUT = Query(name="put", text="insert into store_info (key, value) values (:key, :value)")
SET = Query(name="set", text="update store_info set value = :value where key = :key")
GET = Query(name="get", text="select value from store_info where key = :key")
HOLD = Query(name="hold", text="select value from store_info where key = :key {lock}")
SCOPE = KeyScope(principal="local", project="p-1", operation="message.send", key="k-1")


def value(key: str) -> Callable[[Transaction], object]:
    def unit(tx: Transaction) -> object:
        row = tx.row(GET, {"key": key})
        return row["value"] if row else None

    return unit


@promise("postgres.engine.same_promises")
def test_units_that_deadlock_both_succeed(node: Nodes) -> None:
    store = node()
    for key in ("a", "b"):
        store.write(lambda tx, key=key: tx.execute(PUT, {"key": key, "value": ""}))  # type: ignore[misc] # mypy infers no type for a default of a lambda
    meeting = threading.Barrier(2)
    runs: list[str] = []

    def crossing(first: str, second: str) -> Callable[[Transaction], None]:
        def unit(tx: Transaction) -> None:
            tx.execute(SET, {"key": first, "value": first})
            runs.append(first)
            if runs.count(first) == 1:
                meeting.wait(WAIT_SECONDS)
            tx.execute(SET, {"key": second, "value": first})

        return unit

    futures = [store.submit(crossing("a", "b")), store.submit(crossing("b", "a"))]
    for future in futures:
        future.result(WAIT_SECONDS)
    assert sorted(runs) in (["a", "a", "b"], ["a", "b", "b"])
    assert store.read(value("a")) == store.read(value("b"))


@promise("postgres.engine.same_promises")
def test_a_unit_that_another_one_overtook_sees_what_that_one_did(node: Nodes) -> None:
    store = node()
    meeting = threading.Barrier(2)

    def unit(name: str) -> Callable[[Transaction], str]:
        first = [True]

        def found_or_made(tx: Transaction) -> str:
            row = tx.row(GET, {"key": "who"})
            if row is not None:
                return str(row["value"])
            if first:
                first.clear()
                meeting.wait(WAIT_SECONDS)
            tx.execute(PUT, {"key": "who", "value": name})
            return name

        return found_or_made

    one, two = store.submit(unit("one")), store.submit(unit("two"))
    assert one.result(WAIT_SECONDS) == two.result(WAIT_SECONDS)


@promise("postgres.engine.same_promises")
def test_a_record_that_is_there_each_time_is_a_conflict(node: Nodes) -> None:
    store = node()
    runs: list[int] = []

    def unit(tx: Transaction) -> None:
        runs.append(tx.execute(PUT, {"key": f"{len(runs)}", "value": ""}))
        tx.execute(PUT, {"key": "store_id", "value": ""})

    with pytest.raises(Conflict, match="already"):
        store.write(unit)
    assert 1 < len(runs) <= units.MOST_RUNS
    assert store.read(value("0")) is None


@promise("postgres.engine.same_promises")
def test_two_requests_with_one_key_give_one_answer(node: Nodes) -> None:
    nodes = [node(), node()]
    meeting = threading.Barrier(2)

    def request(name: str) -> Callable[[Transaction], str]:
        first = [True]

        def unit(tx: Transaction) -> str:
            stored = find_answer(tx, SCOPE)
            if stored is not None:
                return stored.answer
            if first:
                first.clear()
                meeting.wait(WAIT_SECONDS)
            tx.execute(PUT, {"key": f"done by {name}", "value": ""})
            keep_answer(tx, SCOPE, fingerprint="f", answer=name)
            return name

        return unit

    futures = [one.submit(request(name)) for one, name in zip(nodes, ("one", "two"), strict=True)]
    answers = {future.result(WAIT_SECONDS) for future in futures}
    assert len(answers) == 1
    assert nodes[0].read(lambda tx: find_answer(tx, SCOPE)) == StoredAnswer(fingerprint="f", answer=answers.pop())
    done = [nodes[0].read(value(f"done by {name}")) for name in ("one", "two")]
    assert sorted(map(str, done)) == ["", "None"], "the overtaken request must leave nothing"


@promise("postgres.clock.after_the_lock")
def test_now_is_the_databases_clock_read_after_the_lock(node: Nodes, raw: Raw) -> None:
    class Wrong(SystemClock):
        def now(self) -> int:
            raise AssertionError("the node's own clock was asked")

    store = node()
    holder = raw()
    holder.execute("select 1 from store_info where key = 'store_id' for update")

    def unit(tx: Transaction) -> int:
        tx.row(HOLD, {"key": "store_id"})
        return tx.now

    waiting = store.submit(unit)
    beside = raw()
    beside.autocommit = True
    while beside.execute("select count(*) from pg_locks where not granted").fetchone() == (0,):
        assert not waiting.done()
    let_go: Any = beside.execute("select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)").fetchone()
    holder.rollback()
    assert waiting.result(WAIT_SECONDS) >= let_go[0]


@promise("postgres.restart.reconnects")
def test_a_unit_whose_connection_is_cut_runs_again_and_a_lost_commit_is_said_so(
    node: Nodes, raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = node()
    killer = raw()
    killer.autocommit = True
    pid = Query(name="pid", text="select pg_backend_pid() as pid")
    runs: list[object] = []

    def unit(tx: Transaction) -> None:
        tx.execute(PUT, {"key": f"run {len(runs)}", "value": ""})
        runs.append(tx.rows(pid)[0]["pid"])
        if len(runs) == 1:
            killer.execute("select pg_terminate_backend(%s, 10000)", (runs[0],))
        tx.execute(SET, {"key": "nothing", "value": ""})

    store.write(unit)
    assert len(runs) == 2
    assert [store.read(value(f"run {number}")) for number in (0, 1)] == [None, ""]

    whole = PostgresTransaction.commit

    def cut(transaction: PostgresTransaction) -> None:
        killer.execute("select pg_terminate_backend(%s, 10000)", (transaction.row(pid)["pid"],))  # type: ignore[index] # the row is there
        whole(transaction)

    monkeypatch.setattr(PostgresTransaction, "commit", cut)
    with pytest.raises(StoreUnavailable, match="not known"):
        store.write(lambda tx: tx.execute(PUT, {"key": "lost", "value": ""}))
    monkeypatch.undo()
    assert store.read(value("lost")) is None


@promise("postgres.engine.same_promises")
def test_a_row_that_is_held_too_long_is_busy_and_nothing_is_changed(
    node: Nodes, raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(units, "MOST_RUNS", 2)
    store = node()
    holder = raw()
    holder.execute("select 1 from store_info where key = 'epoch' for update")

    def unit(tx: Transaction) -> None:
        tx.rows(Query(name="hurry", text="select set_config('lock_timeout', '10ms', true)"))
        tx.journal("kind", "id", version=1, actor=ACTOR, scopes=[])
        tx.execute(SET, {"key": "epoch", "value": "9"})

    with pytest.raises(StoreBusy, match="held what this one needed"):
        store.write(unit)
    holder.rollback()
    assert store.read(value("epoch")) == "1"


@promise("postgres.engine.same_promises")
def test_more_writes_than_the_bound_are_told_that_the_store_is_busy(node: Nodes) -> None:
    store = node()
    store.most_waiting = 2
    go = threading.Event()
    held = [store.submit(lambda tx: go.wait(WAIT_SECONDS)) for _ in range(2)]
    with pytest.raises(StoreBusy, match="wait already"):
        store.submit(lambda tx: None)
    go.set()
    for future in held:
        future.result(WAIT_SECONDS)
    store.submit(lambda tx: None).result(WAIT_SECONDS)


@promise("postgres.engine.same_promises")
def test_a_closed_store_refuses_and_finishes_what_waited(node: Nodes) -> None:
    store = node()
    waiting = [store.submit(lambda tx: tx.now) for _ in range(20)]
    with ThreadPoolExecutor(2) as closing:
        list(closing.map(lambda _: store.close(), range(2)))
    assert all(future.result() for future in waiting)
    for call in (
        lambda: store.write(lambda tx: None),
        lambda: store.submit(lambda tx: None),
        lambda: store.read(lambda tx: tx.now),
    ):
        with pytest.raises(StoreUnavailable, match="closed"):
            call()
