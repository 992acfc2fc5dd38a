"""The run file: where the server of one store listens, and the key that proves the account. Written by the server alone.

Readers trust its path and owner, not its contents: garbage, a file of another account or a half-written one is no run file.
That the named server really is the store's is proved by its answers (`transport`), not here.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["RunFile", "new_key", "read_run_file", "remove_run_file", "write_run_file"]

FORMAT = 1
MAX_BYTES = 65_536


class RunFile:
    """What a server says about itself. `socket` is a path or None; `host` and `port` are None where it only has the socket."""

    __slots__ = ("database", "host", "key", "pid", "port", "socket", "store_id", "version")

    def __init__(
        self,
        *,
        pid: int,
        version: str,
        store_id: str,
        database: str,
        socket: str | None,
        host: str | None,
        port: int | None,
        key: str,
    ) -> None:
        self.pid = pid
        self.version = version
        self.store_id = store_id
        self.database = database
        self.socket = socket
        self.host = host
        self.port = port
        self.key = key

    def process_lives(self) -> bool:
        """Whether a process of that number exists. It may be another one by now; False is certain on this system."""
        if sys.platform == "win32":
            return True  # asking there would end the process
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):
            return True
        return True


def new_key() -> str:
    """A random key of 256 bits."""
    return os.urandom(32).hex()


def read_run_file(path: str) -> RunFile | None:
    """The run file at `path`, or None where there is none that can be used."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            if hasattr(os, "geteuid") and os.fstat(descriptor).st_uid != os.geteuid():
                return None
            raw = os.read(descriptor, MAX_BYTES)
        finally:
            os.close(descriptor)
        return _from_json(json.loads(raw))
    except (OSError, ValueError, RecursionError):
        return None


def _from_json(record: Any) -> RunFile | None:
    """The record as a run file, or None where a field is missing or of the wrong kind. Unknown fields come from newer servers."""
    if not isinstance(record, dict):
        return None
    kinds: dict[str, tuple[type, ...]] = {
        "pid": (int,),
        "version": (str,),
        "store_id": (str,),
        "database": (str,),
        "socket": (str, type(None)),
        "host": (str, type(None)),
        "port": (int, type(None)),
        "key": (str,),
    }
    values: dict[str, Any] = {name: record.get(name) for name in kinds}
    if not all(isinstance(values[name], kinds[name]) for name in kinds):
        return None
    run = RunFile(**values)
    reachable = bool(run.socket) or bool(run.host and run.port and 0 < run.port < 65_536)
    tokens = run.key.isascii() and run.key.isalnum() and run.store_id.isascii() and run.store_id.isprintable()
    return run if reachable and tokens and run.pid > 0 and run.store_id else None


def write_run_file(path: str, run: RunFile) -> None:
    """Puts the run file in place in one step, readable by its owner alone. Only the holder of the store's lock may call this.

    Raises OSError where the folder cannot be made or written.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chmod(folder, 0o700)
    record = {"format": FORMAT, **{name: getattr(run, name) for name in RunFile.__slots__}}
    draft = f"{path}.{os.getpid()}.new"
    try:
        os.unlink(draft)
    except FileNotFoundError:
        pass
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        json.dump(record, file)
    os.replace(draft, path)


def remove_run_file(path: str, run: RunFile) -> None:
    """Removes the run file if it still is this server's; a successor's stays. A missing one is fine."""
    there = read_run_file(path)
    if there is not None and there.key == run.key:
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
