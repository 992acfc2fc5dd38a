"""What a unit sees and may do, on each engine: one now, one snapshot, rows by name, and nothing outside its transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest

from tests.promises.marks import promise
from tests.store.conftest import OpenStore
from tests.store.stores import ACTOR, ALL, INSERT, WAIT_SECONDS, TickingClock, numbers, put
from waypost.store.interface import Query, Store, Transaction

JOURNALLED = Query(name="journalled", text="select max(at) as at from journal")
HEAD = Query(name="head", text="select max(position) as head, 7 as seven from journal")


@pytest.fixture
def store(either: OpenStore) -> Store:
    return either(TickingClock())


def three_looks(tx: Transaction) -> set[int]:
    looks = {tx.now}
    tx.journal("kind", "id", version=1, actor=ACTOR, scopes=[])
    row = tx.row(JOURNALLED)
    assert row is not None
    return looks | {tx.now, int(row["at"] or 0)}


@promise("store.clock.one_now")
def test_a_unit_has_one_now_however_often_it_looks_and_journals(store: Store) -> None:
    assert len(store.write(three_looks)) == 1
    assert store.read(lambda tx: tx.now == tx.now)


@promise("store.units.no_outside_effect")
def test_a_transaction_that_outlives_its_unit_refuses_every_call(store: Store) -> None:
    kept: list[Transaction] = []
    store.write(kept.append)
    store.read(kept.append)
    for late in kept:
        calls: list[Callable[[], object]] = [
            partial(late.rows, ALL),
            partial(late.row, ALL),
            partial(late.execute, INSERT, {"id": 1, "body": b""}),
            partial(late.many, INSERT, [{"id": 1, "body": b""}]),
            partial(late.journal, "kind", "id", version=1, actor=ACTOR, scopes=[]),
        ]
        for call in calls:
            with pytest.raises(RuntimeError):
                call()
    assert store.read(numbers) == []


@promise("store.units.no_outside_effect")
@pytest.mark.parametrize(
    "text",
    [
        "commit",
        " -- a word first\n COMMIT",
        "/* a word */ rollback",
        "begin",
        "savepoint unit",
        "release unit",
        "pragma query_only = 0",
        "attach 'other.db' as other",
        "vacuum",
        "select 1; commit",
        "create table more (id integer)",
        "",
    ],
)
def test_a_unit_cannot_end_its_transaction_or_touch_the_connection(store: Store, text: str) -> None:
    with pytest.raises(ValueError, match="single statements"):
        store.write(lambda tx: tx.execute(Query(name="bad", text=text)))
    with pytest.raises(ValueError, match="single statements"):
        store.read(lambda tx: tx.rows(Query(name="bad", text=text)))


def test_a_semicolon_in_a_text_or_comment_is_no_second_statement(store: Store) -> None:
    query = Query(name="odd", text="select 'a;b' as one, \"id\" as two from scratch -- ; commit\n /* ; */;")
    store.write(put(5))
    assert store.read(lambda tx: tx.row(query)) == {"one": "a;b", "two": 5}


@promise("store.units.no_outside_effect")
def test_a_unit_cannot_write_beside_its_transaction(store: Store) -> None:
    with pytest.raises(RuntimeError):
        store.write(lambda tx: store.submit(put(1)))
    with pytest.raises(RuntimeError):
        store.write(lambda tx: store.write(put(1)))
    assert store.read(numbers) == []


@promise("store.units.no_outside_effect")
def test_a_read_changes_nothing(store: Store) -> None:
    returning = Query(name="sly", text="insert into scratch (id, body) values (1, :body) returning id")
    for unit in (
        put(1),
        lambda tx: tx.execute(INSERT, {"id": 1, "body": b""}),
        lambda tx: tx.many(INSERT, [{"id": 1, "body": b""}]),
        lambda tx: tx.journal("kind", "id", version=1, actor=ACTOR, scopes=[]),
    ):
        with pytest.raises(RuntimeError):
            store.read(unit)
    with pytest.raises(Exception, match="cannot be written"):
        store.read(lambda tx: tx.rows(returning, {"body": b""}))
    assert store.read(numbers) == []


def test_a_read_sees_one_snapshot_while_others_write(store: Store) -> None:
    def looks_twice(tx: Transaction) -> tuple[list[int], list[int]]:
        before = numbers(tx)
        writing = threading.Thread(target=store.write, args=(put(2),))
        writing.start()
        writing.join(WAIT_SECONDS)
        return before, numbers(tx)

    store.write(put(1))
    assert store.read(looks_twice) == ([1], [1])
    assert store.read(numbers) == [1, 2]


def test_rows_are_by_name_and_the_first_row_or_none(store: Store) -> None:
    assert store.read(lambda tx: tx.row(ALL)) is None
    assert store.write(lambda tx: tx.execute(INSERT, {"id": 1, "body": b"a", "unused": 0})) == 1
    store.write(lambda tx: tx.many(INSERT, [{"id": number, "body": b"b"} for number in (2, 3)]))
    assert store.read(lambda tx: tx.rows(ALL)) == [
        {"id": 1, "body": b"a"},
        {"id": 2, "body": b"b"},
        {"id": 3, "body": b"b"},
    ]
    assert store.read(lambda tx: tx.row(ALL)) == {"id": 1, "body": b"a"}
    assert store.read(lambda tx: tx.row(HEAD)) == {"head": None, "seven": 7}
    changed = Query(name="change", text="update scratch set body = :body where id > :id")
    assert store.write(lambda tx: tx.execute(changed, {"body": b"c", "id": 1})) == 2
    assert store.write(lambda tx: tx.execute(changed, {"body": b"c", "id": 9})) == 0
