"""A home of its own for one campaign or test: folders, environment, and the real server process that serves its store.

Every process is started here and ended by its own handle. Knows nothing of what the server is asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import waypost
from tests.crash.waiting import wait_until
from waypost.client.folders import database_path, run_file_path
from waypost.client.run_file import RunFile, read_run_file
from waypost.client.transport import request
from waypost.kernel.errors import StoreUnavailable

__all__ = ["ROOT", "SERVE", "Home", "ServerProcess", "ask"]

ROOT: Final = Path(__file__).resolve().parents[2]
START_SECONDS: Final = 30.0
SERVE: Final = ("-m", "waypost", "serve")


class Home:
    """The folders and the environment of one store below `folder`, apart from everything of the account that runs the tests.
    With `url` the store is that database, and the home is one node's."""

    def __init__(self, folder: Path, *, url: str | None = None) -> None:
        self.folder = folder
        self.environment: dict[str, str] = {
            **{name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")},
            "WAYPOST_HOME": str(folder),
            "PYTHONPATH": os.pathsep.join([str(Path(waypost.__file__).resolve().parents[1]), str(ROOT)]),
            **({"WAYPOST_DATABASE": url} if url else {}),
        }
        self.place = database_path(None, self.environment)
        self.database = Path(self.place)
        self.run_file = Path(run_file_path(self.place, self.environment))

    def running(self) -> RunFile | None:
        """The run file, if its process lives."""
        run = read_run_file(str(self.run_file))
        return run if run is not None and run.process_lives() else None

    def start(self, *arguments: str, **changes: str) -> subprocess.Popen[bytes]:
        """Starts the interpreter with `arguments` in this home; its words can be read from its pipe."""
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**self.environment, **changes},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, *arguments: str, seconds: float = 50.0, **changes: str) -> tuple[int, str]:
        """Runs the interpreter to its end; answers its status (negative for a signal) and what it printed."""
        process = self.start(*arguments, **changes)
        try:
            words, _ = process.communicate(timeout=seconds)
        finally:
            end(process)
        return process.returncode, words.decode("utf-8", "replace")

    def command(self, *arguments: str, seconds: float = 50.0) -> tuple[int, str]:
        """Runs a `waypost` command."""
        return self.run("-m", "waypost", *arguments, seconds=seconds)


class ServerProcess:
    """The server of a home, on a port that stays the same over its restarts."""

    def __init__(self, home: Home, *, command: Sequence[str] = SERVE, **changes: str) -> None:
        self.home = home
        self.port = 0
        self.longest_restart = 0.0
        self._command = command
        self._changes = changes
        self._process: subprocess.Popen[bytes] | None = None
        self._words = home.folder / "server-words.txt"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The process that was started last."""
        assert self._process is not None
        return self._process.pid

    def spawn(self) -> subprocess.Popen[bytes]:
        """Starts the process without waiting until it answers."""
        assert self._process is None
        self.home.folder.mkdir(parents=True, exist_ok=True)
        with self._words.open("ab") as words:
            self._process = subprocess.Popen(
                [sys.executable, *self._command],
                cwd=self.home.folder,
                env={**self.home.environment, "WAYPOST_PORT": str(self.port), **self._changes},
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
            )
        return self._process

    def start(self) -> RunFile:
        """Starts the process and waits until it answers; answers its run file."""
        process = self._process or self.spawn()
        began = time.monotonic()

        def answers() -> RunFile | None:
            status = process.poll()
            assert status is None, f"the server ended with {status}: {self.words()}"
            run = read_run_file(str(self.home.run_file))
            return run if run is not None and run.pid == process.pid and _ready(run) else None

        run = wait_until(answers, "the start of the server", seconds=START_SECONDS)
        self.longest_restart = max(self.longest_restart, time.monotonic() - began)
        assert run.port is not None
        self.port = run.port
        return run

    def kill(self) -> None:
        """SIGKILL, and waits for the end. Harmless where nothing runs."""
        process, self._process = self._process, None
        if process is not None:
            end(process)

    def stop(self) -> int:
        """SIGTERM, and the exit status of a good end."""
        process, self._process = self._process, None
        assert process is not None
        process.terminate()
        try:
            return process.wait(timeout=START_SECONDS)
        finally:
            end(process)

    def words(self) -> str:
        """What all processes of this server printed."""
        return self._words.read_text(encoding="utf-8", errors="replace") if self._words.exists() else ""


def ask(
    run: RunFile,
    method: str,
    path: str,
    body: bytes | None = None,
    *,
    query: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, bytes]:
    """One request to a server as its owner; answers status and body."""
    kind = {} if body is None else {"Content-Type": "application/json"}
    status, _, answer = request(
        run,
        method,
        path,
        query=query,
        headers={"Waypost-Door": "cli", **kind, **(headers or {})},
        body=body,
        deadline=time.monotonic() + START_SECONDS,
    )
    return status, answer


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills a process that was started here, and takes note of its end."""
    if process.poll() is None:
        process.kill()
    process.wait(timeout=START_SECONDS)
    if process.stdout is not None:
        process.stdout.close()


def _ready(run: RunFile) -> bool:
    try:
        return ask(run, "GET", "/readyz")[0] == 200
    except StoreUnavailable:
        return False
