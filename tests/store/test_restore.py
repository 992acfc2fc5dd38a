"""Restoring: the backup as a new epoch above all earlier ones, leases ended, the replaced file kept."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.promises.marks import promise
from tests.store.stores import MIGRATIONS, TickingClock, numbers, put
from waypost.kernel.errors import InvalidInput, NotFound, SchemaNewer, StoreBusy, StoreUnavailable
from waypost.store.errors import StoreDamaged, StoreForeign
from waypost.store.interface import Query
from waypost.store.migrations import migration
from waypost.store.sqlite import SqliteStore
from waypost.store.sqlite import restore as restoring
from waypost.store.sqlite.backup import backup
from waypost.store.sqlite.restore import GENERATIONS_PER_EPOCH, restore

LEASES = migration(
    "0003_leases.sql",
    "create table leases (id {big} not null primary key, holder text, generation {big} not null) {strict};"
    "insert into leases values (1, 'somebody', 4);",
)
LEASED = (*MIGRATIONS, LEASES)
END_LEASES = Query(
    name="end_leases",
    text="update leases set holder = null, generation = max(generation, :generation_floor)",
)
LEASE = Query(name="lease", text="select holder, generation from leases")


@pytest.fixture
def copy(path: Path, tmp_path: Path) -> Path:
    """A backup with the row 1 of a store that holds 1 and 2 and is closed."""
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    store.write(put(1))
    copy = backup(store, tmp_path / "copies" / "copy.db")
    store.write(put(2))
    store.close()
    return copy


def opened(path: Path) -> tuple[int, list[int]]:
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    found = store.facts.epoch, store.read(numbers)
    store.close()
    return found


@promise("store.restore.new_epoch")
def test_a_restore_puts_the_backup_in_place_as_a_new_epoch_and_keeps_what_it_replaced(copy: Path, path: Path) -> None:
    restored = restore(copy, path, migrations=MIGRATIONS, clock=TickingClock(1_796_053_807_000_000))
    assert restored.facts.epoch == 2
    assert restored.facts.place == str(path)
    assert restored.kept is not None
    assert restored.kept.name.startswith("waypost.db.replaced.20261130T")
    assert opened(path) == (2, [1])
    assert opened(restored.kept) == (1, [1, 2])
    assert opened(copy) == (1, [1])
    assert path.stat().st_mode & 0o777 == 0o600
    assert not list(path.parent.glob(".*"))


@promise("store.restore.new_epoch")
def test_each_restore_lies_above_both_the_replaced_store_and_the_backup(copy: Path, path: Path) -> None:
    assert [restore(copy, path, migrations=MIGRATIONS).facts.epoch for _ in range(3)] == [2, 3, 4]
    later = SqliteStore.open(path, migrations=MIGRATIONS)
    newer = backup(later, copy.with_name("newer.db"))
    later.close()
    other = path.parent / "other.db"
    assert restore(copy, other, migrations=MIGRATIONS).kept is None
    assert restore(newer, other, migrations=MIGRATIONS).facts.epoch == 5


@promise("store.restore.new_epoch")
def test_the_domains_statements_end_leases_above_every_earlier_generation(path: Path, tmp_path: Path) -> None:
    store = SqliteStore.open(path, migrations=LEASED)
    copy = backup(store, tmp_path / "copy.db")
    store.close()
    restore(copy, path, migrations=LEASED, endings=[END_LEASES])
    first = SqliteStore.open(path, migrations=LEASED)
    assert first.read(lambda tx: tx.row(LEASE)) == {"holder": None, "generation": 2 * GENERATIONS_PER_EPOCH}
    first.close()
    restore(copy, path, migrations=LEASED, endings=[END_LEASES])
    second = SqliteStore.open(path, migrations=LEASED)
    assert second.read(lambda tx: tx.row(LEASE)) == {"holder": None, "generation": 3 * GENERATIONS_PER_EPOCH}
    second.close()


@promise("store.restore.new_epoch")
def test_an_older_backup_is_migrated_before_its_leases_are_ended(copy: Path, path: Path) -> None:
    restored = restore(copy, path, migrations=LEASED, endings=[END_LEASES])
    assert restored.facts.schema == 3
    store = SqliteStore.open(path, migrations=LEASED)
    assert store.read(lambda tx: tx.row(LEASE)) == {"holder": None, "generation": 2 * GENERATIONS_PER_EPOCH}
    store.close()


@promise("store.restore.new_epoch", "store.corrupt.clear_error")
def test_a_damaged_store_is_replaced_with_its_wal_kept_and_its_epoch_surely_passed(copy: Path, path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 8192)
    wal = Path(f"{path}-wal")
    wal.write_bytes(b"a wal that belongs to the damaged file")
    restored = restore(copy, path, migrations=MIGRATIONS)
    assert restored.facts.epoch == 1002
    assert restored.kept is not None
    assert Path(f"{restored.kept}-wal").read_bytes() == b"a wal that belongs to the damaged file"
    assert not wal.exists()
    assert opened(path) == (1002, [1])


@promise("store.restore.new_epoch")
def test_a_restore_needs_the_store_stopped(copy: Path, path: Path) -> None:
    running = SqliteStore.open(path, migrations=MIGRATIONS)
    with pytest.raises(StoreBusy):
        restore(copy, path, migrations=MIGRATIONS, lock_timeout=0)
    assert running.read(numbers) == [1, 2]
    running.close()


@promise("store.restore.new_epoch")
def test_what_cannot_be_restored_is_refused_and_the_store_is_as_it_was(copy: Path, path: Path, tmp_path: Path) -> None:
    garbage, other, torn = tmp_path / "garbage", tmp_path / "other.db", tmp_path / "torn.db"
    garbage.write_bytes(b"no database" * 100)
    import_other(other)
    content = bytearray(copy.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xa5" * 4096
    torn.write_bytes(content)
    twisted = twist(copy, tmp_path / "twisted.db")
    before = path.read_bytes()
    for source, kind in [
        (garbage, StoreDamaged),
        (other, StoreForeign),
        (torn, StoreDamaged),
        (twisted, StoreDamaged),
        (tmp_path / "no", NotFound),
    ]:
        with pytest.raises(kind):
            restore(source, path, migrations=MIGRATIONS)
    with pytest.raises(SchemaNewer):
        restore(copy, path, migrations=MIGRATIONS[:1])
    with pytest.raises(InvalidInput):
        restore(path, path, migrations=MIGRATIONS)
    assert path.read_bytes() == before
    assert {file.name for file in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}


def twist(copy: Path, place: Path) -> Path:
    """A store whose pages are sound, but one of whose indexes holds something else than its table."""
    place.write_bytes(copy.read_bytes())
    connection = apsw.Connection(str(place))
    connection.pragma("writable_schema", 1)
    connection.execute("update sqlite_schema set sql = replace(sql, '(scope_a, position)', '(kind, position)')")
    connection.close()
    return place


def import_other(place: Path) -> None:
    connection = apsw.Connection(str(place))
    connection.execute("create table notes (text)")
    connection.close()


@promise("store.restore.new_epoch")
def test_a_restore_that_fails_at_its_last_step_gives_the_store_its_only_name_back(
    copy: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise StoreUnavailable("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(restoring, "publish", fails)
        with pytest.raises(StoreUnavailable, match="disk is gone"):
            restore(copy, path, migrations=MIGRATIONS)
    assert opened(path) == (1, [1, 2])
    assert not list(path.parent.glob(".*"))


@promise("store.restore.new_epoch")
def test_a_failing_ending_changes_nothing(copy: Path, path: Path) -> None:
    wrong = Query(name="wrong", text="update nowhere set holder = null")
    with pytest.raises(Exception, match="nowhere"):
        restore(copy, path, migrations=MIGRATIONS, endings=[wrong])
    assert opened(path) == (1, [1, 2])


@promise("store.restore.new_epoch")
def test_a_backup_in_a_folder_that_cannot_be_written_is_restored(copy: Path, path: Path) -> None:
    copy.chmod(0o400)
    copy.parent.chmod(0o500)
    assert restore(copy, path, migrations=MIGRATIONS).facts.epoch == 2
    copy.parent.chmod(0o700)
