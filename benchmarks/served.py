"""A server of its own for a benchmark: a scratch home with the projects in it, and the real server as a child process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.clients import PROJECTS, SENDER, project
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import open_waypost
from waypost.client.folders import database_path, run_file_path
from waypost.operations.call import Call, Caller, Rights

__all__ = ["PATIENCE_SECONDS", "SOURCES", "Served", "add_projects"]

SOURCES = Path(__file__).resolve().parents[1]
PATIENCE_SECONDS = 30
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
MCP_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
OWNER = Caller(door="cli", rights=Rights.OWNER, login="bench")


def add_projects(place: Path) -> None:
    """Makes the store at `place` with the sender's project and the mailboxes."""
    waypost = open_waypost(place, Settings())
    try:
        for name in [SENDER, *(project(number) for number in range(PROJECTS))]:
            waypost.run("project.put", Call(caller=OWNER, fields={"workspace": "default", "project": name}))
    finally:
        waypost.close()


class Served:
    """A running server below a scratch folder; `folder` chooses the disk. `host`, `port` and `pid` say where it is."""

    def __init__(self, *, sync_ms: float = 0.0, folder: Path | None = None) -> None:
        with ExitStack() as stack:
            home = stack.enter_context(tempfile.TemporaryDirectory(prefix="wp-", dir=folder))
            environ = {
                **os.environ,
                "WAYPOST_HOME": home,
                "WAYPOST_AUTOSTART": "1",
                "PYTHONPATH": f"{SOURCES / 'src'}{os.pathsep}{SOURCES}",
            }
            environ.pop("WAYPOST_DATABASE", None)
            self.place = Path(database_path(None, environ))
            self.place.parent.mkdir(parents=True)
            add_projects(self.place)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.shimmed_server", "--sync-ms", str(sync_ms)], env=environ
            )
            stack.callback(self._stop)
            run = self._wait_for(Path(run_file_path(str(self.place), environ)))
            self.host, self.port, self.pid = str(run["host"]), int(str(run["port"])), int(str(run["pid"]))
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def settle(self) -> None:
        """Waits until the MCP SDK is loaded, which goes on in the background while the server answers already."""
        connection = HTTPConnection(self.host, self.port, timeout=PATIENCE_SECONDS)
        connection.request("POST", "/mcp", body=json.dumps(INITIALIZE), headers=MCP_HEADERS)
        answer = connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"/mcp answered {answer.status}: {answer.read(500)!r}")
        connection.close()

    def resident(self) -> float:
        """Its resident memory in MB (1,000,000 bytes), as Linux says it."""
        for line in Path(f"/proc/{self.pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024 / 1e6
        raise OSError("the memory of the server is not known")

    def _wait_for(self, run_file: Path) -> dict[str, object]:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if run_file.exists():
                run: dict[str, object] = json.loads(run_file.read_text(encoding="utf-8"))
                return run
            if self._process.poll() is not None:
                raise RuntimeError("the server did not start")
            time.sleep(0.05)
        raise TimeoutError("the server did not start in time")

    def _stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=PATIENCE_SECONDS)
