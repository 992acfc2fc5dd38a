"""One client process of the campaign's first phase: many calls over one connection, until it is told to stop or killed.

`python -m tests.crash.http_client RECORD NAME SEED PROJECTS FIRST tcp|socket RUN_FILES [PREDECESSOR'S RECORD]`

Each of the run files is a node's; after a lost answer the client goes on to the next node that answers, as behind a balancer.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.crash.record import Record, read_lines
from tests.crash.waiting import wait_until
from tests.crash.work import Answer, Lost, Worker
from waypost.client.percent import encode_query
from waypost.client.routes import ROUTES
from waypost.client.run_file import RunFile, read_run_file
from waypost.client.transport import Connection
from waypost.kernel.errors import StoreUnavailable

OUTAGE_SECONDS: Final = 60.0
CONNECTION_SECONDS: Final = 120.0


class HttpDoor:
    """One of some nodes, over a connection that is kept and made anew after each loss, to the next node."""

    def __init__(self, run_files: Sequence[str], *, tcp: bool) -> None:
        self._nodes = deque(run_files)
        self._tcp = tcp
        self._connection: Connection | None = None
        self._until = 0.0

    def ask(self, operation: str, fields: dict[str, Any], *, key: str | None, session: str) -> Answer:
        """Asks once over a living connection. Raises `Lost`."""
        route = ROUTES[operation]
        path, rest = route.fill({**fields, "session": session})
        headers = {"Waypost-Client": "campaign"} | ({"Idempotency-Key": key} if key else {})
        body = None
        if route.in_query:
            path = f"{path}?{encode_query(rest)}"
        else:
            body = json.dumps(rest).encode("ascii")
            headers["Content-Type"] = "application/json"
        connection = self._living()
        try:
            answer = connection.ask(route.method, path, headers, body)
            found: dict[str, Any] = json.loads(answer.read())
        except (StoreUnavailable, ValueError):
            self._drop()
            raise Lost from None
        return Answer(code=None if answer.status < 300 else str(found["code"]), body=found)

    def _living(self) -> Connection:
        if self._connection is not None and time.monotonic() > self._until:
            self._drop()
        if self._connection is None:
            self._connection = wait_until(self._connect, "a server that takes connections", seconds=OUTAGE_SECONDS)
            self._until = time.monotonic() + CONNECTION_SECONDS / 2
        return self._connection

    def _connect(self) -> Connection | None:
        path = self._nodes[0]
        self._nodes.rotate(-1)
        run = read_run_file(path)
        if run is None:
            return None
        if self._tcp:
            run = RunFile(**{**{name: getattr(run, name) for name in RunFile.__slots__}, "socket": None})
        try:
            return Connection(run, time.monotonic() + CONNECTION_SECONDS)
        except StoreUnavailable:
            return None

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def main(*arguments: str) -> None:
    """Works until SIGTERM."""
    record, name, seed, projects, first, way, run_files, *predecessor = arguments
    going_on = True

    def stop(*_: object) -> None:
        nonlocal going_on
        going_on = False

    signal.signal(signal.SIGTERM, stop)
    worker = Worker(
        name=name,
        door=HttpDoor(run_files.split(os.pathsep), tcp=way == "tcp"),
        record=Record(Path(record)),
        rng=random.Random(seed),
        projects=int(projects),
        first=int(first),
    )
    for path in predecessor:
        lines = read_lines(Path(path))
        if lines and lines[-1]["kind"] in {"ask", "lost", "again"}:
            worker.repeat(next(line for line in reversed(lines) if line["kind"] == "ask"))
    while going_on:
        worker.step()


if __name__ == "__main__":
    main(*sys.argv[1:])
