"""What a unit sees on SQLite, where units share a commit, readers a bounded pool, and listeners the writer's thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.promises.marks import promise
from tests.store.conftest import Held
from tests.store.stores import MIGRATIONS, WAIT_SECONDS, TickingClock, numbers, put
from tests.store.test_units import three_looks
from waypost.kernel.errors import StoreBusy
from waypost.store.interface import Transaction
from waypost.store.sqlite import SqliteStore

Hold = Callable[[SqliteStore], Held]


@promise("store.clock.one_now")
def test_units_of_one_commit_each_have_their_own_now(path: Path, hold: Hold) -> None:
    ticking = SqliteStore.open(path, migrations=MIGRATIONS, clock=TickingClock())
    held = hold(ticking)
    first, second = ticking.submit(three_looks), ticking.submit(three_looks)
    held.let_go()
    assert first.result(WAIT_SECONDS).pop() < second.result(WAIT_SECONDS).pop()
    ticking.close()


def test_readers_share_a_bounded_pool_and_more_are_told_that_it_is_busy(store: SqliteStore) -> None:
    store.readers._most = 1
    store.readers.patience = 0.0

    def nested(tx: Transaction) -> None:
        store.read(numbers)

    with pytest.raises(StoreBusy, match="in use"):
        store.read(nested)
    assert store.read(numbers) == []


def test_a_listener_may_not_wait_for_the_store_nor_close_it(store: SqliteStore) -> None:
    refused: list[BaseException] = []
    done = threading.Event()

    def listener(head: int) -> None:
        for call in (lambda: store.write(put(9)), store.close):
            try:
                call()
            except RuntimeError as error:
                refused.append(error)
        done.set()

    store.subscribe(listener)
    store.write(put(1))
    assert done.wait(WAIT_SECONDS)
    assert len(refused) == 2
    assert store.read(numbers) == [1]
