"""Backups of a running store: whole, private, and never in the place of something else."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest

from benchmarks.shims import DiskShim
from tests.promises.marks import promise
from tests.store.stores import INSERT, MIGRATIONS, WAIT_SECONDS, numbers, ordinary_account, put
from waypost.kernel.errors import Conflict, InvalidInput, StoreFull, StoreReadOnly
from waypost.store import journal
from waypost.store.errors import StoreDamaged
from waypost.store.interface import Transaction
from waypost.store.sqlite import SqliteStore, copying
from waypost.store.sqlite.backup import backup, check
from waypost.store.sqlite.connections import open_plain


def put_pair(number: int) -> Callable[[Transaction], None]:
    """A unit that stores two rows, so that a torn copy would hold an odd number of them."""

    def unit(tx: Transaction) -> None:
        tx.execute(INSERT, {"id": 2 * number, "body": bytes(2_000)})
        tx.execute(INSERT, {"id": 2 * number + 1, "body": bytes(2_000)})

    return unit


class Load:
    """A thread that stores pairs until it is told to stop; `reached` waits for a number of them."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._stop = threading.Event()
        self._written = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(WAIT_SECONDS)

    def more(self, count: int) -> None:
        for _ in range(count):
            assert self._written.acquire(timeout=WAIT_SECONDS)

    def _work(self) -> None:
        for number in itertools.count():
            if self._stop.is_set():
                return
            self._store.write(put_pair(number))
            self._written.release()


@promise("store.backup.whole")
def test_a_backup_under_load_is_a_whole_store_of_one_moment(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Load(store) as load:
        load.more(50)
        steps: list[int] = []

        class SlowSteps:
            """Lets writes pass between the steps of the copy."""

            def __index__(self) -> int:
                steps.append(1)
                load.more(1)
                return 5

        monkeypatch.setattr(copying, "PAGES_AT_ONCE", SlowSteps())
        copy = backup(store, tmp_path / "copy.db")
    assert len(steps) > 10
    live = store.read(numbers)
    kept = SqliteStore.open(copy, migrations=MIGRATIONS)
    found = kept.read(numbers)
    assert kept.facts.store_id == store.facts.store_id
    assert check(kept) == []
    kept.close()
    assert len(found) >= 100
    assert len(live) >= len(found) + 2 * (len(steps) - 1)
    assert found == live[: len(found)]
    assert len(found) % 2 == 0


@promise("store.backup.whole", "store.files.private")
def test_a_backup_is_one_private_file_with_what_was_committed_last(store: SqliteStore, tmp_path: Path) -> None:
    store.write(put(1))
    folder = tmp_path / "new folder" / "?odd#name"
    copy = backup(store, folder / "copy.db")
    assert [file.name for file in folder.iterdir()] == ["copy.db"]
    assert copy.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert copy.read_bytes()[18:20] == b"\x01\x01"  # not in WAL mode, so it opens from where nothing can be written
    kept = SqliteStore.open(copy, migrations=MIGRATIONS)
    assert (kept.read(numbers), kept.read(journal.bounds)) == ([1], journal.Bounds(first=1, head=1))
    kept.close()


@promise("store.backup.whole")
def test_a_backup_never_replaces_a_file_unless_told(store: SqliteStore, tmp_path: Path) -> None:
    target = tmp_path / "copies" / "copy.db"
    target.parent.mkdir()
    target.write_bytes(b"precious")
    with pytest.raises(Conflict, match="exists"):
        backup(store, target)
    assert target.read_bytes() == b"precious"
    assert [file.name for file in target.parent.iterdir()] == ["copy.db"]
    assert backup(store, target, overwrite=True) == target
    SqliteStore.open(target, migrations=MIGRATIONS).close()


@promise("store.backup.whole")
@pytest.mark.parametrize("ending", ["", "-wal", "-shm", ".lock"])
def test_the_stores_own_files_cannot_take_a_backup(store: SqliteStore, path: Path, ending: str) -> None:
    store.write(put(1))
    with pytest.raises(InvalidInput):
        backup(store, f"{path}{ending}", overwrite=True)
    with pytest.raises(InvalidInput):
        backup(store, path.parent, overwrite=True)
    assert store.write(put(2)) == 2


@promise("store.backup.whole")
def test_a_damaged_store_makes_no_backup_that_looks_good(path: Path, tmp_path: Path) -> None:
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    for number in range(40):
        store.write(put(number, bytes(3_000)))
    store.close()
    content = bytearray(path.read_bytes())
    content[-3 * 4096 : -2 * 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    damaged = SqliteStore.open(path, migrations=MIGRATIONS)
    with pytest.raises(StoreDamaged):
        backup(damaged, tmp_path / "copies" / "copy.db")
    damaged.close()
    assert list((tmp_path / "copies").iterdir()) == []


@promise("store.full.clear_error")
def test_a_full_disk_leaves_no_partial_backup(
    store: SqliteStore, tmp_path: Path, disk: DiskShim, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(put(1, bytes(100_000)))
    monkeypatch.setattr(copying, "open_plain", lambda path, vfs: open_plain(path, "shimmed"))
    disk.space = 50_000
    with pytest.raises(StoreFull, match="No copy was kept"):
        backup(store, tmp_path / "copies" / "copy.db")
    assert list((tmp_path / "copies").iterdir()) == []
    assert store.write(put(2)) == 2


@promise("store.readonly.clear_error")
def test_a_folder_that_cannot_be_written_takes_no_backup(store: SqliteStore, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    with ordinary_account(tmp_path), pytest.raises(StoreReadOnly, match="cannot be written"):
        backup(store, closed / "copy.db")
