"""Lost power: of what was not synced a random part reaches the disk, in any order. What was acknowledged is there all the same."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from tests.crash.home import Home
from tests.promises.marks import promise
from tests.store.stores import MIGRATIONS, numbers
from waypost.store import journal
from waypost.store.sqlite.backup import check
from waypost.store.sqlite.engine import SqliteStore

FAILURES = 4


def fail_power(home: Home, synchronous: str, *, operations: int, seed: int, first: int) -> set[int]:
    """Writes until the power fails at that operation; the numbers that were acknowledged."""
    arguments = (str(home.database), synchronous, str(operations), str(seed), str(first))
    status, words = home.run("-m", "tests.crash.power_child", *arguments)
    *acknowledged, last = words.splitlines()
    assert (status, last) == (-signal.SIGKILL, "reached power failure"), words
    Path(f"{home.database}-shm").unlink(missing_ok=True)  # memory, which the power took
    return {int(number) for number in acknowledged}


def stored(home: Home) -> set[int]:
    """The numbers that the store holds after its check passed and its journal was found dense."""
    store = SqliteStore.open(home.database, migrations=MIGRATIONS)
    try:
        assert check(store) == []
        found = store.read(numbers)
        bounds = store.read(journal.bounds)
        assert (bounds.first, bounds.head) == ((1, len(found)) if found else (0, 0))
        return set(found)
    finally:
        store.close()


@promise("store.commit.durable_before_answer", "store.crash.nothing_lost")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_acknowledged_writes_outlive_a_power_failure_at_any_write_or_sync(home: Home, seed: int) -> None:
    rng = random.Random(seed)
    acknowledged: set[int] = set()
    SqliteStore.open(home.database, migrations=MIGRATIONS).close()
    for failure in range(FAILURES):
        acknowledged |= fail_power(
            home, "full", operations=rng.randrange(40, 700), seed=rng.randrange(1_000), first=failure * 10_000
        )
        assert acknowledged <= stored(home)
    assert len(acknowledged) > 40


@promise("store.commit.durable_before_answer")
def test_the_power_failure_takes_acknowledged_writes_where_commits_are_not_synced(home: Home) -> None:
    SqliteStore.open(home.database, migrations=MIGRATIONS).close()
    acknowledged = fail_power(home, "normal", operations=45, seed=1, first=0)
    assert acknowledged
    assert acknowledged - stored(home)
