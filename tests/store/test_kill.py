"""A killed process loses nothing that it acknowledged. (The long test under load is the kill test of the doors.)"""

from __future__ import annotations

import signal
from pathlib import Path

from tests.promises.marks import promise
from tests.store.children import child, output
from tests.store.stores import MIGRATIONS, numbers
from waypost.store import journal
from waypost.store.sqlite import SqliteStore
from waypost.store.sqlite.backup import check


@promise("store.commit.durable_before_answer")
def test_every_acknowledged_write_is_there_after_kill_nine(path: Path) -> None:
    acknowledged: set[int] = set()
    for kill in range(4):
        with child("writing_child", str(path), str(kill * 1_000_000)) as writer:
            seen = [int(output(writer).readline()) for _ in range(60 + 25 * kill)]
            writer.send_signal(signal.SIGKILL)
            rest = output(writer).read().split()
            acknowledged.update(seen, (int(line) for line in rest))
    store = SqliteStore.open(path, migrations=MIGRATIONS, lock_timeout=0)
    stored = store.read(numbers)
    bounds = store.read(journal.bounds)
    problems = check(store)
    store.close()
    assert len(acknowledged) >= 390
    assert acknowledged <= set(stored)
    assert bounds == journal.Bounds(first=1, head=len(stored))
    assert problems == []
