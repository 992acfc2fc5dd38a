"""The WAL: copied behind the answers, emptied when nothing waits, bounded under steady writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.shims import DiskShim
from tests.promises.marks import promise
from tests.store.stores import MIGRATIONS, WAIT_SECONDS, numbers, put
from waypost.store.interface import Transaction
from waypost.store.sqlite import SqliteStore, upkeep
from waypost.store.sqlite.upkeep import WalUpkeep


@promise("store.wal.truncated_when_idle")
def test_the_wal_is_emptied_when_nothing_waits(path: Path, disk: DiskShim) -> None:
    store = SqliteStore.open(
        path, migrations=MIGRATIONS, vfs="shimmed", upkeep=WalUpkeep(copy_after=0.01, empty_after=0.01)
    )
    store.write(put(1))
    assert disk.emptied.wait(WAIT_SECONDS)
    assert Path(f"{path}-wal").stat().st_size == 0
    assert store.read(numbers) == [1]
    assert store.write(put(2)) == 2
    store.close()


@promise("store.wal.truncated_when_idle")
def test_a_reader_that_holds_an_old_snapshot_only_delays_it(
    path: Path, disk: DiskShim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "TRY_AGAIN_SECONDS", 0.01)
    store = SqliteStore.open(
        path, migrations=MIGRATIONS, vfs="shimmed", upkeep=WalUpkeep(copy_after=0.01, empty_after=0.01)
    )

    def slow(tx: Transaction) -> list[int]:
        found = numbers(tx)
        store.write(put(2))
        disk.emptied.clear()
        assert not disk.emptied.wait(0.2)
        return found

    store.write(put(1))
    assert store.read(slow) == [1]
    assert disk.emptied.wait(WAIT_SECONDS)
    assert store.read(numbers) == [1, 2]
    store.close()


@promise("store.wal.truncated_when_idle")
def test_steady_writing_does_not_let_the_wal_grow_without_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "COPY_PAGES", 50)
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    sizes = []
    for number in range(100):
        store.write(put(number, bytes(20_000)))
        sizes.append(Path(f"{path}-wal").stat().st_size)
    store.close()
    assert max(sizes) < 120 * 4120


@promise("store.wal.truncated_when_idle")
def test_a_closed_store_is_one_file_and_its_lock(path: Path) -> None:
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    store.write(put(1))
    store.close()
    assert {file.name for file in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}


@promise("store.full.clear_error")
def test_a_disk_too_full_to_copy_the_wal_harms_no_answer(
    path: Path, disk: DiskShim, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(upkeep, "COPY_PAGES", 1)
    store = SqliteStore.open(path, migrations=MIGRATIONS, vfs="shimmed")
    store.write(put(0, bytes(100_000)))
    disk.space, disk.bounded = 0, "database"
    assert [store.write(put(number, bytes(30_000))) for number in (1, 3, 4)] == [1, 3, 4]
    assert store.read(numbers) == [0, 1, 3, 4]
    assert "tried again" in caplog.text
    assert "writer could not" not in caplog.text
    disk.space = None
    assert store.write(put(2)) == 2
    store.close()
