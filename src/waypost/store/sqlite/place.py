"""Where a store's file lies: its real path, whether SQLite is safe there, and who may read it.

SQLite's WAL needs shared memory and locks that network file systems do not keep, so they are refused before anything is
created. Files are made for their owner alone, whatever the umask. Knows nothing of SQL.
"""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from waypost.kernel.errors import StoreFull, StoreReadOnly, StoreUnavailable
from waypost.store.errors import StoreDamaged, StoreMisplaced

__all__ = [
    "FILE_MODE",
    "Probe",
    "check_file",
    "check_file_system",
    "check_header",
    "file_system_of",
    "make_file",
    "make_folder",
    "real_path",
    "sync_folder",
    "unwritable",
]

Probe = Callable[[Path], str]
"""Answers the type of the file system that holds a path, such as `ext4`; empty where it is not known."""

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
CLOSE_ON_EXEC: Final[int] = getattr(os, "O_CLOEXEC", 0)
MAGIC: Final = b"SQLite format 3\x00"
UNSAFE: Final = re.compile(
    r"(fuse\.|fuseblk\.)?(nfs\d?|cifs|smb\w*|9p|afs|ncpfs?|ceph(-fuse)?|glusterfs|lustre|gpfs|beegfs\w*|ocfs2|gfs2|orangefs|pvfs2|"
    r"webdav|davfs2?|sshfs|rclone|s3fs|gcsfuse|osxfs|grpcfuse|vboxsf|prl_fs|afpfs|ftp\w*)"
)


def real_path(path: str | Path) -> Path:
    """The one path of a store, with symbolic links followed, so that two names of one file are one store."""
    return Path(os.path.realpath(Path(path).expanduser()))


def check_file_system(path: Path, probe: Probe) -> None:
    """Refuses (`store_unavailable`) a real path on a network file system. Changes nothing."""
    folder = next(parent for parent in path.parents if parent.exists())
    kind = probe(folder)
    if UNSAFE.fullmatch(kind):
        raise StoreMisplaced(
            f"{path} lies on a network or shared file system ({kind}), where SQLite can lose data. Nothing was created.",
            hint="Put the store on a local disk with --database or WAYPOST_DATABASE; for several machines use Postgres.",
        )


def check_file(path: Path) -> None:
    """Refuses (`store_unavailable`) a folder, a file that is no database, one with a second hard link, and a missing file that
    left its -wal file behind. Changes nothing."""
    try:
        _check_file(path)
    except PermissionError as error:
        raise StoreReadOnly(f"{path} cannot be read by this account. Nothing was changed.") from error


def check_header(path: Path) -> None:
    """Refuses (`store_unavailable`) a file that does not begin as SQLite's do."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise StoreDamaged(f"{path} is not an SQLite database. It was left as it is.")


def make_file(path: Path) -> None:
    """Makes the store's file, and its folder where that is missing, for the owner alone. An existing file loses the rights of
    others. Refuses (`store_unavailable`) where the folder cannot be written."""
    try:
        make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | CLOSE_ON_EXEC, FILE_MODE)
        try:
            _private(descriptor)
        finally:
            os.close(descriptor)
        sync_folder(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error


def _private(descriptor: int) -> None:
    """Takes the rights of others; an empty file is new and gets those of its owner, which the umask may have taken."""
    facts = os.fstat(descriptor)
    mode = FILE_MODE if facts.st_size == 0 else facts.st_mode & FILE_MODE
    if mode != facts.st_mode & 0o777 and sys.platform != "win32":
        os.fchmod(descriptor, mode)


def make_folder(folder: Path) -> None:
    """Makes a folder with its parents; those that are new are for the owner alone."""
    missing = [parent for parent in [folder, *folder.parents] if not parent.exists()]
    for parent in reversed(missing):
        parent.mkdir(mode=FOLDER_MODE, exist_ok=True)
        parent.chmod(FOLDER_MODE)


def sync_folder(folder: Path) -> None:
    """Makes new names in a folder durable, where the system can."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_system_of(path: Path) -> str:
    """The type of the file system that holds an existing path, as the system names it; empty where it is not known."""
    listing = {"linux": _linux_mounts, "darwin": _mac_mounts}.get(sys.platform)
    return _longest(path, listing()) if listing else ""


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise StoreUnavailable(
            f"{path} is a folder. Nothing was changed.", hint="Name a file in it, such as waypost.db, with --database."
        )
    size = path.stat().st_size if path.exists() else 0
    if size == 0:
        wal = Path(f"{path}-wal")
        if wal.exists() and wal.stat().st_size > 0:
            raise StoreDamaged(f"{path} is missing or empty, but its -wal file holds data. Nothing was changed.")
        return
    if path.stat().st_nlink > 1:
        raise StoreMisplaced(
            f"{path} has a second name (a hard link), under which another program could open it. Nothing was changed.",
            hint="Remove the other name, or copy the file and use the copy.",
        )
    check_header(path)


def unwritable(path: Path, error: OSError) -> StoreUnavailable:
    """The refusal for a file that cannot be made or written."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        return StoreUnavailable(f"{path} cannot be made: a part of its path is a file.", hint="Choose another path.")
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull(f"{path} cannot be made: the disk is full. Nothing was changed.")
    return StoreReadOnly(f"{path} or its folder cannot be written ({error.strerror}). Nothing was changed.")


def _longest(path: Path, mounts: list[tuple[str, str]]) -> str:
    place = Path(os.path.realpath(path))
    best, kind = -1, ""
    for point, type_ in mounts:
        if place.is_relative_to(point) and len(point) >= best:  # of two mounts at one point the later one is on top
            best, kind = len(point), type_
    return kind


def _linux_mounts() -> list[tuple[str, str]]:
    mounts: list[tuple[str, str]] = []
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return mounts
    for line in lines:
        before, _, after = line.partition(" - ")
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal.group(1), 8)), before.split(" ")[4])
        mounts.append((point, after.split(" ")[0]))
    return mounts


def _mac_mounts() -> list[tuple[str, str]]:
    listing = subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=5, check=False).stdout
    return [(found[1], found[2]) for found in re.finditer(r"^.+? on (/.*) \((\w+)", listing, re.MULTILINE)]
