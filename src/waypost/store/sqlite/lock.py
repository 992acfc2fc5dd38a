"""The lock beside a store's file: one process at a time has the store open.

The lock is the operating system's, so it ends with its process however that ends. The file says who holds it, for the message
only; it is never unlinked, because a lock on an unlinked file locks nothing. Knows nothing of SQLite.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import Final

from waypost.kernel.errors import StoreBusy
from waypost.store.sqlite.place import CLOSE_ON_EXEC, FILE_MODE, make_folder, unwritable

__all__ = ["StoreLock"]

TIMEOUT_SECONDS: Final = 5.0
POLL_SECONDS: Final = 0.02
WINDOWS_BYTE: Final = 1 << 20
"""On Windows a locked byte cannot be read by others, so it lies far behind the text."""


class StoreLock:
    """A lock that is held. Made by `acquire`; ends with `release` or with the process."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor: int | None = descriptor
        self.path = path

    @classmethod
    def acquire(cls, database: Path, *, timeout: float = TIMEOUT_SECONDS) -> StoreLock:
        """Takes the lock of the store at a real path. Refuses (`store_busy`) after `timeout` seconds, naming the holder."""
        path = Path(f"{database}.lock")
        deadline = time.monotonic() + timeout
        while True:
            descriptor = _open(path)
            if _try_lock(descriptor):
                if _is_still(descriptor, path):
                    _write_holder(descriptor)
                    return cls(descriptor, path)
                os.close(descriptor)
                continue
            holder = _read_holder(descriptor)
            os.close(descriptor)
            if time.monotonic() >= deadline:
                raise _busy(database, holder)
            time.sleep(POLL_SECONDS)

    def release(self) -> None:
        """Lets the lock go. Idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)


def _busy(database: Path, holder: str) -> StoreBusy:
    who = f"process {holder}" if holder else "another process"
    return StoreBusy(
        f"{database} is open in {who}. Nothing was changed.",
        hint="Go through the running server (`waypost status` shows it), or stop it with `waypost stop` and repeat the request.",
    )


def _open(path: Path) -> int:
    try:
        make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | CLOSE_ON_EXEC, FILE_MODE)
    except OSError as error:
        raise unwritable(path, error) from error
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # somebody else's file: the lock works all the same
            os.fchmod(descriptor, FILE_MODE)
    return descriptor


def _is_still(descriptor: int, path: Path) -> bool:
    """Whether the locked file still has its name; somebody may have removed it between opening and locking."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _write_holder(descriptor: int) -> None:
    with contextlib.suppress(OSError):  # a full disk must not stop a reader of the message from having the lock
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"{os.getpid()}\n".encode("ascii"))


def _read_holder(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    text = os.read(descriptor, 32).decode("ascii", errors="replace").strip()
    return text if text.isdecimal() else ""


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, WINDOWS_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
