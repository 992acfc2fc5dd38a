"""A real server as a child process, and what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from waypost.client.folders import database_path, run_file_path
from waypost.client.launch import ready_server
from waypost.client.run_file import RunFile
from waypost.client.transport import request

__all__ = ["ServerProcess"]

SECONDS = 30.0
LOOK_SECONDS = 0.02


class ServerProcess:
    """`python -m waypost serve` with some options. Ended with the block."""

    def __init__(self, *options: str, environ: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "waypost", "serve", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environ or {})},
            text=True,
        )
        self.run: RunFile | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=SECONDS)

    def ready(self) -> RunFile:
        """Waits until this process answers, and gives its run file."""
        database = database_path()
        while True:
            run = ready_server(database)
            if run is not None and run.pid == self.process.pid:
                self.run = run
                return run
            try:
                self.process.wait(LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"the server ended: {self.process.communicate(timeout=SECONDS)}")

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """One request by the client's own transport: status and JSON."""
        assert self.run is not None
        raw = None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **headers} if raw is not None else headers
        status, _, answer = request(self.run, method, path, headers=sent, body=raw)
        return status, json.loads(answer)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Sends a signal and waits for the end: status, output, errors."""
        self.process.send_signal(number)
        return self.end()

    def end(self) -> tuple[int, str, str]:
        """Waits for the end: status, output, errors."""
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out, err

    @staticmethod
    def leftovers() -> set[str]:
        """What lies in the folder of run files, locks of starters aside."""
        folder = Path(run_file_path(database_path())).parent
        return {path.name for path in folder.glob("*") if path.suffix != ".starting"}
