"""A process that ends at a named point leaves a whole store: what it acknowledged is there, what it did not can be repeated."""

from __future__ import annotations

import functools
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from tests.crash.home import Home
from tests.crash.office import MIGRATIONS, bodies, opened, prepare, send, whole
from tests.promises.marks import promise
from waypost.mail.store import RESTORE_ENDINGS
from waypost.store.interface import Query
from waypost.store.sqlite.backup import backup
from waypost.store.sqlite.engine import SqliteStore
from waypost.store.sqlite.restore import restore

COUNT = Query(name="count", text="select count(*) as n from mail_by_body")
DOOMED = "Please look at doomed"
COMMITTED = "wal:sync:after:2"
"""After the commit's sync and before the answer: the first sync is that of the new WAL's header."""
MESSAGES = 60
"""Enough that copies and checkpoints write many pages."""


@functools.cache
def prepared() -> tuple[bytes, tuple[str, ...]]:
    """A store's file and the ids of its mail, made once."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "waypost.db")
        ids = prepare(database, messages=MESSAGES)
        return database.read_bytes(), tuple(ids)


def lay(home: Home) -> tuple[str, ...]:
    """Puts the prepared store into the home; answers the ids of its mail."""
    content, ids = prepared()
    home.database.write_bytes(content)
    return ids


def crash(home: Home, deed: str, point: str, *file: Path) -> str:
    """Runs the deed until it ends at the point, which the child must have reported; answers what it printed before."""
    status, words = home.run("-m", "tests.crash.crashing_child", deed, point, str(home.database), *map(str, file))
    printed, _, last = words.rstrip("\n").rpartition("\n")
    assert (status, last) == (-signal.SIGKILL, f"reached {point}"), words
    return printed


def leave_in_wal(home: Home) -> str:
    """The id of a message that a killed process committed and that only the WAL holds."""
    crash(home, "send", COMMITTED)
    assert Path(f"{home.database}-wal").stat().st_size > 0
    waypost = opened(copied(home))
    (found,) = [id_ for id_, words in bodies(waypost).items() if words == DOOMED]
    waypost.close()
    return found


def copied(home: Home) -> Path:
    """A copy of the store with its WAL, so that looking at it does not change it."""
    folder = home.folder / "looked-at"
    folder.mkdir(exist_ok=True)
    for ending in ("", "-wal"):
        if Path(f"{home.database}{ending}").exists():
            shutil.copy(f"{home.database}{ending}", folder / f"{home.database.name}{ending}")
    return folder / home.database.name


@promise("store.crash.nothing_lost", "mail.send.durable_before_answer")
@pytest.mark.parametrize(
    "point",
    ["wal:write:before:1", "wal:write:before:4", "wal:sync:after:1", "wal:sync:before:2", COMMITTED],
)
def test_a_send_that_dies_around_its_commit_is_there_whole_or_not_and_its_repeat_stores_it_once(
    home: Home, point: str
) -> None:
    before = lay(home)
    assert crash(home, "send", point) == ""
    waypost = opened(home.database)
    there = [words for words in bodies(waypost).values() if words == DOOMED]
    assert set(before) <= set(bodies(waypost))
    assert whole(waypost)
    repeated = send(waypost, key="doomed")["message_id"]
    after = bodies(waypost)
    assert [id_ for id_, words in after.items() if words == DOOMED] == [repeated]
    assert len(there) <= 1
    if point == COMMITTED:
        assert there == [DOOMED]
    waypost.close()


@promise("store.crash.nothing_lost")
@pytest.mark.parametrize(
    ("deed", "point"),
    [
        ("close", "database:write:before:1"),
        ("close", "database:write:after:3"),
        ("close", "database:sync:before:1"),
        ("close", "database:sync:after:1"),
        ("idle", "database:write:before:2"),
        ("idle", "database:sync:before:1"),
        ("idle", "wal:truncate:before:1"),
        ("idle", "wal:truncate:after:1"),
    ],
)
def test_a_checkpoint_that_dies_at_any_step_loses_nothing(home: Home, deed: str, point: str) -> None:
    before = lay(home)
    crash(home, deed, point)
    waypost = opened(home.database)
    found = bodies(waypost)
    assert set(before) <= set(found)
    assert "Please look at before the checkpoint" in found.values()
    assert whole(waypost)
    repeated = send(waypost, key="before the checkpoint")["message_id"]
    assert repeated in found
    waypost.close()


@promise("store.migrations.forward_only", "store.migrations.backup_first", "store.crash.nothing_lost")
@pytest.mark.parametrize(
    "point",
    [
        "partial:write:before:1",
        "partial:write:after:20",
        "call:hardlink_to:before:1",
        "call:hardlink_to:after:1",
        "wal:write:before:1",
        "wal:write:after:30",
        "wal:sync:before:1",
        "wal:sync:after:1",
    ],
)
def test_a_migration_that_dies_at_any_step_is_whole_or_not_begun_and_the_next_start_finishes_it(
    home: Home, point: str
) -> None:
    before = lay(home)
    crash(home, "migrate", point)
    store = SqliteStore.open(home.database, migrations=MIGRATIONS)
    assert store.facts.schema == len(MIGRATIONS)
    assert store.read(lambda tx: tx.rows(COUNT))[0]["n"] == 2 * len(before)
    store.close()
    copies = sorted(home.database.parent.glob("waypost.db.schema-*.backup"))
    assert copies
    for copy in copies:
        waypost = opened(copy)
        assert sorted(bodies(waypost)) == sorted(before)
        waypost.close()
    assert not list(home.database.parent.glob(".*.partial"))


@promise("store.backup.whole")
@pytest.mark.parametrize(
    "point",
    [
        "partial:write:before:1",
        "partial:write:after:20",
        "partial:sync:before:1",
        "partial:sync:after:1",
        "call:hardlink_to:before:1",
        "call:hardlink_to:after:1",
        "call:unlink:before:1",
    ],
)
def test_a_backup_that_dies_leaves_a_whole_copy_or_none_and_can_be_repeated(home: Home, point: str) -> None:
    before = lay(home)
    target = home.folder / "copies" / "copy.db"
    crash(home, "backup", point, target)
    waypost = opened(home.database)
    assert isinstance(waypost.store, SqliteStore)
    assert sorted(bodies(waypost)) == sorted(before)
    backup(waypost.store, target, overwrite=True)
    waypost.close()
    assert [file.name for file in target.parent.iterdir()] == ["copy.db"]
    copy = opened(target)
    assert sorted(bodies(copy)) == sorted(before)
    copy.close()


@promise("store.restore.new_epoch", "store.crash.nothing_lost")
@pytest.mark.parametrize(
    "point",
    [
        "partial:write:before:1",
        "partial:sync:before:1",
        "call:hardlink_to:before:1",
        "call:hardlink_to:after:1",
        "call:replace:before:1",
        "call:replace:after:1",
    ],
)
def test_a_restore_that_dies_leaves_the_old_store_or_the_new_one_and_can_be_repeated(home: Home, point: str) -> None:
    before = lay(home)
    copy = home.folder / "copy.db"
    waypost = opened(home.database)
    assert isinstance(waypost.store, SqliteStore)
    backup(waypost.store, copy)
    waypost.close()
    later = leave_in_wal(home)
    crash(home, "restore", point, copy)
    waypost = opened(home.database)
    epoch = waypost.store.facts.epoch
    expected = {*before, later} if epoch == 1 else {*before}
    assert set(bodies(waypost)) == expected
    assert (epoch == 2) == (point == "call:replace:after:1")
    assert whole(waypost)
    waypost.close()
    again = restore(copy, home.database, endings=RESTORE_ENDINGS)
    assert again.facts.epoch == epoch + 1
    assert again.kept is not None
    kept = opened(again.kept)
    assert set(bodies(kept)) == expected
    kept.close()
    assert not list(home.database.parent.glob(".*.partial"))
