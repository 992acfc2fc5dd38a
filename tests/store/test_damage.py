"""Files that are damaged, foreign, read-only, or opened by an old SQLite: a clear refusal, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.promises.marks import promise
from tests.store.stores import ACTOR, INSERT, MIGRATIONS, numbers, ordinary_account, put
from waypost.kernel.errors import StoreReadOnly, StoreUnavailable
from waypost.store.errors import StoreDamaged, StoreForeign
from waypost.store.interface import Query, Transaction
from waypost.store.sqlite import SqliteStore, engine
from waypost.store.sqlite.backup import check

PAGE = 4096


@promise("store.corrupt.clear_error")
@pytest.mark.parametrize("content", [b"not a database at all" * 500, b"SQLite format 2\x00" + bytes(8192), b"x"])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="not an SQLite database") as refusal:
        SqliteStore.open(path, migrations=MIGRATIONS)
    assert "waypost restore" in refusal.value.hint
    assert not refusal.value.retryable
    assert path.read_bytes() == content
    assert {file.name for file in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}


@promise("store.corrupt.clear_error")
def test_a_damaged_head_behind_the_right_first_bytes_is_refused(path: Path) -> None:
    path.parent.mkdir()
    content = b"SQLite format 3\x00" + b"\xff" * (2 * PAGE)
    path.write_bytes(content)
    with pytest.raises(StoreDamaged):
        SqliteStore.open(path, migrations=MIGRATIONS)
    assert path.read_bytes() == content


def damage(path: Path) -> bytes:
    """A store with rows, whose pages behind the schema are overwritten; answers the damaged file's content."""
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    for number in range(40):
        store.write(put(number, bytes([number]) * 3000))
    root = int(store.read(lambda tx: tx.row(Query(name="root", text=ROOT)))["root"])  # type: ignore[index,arg-type] # the row is there
    store.close()
    content = bytearray(path.read_bytes())
    content[(root - 1) * PAGE : root * PAGE] = b"\xa5" * PAGE
    path.write_bytes(content)
    return bytes(content)


ROOT = "select rootpage as root from sqlite_schema where name = 'scratch'"


@promise("store.corrupt.clear_error")
def test_a_damaged_page_is_a_clear_refusal_and_ends_all_writing(path: Path) -> None:
    content = damage(path)
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    with pytest.raises(StoreDamaged, match="damaged pages") as refusal:
        store.write(put(100))
    assert "waypost restore" in refusal.value.hint
    with pytest.raises(StoreDamaged):
        store.write(lambda tx: tx.journal("kind", "id", version=1, actor=ACTOR, scopes=[]))
    with pytest.raises(StoreDamaged):
        store.read(numbers)
    assert check(store)
    store.close()
    assert path.read_bytes() == content


@promise("store.corrupt.clear_error")
def test_damage_seen_by_a_reader_ends_writing_too(path: Path) -> None:
    content = damage(path)
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    with pytest.raises(StoreDamaged):
        store.read(numbers)
    with pytest.raises(StoreDamaged):
        store.write(lambda tx: tx.journal("kind", "id", version=1, actor=ACTOR, scopes=[]))
    store.close()
    assert path.read_bytes() == content


@promise("store.corrupt.clear_error")
def test_a_wal_whose_database_is_gone_is_not_thrown_away(path: Path) -> None:
    path.parent.mkdir()
    Path(f"{path}-wal").write_bytes(b"what was committed last")
    with pytest.raises(StoreDamaged, match="-wal file holds data"):
        SqliteStore.open(path, migrations=MIGRATIONS)
    assert Path(f"{path}-wal").read_bytes() == b"what was committed last"
    assert not path.exists()


@promise("store.corrupt.clear_error")
def test_the_check_of_a_whole_store_finds_nothing(store: SqliteStore) -> None:
    store.write(put(1))
    assert check(store) == []


@promise("store.migrations.forward_only")
def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    other = apsw.Connection(str(path))
    other.execute("create table notes (text)")
    other.close()
    content = path.read_bytes()
    with pytest.raises(StoreForeign, match="another program"):
        SqliteStore.open(path, migrations=MIGRATIONS)
    assert path.read_bytes() == content


@promise("store.readonly.clear_error")
def test_a_file_that_cannot_be_written_is_refused_with_what_to_do(path: Path) -> None:
    SqliteStore.open(path, migrations=MIGRATIONS).close()
    path.chmod(0o400)
    with ordinary_account(path.parent), pytest.raises(StoreReadOnly, match="cannot be written") as refusal:
        SqliteStore.open(path, migrations=MIGRATIONS)
    assert "write access" in refusal.value.hint
    assert not refusal.value.retryable


@promise("store.readonly.clear_error")
@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_that_cannot_be_written_is_refused_with_what_to_do(path: Path, exists: bool) -> None:
    path.parent.mkdir()
    if exists:
        SqliteStore.open(path, migrations=MIGRATIONS).close()
        Path(f"{path}.lock").unlink()
    path.parent.chmod(0o500)
    try:
        with ordinary_account(path.parent), pytest.raises(StoreReadOnly, match="cannot be written") as refusal:
            SqliteStore.open(path, migrations=MIGRATIONS)
    finally:
        path.parent.chmod(0o700)
    assert "folder" in refusal.value.hint


@promise("store.readonly.clear_error")
def test_a_file_that_cannot_be_read_is_refused(path: Path) -> None:
    SqliteStore.open(path, migrations=MIGRATIONS).close()
    path.chmod(0o000)
    with ordinary_account(path.parent), pytest.raises(StoreReadOnly, match="cannot be read"):
        SqliteStore.open(path, migrations=MIGRATIONS)


@promise("store.readonly.clear_error")
def test_a_store_that_turns_read_only_while_it_runs_refuses_writes_and_still_reads(store: SqliteStore) -> None:
    store.write(put(1))
    connection = store._writer._connection
    assert connection is not None
    connection.pragma("query_only", 1)
    with pytest.raises(StoreReadOnly):
        store.write(put(2))
    assert store.read(numbers) == [1]
    assert store.write(put(2)) == 2


@promise("store.sqlite.version_checked")
@pytest.mark.parametrize("version", ["3.40.1", "3.51.2", "3.7.0"])
def test_an_sqlite_with_the_wal_fault_is_refused_before_anything_is_made(
    path: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "sqlite_version", lambda: version)
    with pytest.raises(StoreUnavailable, match=version) as refusal:
        SqliteStore.open(path, migrations=MIGRATIONS)
    assert "upgrade apsw" in refusal.value.hint
    assert not path.parent.exists()


@promise("store.sqlite.version_checked")
@pytest.mark.parametrize("version", ["3.51.3", "3.54.1", "3.100.0", "4.0.0"])
def test_an_sqlite_without_the_wal_fault_is_taken(path: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "sqlite_version", lambda: version)
    SqliteStore.open(path, migrations=MIGRATIONS).close()


def test_a_broken_statement_is_a_fault_of_the_program_and_not_of_the_store(store: SqliteStore) -> None:
    def mistaken(tx: Transaction) -> None:
        tx.execute(INSERT, {"id": 1, "body": None})

    with pytest.raises(apsw.ConstraintError):
        store.write(mistaken)
    with pytest.raises(KeyError):
        store.write(lambda tx: tx.execute(INSERT, {"id": 1}))
    with pytest.raises(apsw.SQLError):
        store.read(lambda tx: tx.rows(Query(name="wrong", text="select nothing from scratch")))
    assert store.write(put(1)) == 1
