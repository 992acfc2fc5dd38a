"""One process has a store open, wherever it is named from, and only on a disk of its own machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.promises.marks import promise
from tests.store.children import child, output
from tests.store.stores import MIGRATIONS, numbers, put
from waypost.kernel.errors import StoreBusy, StoreUnavailable
from waypost.store.errors import StoreMisplaced
from waypost.store.migrations import migration
from waypost.store.sqlite import SqliteStore, lock, place
from waypost.store.sqlite.lock import StoreLock


@promise("store.lock.one_process", "store.lock.released_by_death")
def test_a_second_process_is_refused_with_the_holders_id_and_let_in_after_its_death(path: Path) -> None:
    with child("holding_child", str(path)) as holder:
        assert output(holder).readline() == b"open\n"
        with pytest.raises(StoreBusy, match=f"process {holder.pid}") as refusal:
            SqliteStore.open(path, migrations=MIGRATIONS, lock_timeout=0)
        assert "waypost stop" in refusal.value.hint
        assert refusal.value.retryable
        holder.kill()
        holder.wait(20)
    SqliteStore.open(path, migrations=MIGRATIONS, lock_timeout=0).close()


@promise("store.lock.one_process")
def test_two_names_of_one_file_are_one_lock(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").symlink_to(path.parent)
    (tmp_path / "other.db").symlink_to(path)
    for name in (tmp_path / "elsewhere" / path.name, tmp_path / "other.db", path.parent / ".." / "home" / path.name):
        with pytest.raises(StoreBusy, match=f"process {os.getpid()}"):
            SqliteStore.open(name, migrations=MIGRATIONS, lock_timeout=0)


@promise("store.lock.one_process")
def test_a_hard_link_to_a_store_is_refused_under_both_names(path: Path, tmp_path: Path) -> None:
    SqliteStore.open(path, migrations=MIGRATIONS).close()
    (tmp_path / "second.db").hardlink_to(path)
    for name in (path, tmp_path / "second.db"):
        with pytest.raises(StoreMisplaced, match="hard link"):
            SqliteStore.open(name, migrations=MIGRATIONS)


@promise("store.lock.one_process")
def test_a_lock_file_removed_by_somebody_is_not_mistaken_for_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "waypost.db"
    real = lock._try_lock
    removed: list[int] = []

    def removes_first(descriptor: int) -> bool:
        if not removed:
            removed.append(descriptor)
            (tmp_path / "waypost.db.lock").unlink()
        return real(descriptor)

    monkeypatch.setattr(lock, "_try_lock", removes_first)
    first = StoreLock.acquire(database, timeout=0)
    with pytest.raises(StoreBusy):
        StoreLock.acquire(database, timeout=0)
    first.release()
    first.release()
    StoreLock.acquire(database, timeout=0).release()


class Moments:
    """A time module whose sleeping only moves its own clock."""

    def __init__(self) -> None:
        self.at = 100.0

    def monotonic(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds


@promise("store.lock.busy_after_wait")
def test_a_held_store_is_waited_for_five_seconds(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = Moments()
    monkeypatch.setattr(lock, "time", moments)
    with pytest.raises(StoreBusy):
        SqliteStore.open(path, migrations=MIGRATIONS)
    assert 5 <= moments.at - 100 < 5.1


@promise("store.lock.busy_after_wait")
def test_a_store_that_becomes_free_in_time_is_opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holder = SqliteStore.open(path, migrations=MIGRATIONS)
    moments = Moments()

    def closes(seconds: float) -> None:
        holder.close()
        moments.at += seconds

    monkeypatch.setattr(moments, "sleep", closes)
    monkeypatch.setattr(lock, "time", moments)
    SqliteStore.open(path, migrations=MIGRATIONS).close()


@promise("store.migrations.only_lock_holder")
def test_nobody_but_the_lock_holder_migrates(store: SqliteStore, path: Path) -> None:
    newer = [*MIGRATIONS, migration("0003_more.sql", "create table more (id {big}) {strict};")]
    with pytest.raises(StoreBusy):
        SqliteStore.open(path, migrations=newer, lock_timeout=0)
    assert store.write(put(1)) == 1
    store.close()
    again = SqliteStore.open(path, migrations=MIGRATIONS)
    assert (again.facts.schema, again.read(numbers)) == (2, [1])
    again.close()


@promise("store.lock.network_refused")
@pytest.mark.parametrize(
    "kind",
    ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs", "fuse.rclone", "ceph", "lustre", "vboxsf"],
)
def test_a_network_file_system_is_refused_before_anything_is_made(path: Path, kind: str) -> None:
    asked: list[Path] = []

    def probe(folder: Path) -> str:
        asked.append(folder)
        return kind

    with pytest.raises(StoreMisplaced, match=kind) as refusal:
        SqliteStore.open(path, migrations=MIGRATIONS, probe=probe)
    assert (refusal.value.code, refusal.value.retryable) == ("store_unavailable", False)
    assert "local disk" in refusal.value.hint
    assert asked == [path.parent.parent]
    assert not path.parent.exists()


@promise("store.lock.network_refused")
@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "zfs", "apfs", "tmpfs", "overlay", "fuseblk", ""])
def test_a_local_file_system_is_taken(path: Path, kind: str) -> None:
    SqliteStore.open(path, migrations=MIGRATIONS, probe=lambda _: kind).close()


@promise("store.lock.network_refused")
def test_the_file_system_is_that_of_the_deepest_and_latest_mount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = tmp_path / "my share"
    share.mkdir()
    mounts = "\n".join(
        [
            "21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw",
            f"33 21 0:30 / {tmp_path}/my\\040share rw shared:1 - ext4 /dev/sdb1 rw",
            f"34 33 0:31 / {tmp_path}/my\\040share rw shared:2 master:1 - nfs4 host:/x rw",
            f"35 21 0:32 / {tmp_path}/my rw - tmpfs tmpfs rw",
        ]
    )
    monkeypatch.setattr(Path, "read_text", lambda self, **_: mounts)
    monkeypatch.setattr("sys.platform", "linux")
    assert place.file_system_of(share) == "nfs4"
    assert place.file_system_of(tmp_path) == "ext4"


@promise("store.lock.network_refused")
def test_mac_mounts_are_read_as_the_system_lists_them(monkeypatch: pytest.MonkeyPatch) -> None:
    listing = (
        "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
        "//maria@host/share on /Volumes/my share (smbfs, nodev, nosuid)\n"
    )

    class Done:
        stdout = listing

    monkeypatch.setattr("waypost.store.sqlite.place.subprocess.run", lambda *_, **__: Done())
    assert place._mac_mounts() == [("/", "apfs"), ("/Volumes/my share", "smbfs")]


@promise("store.lock.network_refused")
def test_this_machines_own_file_system_is_known() -> None:
    assert place.file_system_of(Path("/")) != ""


@promise("store.files.private")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o277])
def test_every_file_and_new_folder_is_for_the_owner_alone_whatever_the_umask(path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        store = SqliteStore.open(path, migrations=MIGRATIONS)
        store.write(put(1))
    finally:
        os.umask(before)
    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    store.close()
    assert modes == {path.name + ending: 0o600 for ending in ("", "-wal", "-shm", ".lock")}
    assert path.parent.stat().st_mode & 0o777 == 0o700


@promise("store.files.private")
def test_an_existing_store_that_others_could_read_is_closed_to_them(path: Path) -> None:
    SqliteStore.open(path, migrations=MIGRATIONS).close()
    path.chmod(0o644)
    SqliteStore.open(path, migrations=MIGRATIONS).close()
    assert path.stat().st_mode & 0o777 == 0o600


@promise("store.corrupt.clear_error")
def test_a_folder_in_the_place_of_the_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="is a folder"):
        SqliteStore.open(tmp_path, migrations=MIGRATIONS)
