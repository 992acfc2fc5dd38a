"""`waypost mcp` as a child process: lines in, lines out, each wait bounded."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any, Self

import waypost

__all__ = ["SOURCES", "BridgeProcess"]

WAIT_SECONDS = 30.0
# Where this very run takes the package from, and the tests: a child must find the same.
SOURCES = os.pathsep.join([str(Path(waypost.__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])])


class BridgeProcess:
    """A bridge whose standard output is read by a thread."""

    def __init__(self, directory: Path, *arguments: str, **environment: str) -> None:
        variables = {**os.environ, "PYTHONPATH": os.environ.get("WAYPOST_TEST_PATH", SOURCES), **environment}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "waypost", "mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=variables,
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT_SECONDS)
        self._reader.join(WAIT_SECONDS)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    @property
    def _input(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def write(self, line: bytes) -> None:
        self._input.write(line + b"\n")
        self._input.flush()

    def send(self, method: str, request_id: object = None, **params: Any) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if request_id is not None:
            message["id"] = request_id
        self.write(json.dumps(message).encode())

    def call(self, tool: str, request_id: object, **params: Any) -> None:
        self.send("tools/call", request_id, name=tool, arguments={}, **params)

    def raw(self) -> bytes:
        """The next line; at the end of output an assertion fails."""
        line = self._lines.get(timeout=WAIT_SECONDS)
        assert line is not None, "the bridge ended"
        return line

    def receive(self) -> Any:
        return json.loads(self.raw())

    def initialize(self, request_id: object = 1, version: str = "2025-06-18") -> Any:
        self.send(
            "initialize",
            request_id,
            protocolVersion=version,
            capabilities={},
            clientInfo={"name": "a client", "version": "1"},
        )
        return self.receive()

    def end(self) -> tuple[int, list[bytes]]:
        """Closes standard input: the exit status, and the lines that still came."""
        self._input.close()
        return self.finished()

    def terminate(self) -> tuple[int, list[bytes]]:
        self.process.send_signal(signal.SIGTERM)
        return self.finished()

    def finished(self) -> tuple[int, list[bytes]]:
        status = self.process.wait(WAIT_SECONDS)
        rest: list[bytes] = []
        while (line := self._lines.get(timeout=WAIT_SECONDS)) is not None:
            rest.append(line)
        return status, rest
