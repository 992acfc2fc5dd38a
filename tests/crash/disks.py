"""Disks that end the process at a named point, that forget what was not synced, or that are full: SQLite VFS shims over the
system's own, put in as the default one, so that every file which SQLite opens in that process lies on them.

They run in child processes only. Nothing of Waypost knows them.
"""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import apsw

__all__ = ["ForgetfulDisk", "FullDisk", "KillingDisk", "Point", "end_here", "point_of"]

FileName: TypeAlias = "str | apsw.URIFilename | None"
NAME: Final = "crash"
BASE: Final = apsw.vfs_names()[0]
"""The system's own, which is the default one until a shim is put in."""


class Point(NamedTuple):
    """Where a process ends: before or after the nth `operation` (`write`, `sync`, `truncate`) on a kind of file (`database`, `wal`,
    `partial` for a copy that is being made)."""

    kind: str
    operation: str
    moment: str
    nth: int

    def __str__(self) -> str:
        return ":".join(map(str, self))


def point_of(text: str) -> Point:
    """A point from its text, such as `wal:sync:before:1`."""
    kind, operation, moment, nth = text.split(":")
    return Point(kind, operation, moment, int(nth))


def end_here(point: object) -> None:
    """Reports the point and ends this process as a kill does."""
    os.write(1, f"reached {point}\n".encode())
    os.kill(os.getpid(), signal.SIGKILL)


def kind_of(name: FileName) -> str:
    """What a file is, by its name."""
    path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
    endings = {"-wal": "wal", "-journal": "journal", ".partial": "partial"}
    return next((kind for ending, kind in endings.items() if path.endswith(ending)), "database")


class KillingDisk(apsw.VFS):
    """Ends the process at a point once it was armed with it."""

    def __init__(self) -> None:
        super().__init__(NAME, BASE, makedefault=True)
        self._point: Point | None = None
        self._left = 0

    def arm(self, point: Point) -> None:
        """From now on operations are counted."""
        self._point, self._left = point, point.nth

    def passing(self, kind: str, operation: str, moment: str) -> None:
        """Called around each operation."""
        point = self._point
        if point is not None and (kind, operation, moment) == point[:3]:
            self._left -= 1
            if self._left == 0:
                end_here(point)

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        return KillingFile(self, name, flags)


class KillingFile(apsw.VFSFile):
    """One open file on a killing disk."""

    def __init__(self, disk: KillingDisk, name: FileName, flags: list[int]) -> None:
        super().__init__(BASE, name, flags)
        self._disk, self._kind = disk, kind_of(name)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's own name
        self._disk.passing(self._kind, "write", "before")
        super().xWrite(data, offset)
        self._disk.passing(self._kind, "write", "after")

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's own name
        self._disk.passing(self._kind, "sync", "before")
        super().xSync(flags)
        self._disk.passing(self._kind, "sync", "after")

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's own name
        self._disk.passing(self._kind, "truncate", "before")
        super().xTruncate(newsize)
        self._disk.passing(self._kind, "truncate", "after")


class FullDisk(apsw.VFS):
    """A disk without room for the WAL while a file named `flag` exists."""

    def __init__(self, flag: Path) -> None:
        super().__init__(NAME, BASE, makedefault=True)
        self.flag = flag

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's own name
        return FullFile(self, name, flags)


class FullFile(apsw.VFSFile):
    """One open file on a disk that may be full."""

    def __init__(self, disk: FullDisk, name: FileName, flags: list[int]) -> None:
        super().__init__(BASE, name, flags)
        self._disk, self._kind = disk, kind_of(name)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's own name
        if self._kind == "wal" and self._disk.flag.exists():
            raise apsw.exception_for(apsw.SQLITE_FULL)
        super().xWrite(data, offset)


class Content:
    """What a running system sees of one file, and the writes that the disk has not got yet: (offset, bytes), or (size, None) for a
    truncation."""

    def __init__(self, data: bytes) -> None:
        self.seen = bytearray(data)
        self.pending: list[tuple[int, bytes | None]] = []


class ForgetfulDisk(apsw.VFS):
    """A disk that gets a file's writes only with its sync. After so many operations the power fails: of what was not synced, a
    random part reaches the disk, in any order, and the process ends."""

    def __init__(self, *, operations: int, rng: random.Random) -> None:
        super().__init__(NAME, BASE, makedefault=True)
        self._left, self._rng = operations, rng
        self.contents: dict[str, Content] = {}
        self._files: dict[str, ForgetfulFile] = {}

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's own name
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        if path not in self.contents:
            self.contents[path] = Content(Path(path).read_bytes() if Path(path).exists() else b"")
        file = ForgetfulFile(self, path, name, flags)
        self._files[path] = file
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - SQLite's own name
        self.contents.pop(filename, None)
        super().xDelete(filename, syncdir)

    def passing(self) -> None:
        """Called before each write and sync."""
        self._left -= 1
        if self._left == 0:
            for path, content in self.contents.items():
                self._reach_by_chance(self._files[path], content)
            end_here("power failure")

    def _reach_by_chance(self, file: ForgetfulFile, content: Content) -> None:
        part = [write for write in content.pending if self._rng.random() < 0.5]
        self._rng.shuffle(part)
        for write in part:
            file.reach_disk(*write)


class ForgetfulFile(apsw.VFSFile):
    """One open file on a forgetful disk; all that are open under one name see the same."""

    def __init__(self, disk: ForgetfulDisk, path: str, name: FileName, flags: list[int]) -> None:
        super().__init__(BASE, name, flags)
        self._disk, self._content = disk, disk.contents[path]

    def reach_disk(self, offset: int, data: bytes | None) -> None:
        """One write or truncation that the disk gets."""
        super().xTruncate(offset) if data is None else super().xWrite(data, offset)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's own name
        return bytes(self._content.seen[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's own name
        self._disk.passing()
        seen, copy = self._content.seen, bytes(data)
        if offset > len(seen):
            seen.extend(bytes(offset - len(seen)))
        seen[offset : offset + len(copy)] = copy
        self._content.pending.append((offset, copy))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's own name
        del self._content.seen[newsize:]
        self._content.pending.append((newsize, None))

    def xFileSize(self) -> int:  # noqa: N802 - SQLite's own name
        return len(self._content.seen)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's own name
        self._disk.passing()
        for write in self._content.pending:
            self.reach_disk(*write)
        self._content.pending.clear()
        super().xSync(flags)
