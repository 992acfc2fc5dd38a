"""A real server as a child process on a store of its own, ready when this returns, and killable at any moment."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.request import Request, urlopen

__all__ = ["ServerProcess", "child_environment"]

WAIT_SECONDS = 30.0
SOURCES = Path(__file__).resolve().parents[2]
PAGE = re.compile(r"http://127\.0\.0\.1:(\d+)/web")


def child_environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of a child that must find the Waypost that is tested and the store of `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join([str(SOURCES / "src"), str(SOURCES)]),
        "WAYPOST_HOME": str(home),
        **more,
    }


class ServerProcess:
    """A server of the store in `home`. `port` 0 takes a free one; the same port again is how a restart looks to clients."""

    def __init__(self, home: Path, *, port: int = 0, module: str = "waypost.server") -> None:
        self.home = home
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            env=child_environment(home, WAYPOST_PORT=str(port)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = self._ready()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.kill()

    @property
    def url(self) -> str:
        """Where the server answers."""
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """kill -9, and the end of the process."""
        self._process.kill()
        self._process.wait(WAIT_SECONDS)
        self._reader.join(WAIT_SECONDS)
        if self._process.stderr is not None:
            self._process.stderr.close()

    def restarted(self) -> ServerProcess:
        """Another server of the same store on the same port, after this one was killed."""
        return ServerProcess(self.home, port=self.port)

    def call(self, method: str, path: str, fields: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One REST request; a refusal is an error of the test."""
        body = None if fields is None else json.dumps(fields).encode("utf-8")
        request = Request(f"{self.url}{path}", data=body, method=method, headers={"Content-Type": "application/json"})
        with urlopen(request, timeout=WAIT_SECONDS) as response:
            answer: dict[str, Any] = json.load(response)
        return answer

    def add_projects(self, *names: str) -> None:
        """Makes projects in the workspace `default`."""
        for name in names:
            self.call("PUT", f"/v1/projects/default/{name}", {})

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._lines.put(line)
        self._lines.put(None)

    def _ready(self) -> int:
        said: list[str] = []
        while (line := self._lines.get(timeout=WAIT_SECONDS)) is not None:
            said.append(line)
            found = PAGE.search(line)
            if found is not None:
                return int(found.group(1))
        self.kill()
        raise AssertionError(f"the server did not start: {''.join(said)}")
