"""An SQLite VFS over the system's own that delays, counts and breaks what reaches the disk, for benchmarks and fault tests.

`with DiskShim("name", sync_delay=0.005) as disk:` registers it; a store opened with `vfs="name"` goes through it, with
`default=True` every store that names no VFS. Everything still reaches the real file; nothing here is used by Waypost itself.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from types import TracebackType
from typing import Self, TypeAlias

import apsw

__all__ = ["DiskShim"]

FileName: TypeAlias = "str | apsw.URIFilename | None"


class DiskShim(apsw.VFS):
    """A disk whose faults can be set while it is used.

    `sync_delay` seconds are added to each sync. `syncs` counts them by kind of file (`wal`, `database`, `other`). While
    `failing_syncs` is above zero each sync fails and counts it down. `space` is how many bytes files may still grow by, None for
    no bound; `bounded` names the one kind of file that it counts for, None for all. `gate` is waited for in each sync, after `in_sync` was set. `emptied` is set when a WAL was truncated to nothing.
    """

    def __init__(self, name: str, *, sync_delay: float = 0.0, default: bool = False) -> None:
        self.system = apsw.vfs_names()[0]
        super().__init__(name, self.system, default)
        self.sync_delay = sync_delay
        self.syncs: Counter[str] = Counter()
        self.failing_syncs = 0
        self.space: int | None = None
        self.bounded: str | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.in_sync = threading.Event()
        self.emptied = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.unregister()

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        return ShimFile(self, name, flags)


class ShimFile(apsw.VFSFile):
    """One open file on the disk."""

    def __init__(self, disk: DiskShim, name: FileName, flags: list[int]) -> None:
        super().__init__(disk.system, name, flags)
        self.disk = disk
        if flags[0] & apsw.SQLITE_OPEN_WAL:
            self.kind = "wal"
        else:
            self.kind = "database" if flags[0] & apsw.SQLITE_OPEN_MAIN_DB else "other"

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's own name
        disk = self.disk
        disk.syncs[self.kind] += 1
        disk.in_sync.set()
        disk.gate.wait(timeout=60)
        if disk.failing_syncs > 0:
            disk.failing_syncs -= 1
            raise apsw.exception_for(apsw.SQLITE_IOERR_FSYNC)
        if disk.sync_delay:
            time.sleep(disk.sync_delay)
        super().xSync(flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's own name
        if self.disk.space is not None and self.disk.bounded in {None, self.kind}:
            growth = max(0, offset + len(data) - super().xFileSize())
            if growth > self.disk.space:
                raise apsw.exception_for(apsw.SQLITE_FULL)
            self.disk.space -= growth
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's own name
        super().xTruncate(newsize)
        if self.kind == "wal" and newsize == 0:
            self.disk.emptied.set()
