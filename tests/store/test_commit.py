"""The writer: what is answered is durable, what waits is committed together, and one unit's failure is its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError

import pytest

from benchmarks.shims import DiskShim
from tests.promises.marks import promise
from tests.store.conftest import Held
from tests.store.stores import WAIT_SECONDS, numbers, put
from waypost.kernel.errors import Conflict, InvalidInput, StoreBusy, StoreUnavailable
from waypost.store.interface import Transaction
from waypost.store.sqlite import SqliteStore

Hold = Callable[[SqliteStore], Held]


@promise("store.commit.durable_before_answer")
def test_a_write_is_answered_only_after_its_sync_returned(shimmed: SqliteStore, disk: DiskShim) -> None:
    shimmed.write(put(1))
    disk.in_sync.clear()
    disk.gate.clear()
    future = shimmed.submit(put(2))
    assert disk.in_sync.wait(WAIT_SECONDS)
    assert not future.done()
    assert shimmed.read(numbers) == [1]
    disk.gate.set()
    assert future.result(WAIT_SECONDS) == 2
    assert shimmed.read(numbers) == [1, 2]


@promise("store.commit.durable_before_answer")
def test_each_commit_costs_exactly_one_sync(shimmed: SqliteStore, disk: DiskShim) -> None:
    shimmed.write(put(0))  # the first commit also makes the WAL's head durable
    disk.syncs.clear()
    for number in range(1, 11):
        shimmed.write(put(number))
    assert disk.syncs == {"wal": 10}


@promise("store.commit.durable_before_answer", "store.commit.group")
def test_a_refusal_is_answered_with_its_neighbours_after_the_commit(
    shimmed: SqliteStore, disk: DiskShim, hold: Hold
) -> None:
    held = hold(shimmed)
    good, refused = shimmed.submit(put(1)), shimmed.submit(put(1))
    disk.in_sync.clear()
    disk.gate.clear()
    held.let_go()
    assert disk.in_sync.wait(WAIT_SECONDS)
    assert not refused.done()
    disk.gate.set()
    assert good.result(WAIT_SECONDS) == 1
    with pytest.raises(Conflict):
        refused.result(WAIT_SECONDS)


@promise("store.commit.group")
def test_units_that_wait_are_committed_together_in_their_order(
    shimmed: SqliteStore, disk: DiskShim, hold: Hold
) -> None:
    shimmed.write(put(0))
    held = hold(shimmed)
    futures = [shimmed.submit(put(number)) for number in range(1, 65)]
    disk.syncs.clear()
    held.let_go()
    assert [future.result(WAIT_SECONDS) for future in futures] == list(range(1, 65))
    assert disk.syncs == {"wal": 1}


@promise("store.commit.failed_unit_alone")
def test_a_unit_that_refuses_takes_back_its_own_changes_only(store: SqliteStore, hold: Hold) -> None:
    def refuses(tx: Transaction) -> None:
        put(2)(tx)
        raise InvalidInput("no")

    held = hold(store)
    before, refused, after = store.submit(put(1)), store.submit(refuses), store.submit(put(3))
    held.let_go()
    assert (before.result(WAIT_SECONDS), after.result(WAIT_SECONDS)) == (1, 3)
    with pytest.raises(InvalidInput):
        refused.result(WAIT_SECONDS)
    assert store.read(numbers) == [1, 3]


@promise("store.commit.failed_unit_alone")
def test_a_unit_alone_that_fails_leaves_nothing(store: SqliteStore) -> None:
    def fails(tx: Transaction) -> None:
        put(1)(tx)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(fails)
    assert store.read(numbers) == []
    assert store.write(put(1)) == 1


@promise("store.commit.failed_unit_alone")
@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_unit_that_wants_to_end_the_program_ends_only_itself(store: SqliteStore, kind: type[BaseException]) -> None:
    def leaves(tx: Transaction) -> None:
        put(1)(tx)
        raise kind

    future = store.submit(leaves)
    assert isinstance(future.exception(WAIT_SECONDS), kind)
    assert store.write(put(2)) == 2
    assert store.read(numbers) == [2]


@promise("store.commit.failed_unit_alone")
def test_a_unit_cancelled_while_it_waits_is_not_run(store: SqliteStore, hold: Hold) -> None:
    held = hold(store)
    cancelled, kept = store.submit(put(1)), store.submit(put(2))
    assert cancelled.cancel()
    held.let_go()
    assert kept.result(WAIT_SECONDS) == 2
    with pytest.raises(CancelledError):
        cancelled.result(WAIT_SECONDS)
    assert store.read(numbers) == [2]


@promise("store.commit.failed_unit_alone")
def test_a_future_that_somebody_else_answered_does_not_stop_the_writer(store: SqliteStore, hold: Hold) -> None:
    held = hold(store)
    future = store.submit(put(1))
    future.set_result(99)
    held.let_go()
    assert store.write(put(2)) == 2
    assert future.result(WAIT_SECONDS) == 99


@promise("store.commit.group")
def test_more_waiting_writes_than_the_bound_are_refused_as_busy(store: SqliteStore, hold: Hold) -> None:
    store._writer._most_waiting = 2
    held = hold(store)
    waiting = [store.submit(put(1)), store.submit(put(2))]
    with pytest.raises(StoreBusy, match="2 writes wait"):
        store.submit(put(3))
    held.let_go()
    assert [future.result(WAIT_SECONDS) for future in waiting] == [1, 2]
    assert store.write(put(4)) == 4


@promise("store.commit.durable_before_answer")
def test_closing_finishes_what_waits_and_refuses_what_comes_later(store: SqliteStore, hold: Hold) -> None:
    held = hold(store)
    waiting = [store.submit(put(number)) for number in range(100)]
    closing = threading.Thread(target=store.close)
    closing.start()
    held.let_go()
    assert [future.result(WAIT_SECONDS) for future in waiting] == list(range(100))
    closing.join(WAIT_SECONDS)
    assert not closing.is_alive()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.submit(put(200))
    with pytest.raises(StoreUnavailable, match="closed"):
        store.read(numbers)
    store.close()
