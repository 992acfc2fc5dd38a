"""Starting the server in the background, once, whoever asks; loaded only when no server runs.

The server becomes its own session, keeps no descriptor of ours and does not stand in our working directory: neither the
end of the agent nor a hostile repository touches it. Ten programs that ask at once start one: the launch lock beside the
run file is held while starting.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

from waypost.client.errors import ServerNotStarted
from waypost.client.folders import log_path, run_file_path
from waypost.client.run_file import RunFile, read_run_file
from waypost.client.transport import request
from waypost.kernel.errors import StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

__all__ = ["begin_server", "ready_server", "start_server"]

START_SECONDS = 10.0
READY_SECONDS = 2.0
# A new server needs some tenths of a second; asking more often would take its processor.
PAUSE_SECONDS = 0.02
TAIL_BYTES = 2_000
# Such a server still reads, and tells each writer what to do; another one could not do more.
DISK_FULL = 507


def ready_server(database: str, *, seconds: float = READY_SECONDS) -> RunFile | None:
    """The run file of a server that answers for the store at `database` (a real path) and is ready, or None."""
    run = read_run_file(run_file_path(database))
    if run is None:
        return None
    try:
        status, _, _ = request(run, "GET", "/readyz", deadline=time.monotonic() + seconds)
    except StoreUnavailable:
        return None
    return run if status in {200, DISK_FULL} else None


def start_server(database: str, *, seconds: float = START_SECONDS) -> RunFile:
    """Starts the server of the store at `database` (a real path) unless one answers, and waits until it is ready.

    Raises `ServerNotStarted`, with the end of what the server printed, when it ended or was not ready within `seconds`.
    """
    deadline = time.monotonic() + seconds
    path = run_file_path(database)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(f"{path}.starting", "ab") as lock:
        while not _take(lock):
            if run := ready_server(database):
                return run
            _pause(deadline, "Another program has been starting the server and it is not ready")
        if run := ready_server(database):
            return run
        return _start_and_wait(database, deadline)


def begin_server(database: str) -> bool:
    """Starts the server of the store at `database` (a real path) and does not wait for it; False where another program is starting
    one just now. Of two that are started at once, the store's lock lets one live. Raises OSError where a folder cannot be written."""
    path = run_file_path(database)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(f"{path}.starting", "ab") as lock:
        if not _take(lock):
            return False
        _spawn(database, log_path("server-start.log"))
        return True


def _start_and_wait(database: str, deadline: float) -> RunFile:
    output = log_path("server-start.log")
    process = _spawn(database, output)
    # Somebody must take note of its end, or it would stay in the process table for as long as we run.
    threading.Thread(target=process.wait, name="waypost-server-end", daemon=True).start()
    while True:
        if run := ready_server(database):
            return run
        if process.poll() is not None:
            # Another one may have won the store between our look and this start.
            if run := ready_server(database):
                return run
            raise ServerNotStarted(f"The server ended with status {process.returncode}: {_tail(output)}")
        _pause(deadline, f"The server was started and is not ready: {_tail(output)}")


def _spawn(database: str, output: str) -> subprocess.Popen[bytes]:
    folder = os.path.dirname(output)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    try:
        # -P: never import from the folder that the server happens to stand in.
        return subprocess.Popen(  # noqa: S603 - our own interpreter and our own arguments
            [sys.executable, "-P", "-m", "waypost", "serve", "--database", database],
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            close_fds=True,
            start_new_session=True,
            cwd=folder,
            env=_environment(),
        )
    finally:
        os.close(descriptor)


def _environment() -> dict[str, str]:
    """Our environment, with PYTHONPATH made independent of the working directory; it says that nobody watches the server."""
    environment = {**os.environ, "WAYPOST_AUTOSTART": "1"}
    if path := environment.get("PYTHONPATH"):
        environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(part) for part in path.split(os.pathsep) if part)
    return environment


def _take(lock: IO[bytes]) -> bool:
    """Whether we hold the launch lock now; it goes with the open file."""
    if sys.platform == "win32":
        return True
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pause(deadline: float, failure: str) -> None:
    if time.monotonic() >= deadline:
        raise ServerNotStarted(f"{failure}.")
    time.sleep(PAUSE_SECONDS)


def _tail(path: str) -> str:
    """The end of what the server printed, on one line and without control characters."""
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        text = ""
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return words or "it printed nothing"
