"""The sequencer: dense positions in the order in which entries became visible, whatever sequences, transactions and nodes do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.postgres.conftest import Nodes, Raw
from tests.postgres_cluster import Cluster
from tests.promises.marks import promise
from tests.store.stores import ACTOR, WAIT_SECONDS
from waypost.store import journal
from waypost.store.interface import Transaction
from waypost.store.postgres import PostgresStore, sequencer
from waypost.store.postgres.sequencer import SEQUENCER_LOCK

LATE = """
insert into journal (at, kind, subject_id, version, door) values (1, 'late', %s, 1, 'cli') returning entry
"""


class Reader:
    """Follows the journal by positions as a consumer does, and remembers what it read."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        self.read: list[journal.Entry] = []
        self._moved = threading.Condition()
        self._end = store.subscribe(self._told)

    def _told(self, head: int) -> None:
        with self._moved:
            self._moved.notify_all()

    def until(self, number: int) -> list[str]:
        """Reads on until it has `number` entries, and answers their subjects."""
        with self._moved:
            assert self._moved.wait_for(lambda: self._more() >= number, WAIT_SECONDS), [
                entry.subject_id for entry in self.read
            ]
        return [entry.subject_id for entry in self.read]

    def _more(self) -> int:
        after = self.read[-1].position if self.read else 0
        self.read += self._store.read(lambda tx: journal.entries_after(tx, after, limit=10_000))
        return len(self.read)

    @property
    def positions(self) -> list[int]:
        return [entry.position for entry in self.read]


def put(store: PostgresStore, subject: str) -> None:
    store.write(lambda tx: tx.journal("kind", subject, version=1, actor=ACTOR, scopes=["m-1"]))


@promise("sequencer.late_committer.in_order")
def test_a_late_committer_with_an_early_sequence_is_read_after_what_was_visible_before_it(
    node: Nodes, raw: Raw
) -> None:
    store = node()
    reader = Reader(store)
    late = raw()
    late.execute(LATE, ("late",))
    put(store, "early")
    assert reader.until(1) == ["early"]
    late.commit()
    assert reader.until(2) == ["early", "late"]
    put(store, "after")
    assert reader.until(3) == ["early", "late", "after"]
    assert reader.positions == [1, 2, 3]
    entries = raw().execute("select subject_id from journal order by entry").fetchall()
    assert entries == [("late",), ("early",), ("after",)], "the late one should have the earliest sequence"


@promise("sequencer.idle_transaction.no_harm")
def test_an_idle_transaction_in_another_database_or_this_one_holds_up_no_reader(
    cluster: Cluster, node: Nodes, raw: Raw
) -> None:
    store = node()
    reader = Reader(store)
    with psycopg.connect(cluster.url) as idle:
        idle.execute("select pg_current_xact_id(), count(*) from pg_class")
        here = raw()
        here.execute("select pg_current_xact_id(), count(*) from journal")
        for number in range(5):
            put(store, str(number))
        assert reader.until(5) == ["0", "1", "2", "3", "4"]
        assert idle.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS


@pytest.fixture
def other_cluster_url(cluster: Cluster) -> Iterator[str]:
    url = cluster.make(migrated=False, options="encoding 'UTF8'")
    yield url
    cluster.drop(url)


@promise("sequencer.restore.new_cluster")
def test_a_restore_into_a_new_cluster_leaves_positions_and_cursors_right(
    node: Nodes, raw: Raw, other_cluster_url: str
) -> None:
    store = node()
    reader = Reader(store)
    for number in range(7):
        put(store, str(number))
    reader.until(7)
    cursor = reader.positions[4]
    store.close()
    with raw() as source:
        source.execute(LATE, ("left without position",))
    restored = PostgresStore.open(other_cluster_url)  # its sequence and transaction ids start anew, as in a new cluster
    copy_journal(raw(), other_cluster_url)
    follower = Reader(restored)
    put(restored, "new")
    follower.until(9)
    assert follower.positions == list(range(1, 10))
    after = [entry.subject_id for entry in follower.read if entry.position > cursor]
    assert after[:2] == ["5", "6"]
    assert set(after[2:]) == {"left without position", "new"}
    restored.close()


def copy_journal(source: psycopg.Connection[Any], target: str) -> None:
    """Copies the rows as pg_dump does, without what a cluster keeps for itself; the sequence is set behind them."""
    columns = "entry, position, at, kind, subject_id, version, scope_a, scope_b, door"
    with psycopg.connect(target, options="-c search_path=waypost") as there:
        rows = source.execute(f"select {columns} from journal order by entry desc").fetchall()
        with there.cursor() as cursor:
            cursor.executemany(
                f"insert into journal ({columns}) overriding system value values (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                rows,
            )
        there.execute("select setval(pg_get_serial_sequence('journal', 'entry'), 100)")


@promise("sequencer.two.no_doubles")
def test_sequencers_of_several_nodes_give_each_position_once_and_all_hear_of_it(node: Nodes) -> None:
    nodes = [node() for _ in range(3)]
    readers = [Reader(store) for store in nodes]
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda number: put(nodes[number % 3], str(number)), range(90)))
    for reader in readers:
        assert sorted(reader.until(90), key=int) == [str(number) for number in range(90)]
        assert reader.positions == list(range(1, 91))
    assert readers[0].read == readers[1].read == readers[2].read


@promise("sequencer.two.no_doubles")
def test_a_sequencer_that_dies_in_the_middle_leaves_nothing_and_another_goes_on(node: Nodes, raw: Raw) -> None:
    dying = raw()
    dying.execute(f"select pg_advisory_xact_lock({SEQUENCER_LOCK})")
    store = node()
    reader = Reader(store)
    put(store, "one")
    dying.execute("update journal set position = 77 where position is null")
    killer = raw()
    killer.autocommit = True
    while killer.execute("select count(*) from pg_locks where locktype = 'advisory' and not granted").fetchone() == (
        0,
    ):
        killer.execute("select pg_stat_clear_snapshot()")
    assert reader.read == []
    killer.execute("select pg_terminate_backend(%s, 10000)", (dying.info.backend_pid,))
    put(store, "two")
    assert reader.until(2) == ["one", "two"]
    assert reader.positions == [1, 2]


@promise("sequencer.two.no_doubles")
def test_a_sequencer_that_lost_its_connection_makes_another(node: Nodes, raw: Raw) -> None:
    store = node()
    reader = Reader(store)
    put(store, "one")
    reader.until(1)
    killer = raw()
    killer.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' or query like '%pg_advisory_xact%' and pid <> pg_backend_pid()"
    )
    for number in range(2, 6):
        put(store, str(number))
    assert reader.until(5) == ["one", "2", "3", "4", "5"]
    assert reader.positions == [1, 2, 3, 4, 5]


@promise("sequencer.two.no_doubles")
def test_what_a_node_left_without_positions_gets_them_from_another(node: Nodes, raw: Raw) -> None:
    reader = Reader(node())
    with raw() as died:
        died.execute(LATE, ("left behind",))
    assert reader.until(1) == ["left behind"]


@promise("postgres.nodes.news_within_a_second")
def test_every_node_hears_of_a_change_by_notification_and_not_by_looking(
    node: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.store.postgres import follower  # noqa: PLC0415 - its pause is set before a node starts

    monkeypatch.setattr(follower, "LOOK_EVERY_SECONDS", 3_600.0)
    nodes = [node() for _ in range(3)]
    readers = [Reader(store) for store in nodes]
    for number in range(1, 4):
        put(nodes[number % 3], str(number))
        for reader in readers:
            assert reader.until(number)[-1] == str(number)
    for store in nodes:
        store.close()


@promise("sequencer.two.no_doubles")
def test_more_entries_than_go_at_once_all_get_positions(node: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    few = sequencer.GIVE.replace(f"limit {sequencer.MOST_AT_ONCE}", "limit 3")
    monkeypatch.setattr(sequencer, "GIVE", few)
    monkeypatch.setattr(sequencer, "MOST_AT_ONCE", 3)
    store = node()
    reader = Reader(store)

    def many(tx: Transaction) -> None:
        for number in range(10):
            tx.journal("kind", str(number), version=1, actor=ACTOR, scopes=[])

    store.write(many)
    assert reader.until(10) == [str(number) for number in range(10)]


@promise("sequencer.late_committer.in_order")
def test_pruning_never_lets_a_position_be_given_twice(node: Nodes) -> None:
    store = node()
    reader = Reader(store)
    for number in range(4):
        put(store, str(number))
    reader.until(4)
    assert store.write(lambda tx: journal.prune(tx, before=tx.now + 1, limit=100)) == 3
    put(store, "after")
    reader.until(5)
    assert reader.positions == [1, 2, 3, 4, 5]
    assert store.read(journal.bounds) == journal.Bounds(first=4, head=5)
