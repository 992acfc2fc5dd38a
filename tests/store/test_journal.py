"""The journal on SQLite: dense positions in the order of commits, told to listeners, pruned without reuse."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.promises.marks import promise
from tests.store.conftest import Held
from tests.store.stores import ACTOR, MIGRATIONS, WAIT_SECONDS, TickingClock, put
from waypost.kernel.errors import InvalidInput
from waypost.kernel.idempotency import KEPT_FOR
from waypost.store import journal
from waypost.store.interface import Actor, Transaction
from waypost.store.keys import KeyScope, StoredAnswer, find_answer, forget_answers, keep_answer
from waypost.store.sqlite import SqliteStore

Hold = Callable[[SqliteStore], Held]


def positions(tx: Transaction) -> list[int]:
    return [entry.position for entry in journal.entries_after(tx, 0, limit=1_000)]


def refuses(tx: Transaction) -> None:
    tx.journal("kind", "refused", version=1, actor=ACTOR, scopes=[])
    raise InvalidInput("no")


@promise("store.journal.dense_positions")
def test_positions_are_dense_in_the_order_of_commits_whatever_was_rolled_back(store: SqliteStore, hold: Hold) -> None:
    held = hold(store)
    futures = [store.submit(put(number) if number % 3 else refuses) for number in range(1, 31)]
    held.let_go()
    kept = [future for future in futures if future.exception(WAIT_SECONDS) is None]
    store.write(put(100))
    assert len(kept) == 20
    assert store.read(positions) == list(range(1, 22))
    subjects = [entry.subject_id for entry in store.read(lambda tx: journal.entries_after(tx, 0, limit=100))]
    assert subjects == [str(future.result()) for future in kept] + ["100"]


@promise("store.journal.dense_positions")
def test_an_entry_is_read_as_it_was_written(store: SqliteStore) -> None:
    def unit(tx: Transaction) -> int:
        tx.journal("message.sent", "m-1", version=3, actor=ACTOR, scopes=["inbox", "outbox"])
        tx.journal("message.acked", "m-1", version=4, actor=Actor(door="mcp"), scopes=["inbox", "inbox"])
        return tx.now

    now = store.write(unit)
    first, second = store.read(lambda tx: journal.entries_after(tx, 0, limit=10))
    assert first == journal.Entry(
        position=1,
        at=now,
        kind="message.sent",
        subject_id="m-1",
        version=3,
        scopes=("inbox", "outbox"),
        actor=ACTOR,
    )
    assert (second.scopes, second.actor) == (("inbox",), Actor(door="mcp"))


@promise("store.journal.dense_positions")
def test_entries_come_after_a_position_in_order_for_one_mailbox_or_for_all(store: SqliteStore) -> None:
    scopes = [["a"], ["b", "a"], ["c"], [], ["a", "c"], ["b"]]

    def unit(tx: Transaction) -> None:
        for scope in scopes:
            tx.journal("kind", "id", version=1, actor=ACTOR, scopes=scope)

    store.write(unit)

    def read(after: int, limit: int, mailbox: str | None) -> list[int]:
        entries = store.read(lambda tx: journal.entries_after(tx, after, limit=limit, mailbox=mailbox))
        return [entry.position for entry in entries]

    assert read(0, 10, None) == [1, 2, 3, 4, 5, 6]
    assert read(2, 2, None) == [3, 4]
    assert read(0, 10, "a") == [1, 2, 5]
    assert read(1, 1, "a") == [2]
    assert read(0, 10, "c") == [3, 5]
    assert read(0, 10, "nobody") == []


@promise("store.journal.dense_positions")
def test_more_than_two_scopes_are_a_fault_of_the_program(store: SqliteStore) -> None:
    with pytest.raises(ValueError, match="at most 2"):
        store.write(lambda tx: tx.journal("kind", "id", version=1, actor=ACTOR, scopes=["a", "b", "c"]))


@promise("store.journal.dense_positions")
def test_pruning_drops_the_oldest_and_never_lets_a_position_be_given_twice(path: Path) -> None:
    clock = TickingClock(0)
    store = SqliteStore.open(path, migrations=MIGRATIONS, clock=clock)
    for number in range(1, 6):
        clock.at = number * 100
        store.write(put(number))
    assert store.read(journal.bounds) == journal.Bounds(first=1, head=5)
    assert store.write(lambda tx: journal.prune(tx, before=300, limit=1)) == 1
    assert store.write(lambda tx: journal.prune(tx, before=300, limit=10)) == 1
    assert store.read(journal.bounds) == journal.Bounds(first=3, head=5)
    assert store.write(lambda tx: journal.prune(tx, before=10_000, limit=10)) == 2
    assert store.write(lambda tx: journal.prune(tx, before=10_000, limit=10)) == 0
    store.close()
    again = SqliteStore.open(path, migrations=MIGRATIONS, clock=clock)
    again.write(put(6))
    assert again.read(positions) == [5, 6]
    again.close()


def test_an_empty_journal_has_no_bounds(store: SqliteStore) -> None:
    assert store.read(journal.bounds) == journal.Bounds(first=0, head=0)


class Told:
    """A listener that remembers, and can be waited for."""

    def __init__(self) -> None:
        self.heads: list[int] = []
        self._change = threading.Condition()

    def __call__(self, head: int) -> None:
        with self._change:
            self.heads.append(head)
            self._change.notify_all()

    def wait_for(self, head: int) -> None:
        with self._change:
            assert self._change.wait_for(lambda: head in self.heads, WAIT_SECONDS)


@promise("store.journal.dense_positions")
def test_listeners_are_told_the_head_after_each_commit_that_journalled_and_no_other(
    store: SqliteStore, hold: Hold
) -> None:
    told = Told()

    def broken(head: int) -> None:
        raise ZeroDivisionError

    store.subscribe(broken)
    end = store.subscribe(told)
    held = hold(store)
    for number in (1, 2, 3):
        store.submit(put(number))
    store.submit(refuses)
    held.let_go()
    told.wait_for(3)
    store.write(lambda tx: None)
    store.write(put(4))
    told.wait_for(4)
    end()
    end()
    store.write(put(5))
    store.write(lambda tx: None)
    assert told.heads == [3, 4]


SCOPE = KeyScope(principal="local", project="p-1", operation="message.send", key="k-1")


@promise("idempotency.key.kept_a_day")
def test_an_answer_is_found_under_its_whole_scope_for_24_hours(path: Path) -> None:
    clock = TickingClock(1_000)
    store = SqliteStore.open(path, clock=clock)
    store.write(lambda tx: keep_answer(tx, SCOPE, fingerprint="f", answer='{"id":1}'))
    assert store.read(lambda tx: find_answer(tx, SCOPE)) == StoredAnswer(fingerprint="f", answer='{"id":1}')
    for other in (
        KeyScope(principal="maria", project="p-1", operation="message.send", key="k-1"),
        KeyScope(principal="local", project="p-2", operation="message.send", key="k-1"),
        KeyScope(principal="local", project="p-1", operation="message.ack", key="k-1"),
        KeyScope(principal="local", project="p-1", operation="message.send", key="k-2"),
    ):
        assert store.read(partial(find_answer, scope=other)) is None
    assert store.write(lambda tx: forget_answers(tx, limit=10)) == 0
    clock.at += KEPT_FOR
    assert store.read(lambda tx: find_answer(tx, SCOPE)) is None
    store.write(lambda tx: keep_answer(tx, SCOPE, fingerprint="g", answer="{}"))
    assert store.read(lambda tx: find_answer(tx, SCOPE)) == StoredAnswer(fingerprint="g", answer="{}")
    clock.at += KEPT_FOR
    assert store.write(lambda tx: forget_answers(tx, limit=10)) == 1
    store.close()
