"""Migrations: numbered, forward only, never edited, one transaction each, after a copy of what was there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.promises.marks import promise
from tests.store.stores import MIGRATIONS, TickingClock, numbers, put
from waypost.kernel.errors import SchemaNewer, StoreUnavailable
from waypost.store.errors import StoreForeign
from waypost.store.interface import Query
from waypost.store.migrations import Applied, in_order, load_migrations, migration, pending
from waypost.store.sqlite import SqliteStore
from waypost.store.sqlite.dialect import script

MORE = migration("0003_more.sql", "create table more (id {big}) {strict};")
NEWER = (*MIGRATIONS, MORE)
TABLES = Query(name="tables", text="select name from sqlite_schema where type = 'table' order by name")


def copies(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.backup"))


@promise("store.migrations.forward_only")
def test_the_migrations_that_come_with_waypost_are_numbered_without_gaps_and_make_a_store(path: Path) -> None:
    shipped = load_migrations()
    assert [step.version for step in shipped] == list(range(1, len(shipped) + 1))
    store = SqliteStore.open(path)
    assert store.facts.schema == len(shipped)
    assert not copies(path)
    store.close()


@promise("store.migrations.forward_only")
def test_a_store_keeps_its_name_and_rows_over_a_migration(path: Path) -> None:
    old = SqliteStore.open(path, migrations=MIGRATIONS, clock=TickingClock())
    old.write(put(1))
    old.close()
    new = SqliteStore.open(path, migrations=NEWER)
    assert (new.facts.store_id, new.facts.created_at, new.facts.epoch) == (
        old.facts.store_id,
        old.facts.created_at,
        1,
    )
    assert (new.facts.schema, new.read(numbers)) == (3, [1])
    new.close()


@promise("store.migrations.forward_only")
def test_an_edited_migration_is_refused_and_nothing_is_changed(path: Path) -> None:
    SqliteStore.open(path, migrations=MIGRATIONS).close()
    content = path.read_bytes()
    edited = migration("0002_scratch.sql", MIGRATIONS[1].text + "\n-- a word more")
    with pytest.raises(StoreForeign, match="another migration 0002") as refusal:
        SqliteStore.open(path, migrations=[MIGRATIONS[0], edited, MORE])
    assert (refusal.value.code, refusal.value.retryable) == ("store_unavailable", False)
    assert path.read_bytes() == content
    assert not copies(path)


@promise("store.migrations.newer_refused")
def test_a_newer_schema_is_refused_and_left_untouched(path: Path) -> None:
    store = SqliteStore.open(path, migrations=NEWER)
    store.write(put(1))
    store.close()
    content = path.read_bytes()
    with pytest.raises(SchemaNewer, match=r"schema 3; this Waypost knows schemas up to 2") as refusal:
        SqliteStore.open(path, migrations=MIGRATIONS)
    assert "Upgrade this Waypost" in refusal.value.hint
    assert path.read_bytes() == content
    assert {file.name for file in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}


@promise("store.migrations.backup_first")
def test_an_existing_store_is_copied_whole_before_it_is_migrated(path: Path) -> None:
    old = SqliteStore.open(path, migrations=MIGRATIONS)
    old.write(put(1))
    old.close()
    SqliteStore.open(path, migrations=NEWER, clock=TickingClock(1_796_053_807_000_000)).close()
    (copy,) = copies(path)
    assert re.fullmatch(r"waypost\.db\.schema-0002\.20261130T\d{6}\.\d{6}Z\.backup", copy.name)
    assert copy.stat().st_mode & 0o777 == 0o600
    kept = SqliteStore.open(copy, migrations=MIGRATIONS)
    assert (kept.facts.store_id, kept.facts.schema, kept.read(numbers)) == (old.facts.store_id, 2, [1])
    kept.close()


@promise("store.migrations.backup_first")
def test_without_a_copy_there_is_no_migration(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteStore.open(path, migrations=MIGRATIONS).close()

    def fails(*_: object, **__: object) -> None:
        raise StoreUnavailable("no room for the copy")

    with monkeypatch.context() as patch:
        patch.setattr("waypost.store.sqlite.engine.copy_into", fails)
        with pytest.raises(StoreUnavailable, match="no room"):
            SqliteStore.open(path, migrations=NEWER)
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    assert store.facts.schema == 2
    store.close()


@promise("store.migrations.forward_only")
def test_a_migration_that_fails_leaves_the_store_as_the_one_before_made_it(path: Path) -> None:
    old = SqliteStore.open(path, migrations=MIGRATIONS)
    old.write(put(1))
    old.close()
    broken = migration("0004_broken.sql", "create table half (id {big}) {strict}; insert into nowhere values (1);")
    with pytest.raises(StoreForeign, match=r"Migration 0004 \('broken'\) failed"):
        SqliteStore.open(path, migrations=[*NEWER, broken])
    store = SqliteStore.open(path, migrations=NEWER)
    tables = [row["name"] for row in store.read(lambda tx: tx.rows(TABLES))]
    assert "more" in tables
    assert "half" not in tables
    assert store.read(numbers) == [1]
    store.close()


@promise("store.migrations.forward_only")
def test_a_migration_that_breaks_references_is_rolled_back(path: Path) -> None:
    SqliteStore.open(path, migrations=MIGRATIONS).close()
    dangling = migration(
        "0003_dangling.sql",
        "create table child (parent {big} references scratch (id)) {strict}; insert into child (parent) values (7);",
    )
    with pytest.raises(StoreUnavailable, match="without what they refer to"):
        SqliteStore.open(path, migrations=[*MIGRATIONS, dangling])
    SqliteStore.open(path, migrations=NEWER).close()


@promise("store.migrations.forward_only")
@pytest.mark.parametrize("versions", [["0002_a.sql"], ["0001_a.sql", "0003_b.sql"], ["0001_a.sql", "0001_b.sql"]])
def test_gaps_and_numbers_given_twice_are_faults_of_the_program(versions: list[str]) -> None:
    with pytest.raises(ValueError, match="without gaps"):
        in_order(migration(name, "") for name in versions)


@promise("store.migrations.forward_only")
def test_a_file_with_another_name_is_no_migration() -> None:
    with pytest.raises(ValueError, match="NNNN_name"):
        migration("1_first.sql", "")


@promise("store.migrations.forward_only")
def test_line_ends_do_not_count_as_an_edit() -> None:
    assert migration("0001_a.sql", "a\r\nb").checksum == migration("0001_a.sql", "a\nb").checksum


@promise("store.migrations.newer_refused")
def test_what_is_pending_is_decided_without_an_engine() -> None:
    done = [Applied(version=step.version, name=step.name, checksum=step.checksum) for step in NEWER]
    assert pending(NEWER, []) == NEWER
    assert pending(NEWER, done[:2]) == (MORE,)
    assert pending(NEWER, done) == ()
    with pytest.raises(SchemaNewer):
        pending(MIGRATIONS, done)


def test_an_unknown_token_is_a_fault_of_the_program() -> None:
    assert script("a {big} {json} '{}' {strict}") == "a integer text '{}' strict"
    with pytest.raises(ValueError, match=r"\{large\}"):
        script("create table x (id {large})")
