"""A consumer of the feed that is made to be killed: `python -m tests.crash.feed_child WAY LOG LIMIT RUN_FILE...`

By the way `own` it keeps its cursor with its effect: one line, appended and synced, holds both. By the way `server` it writes its effect first and
commits the server's checkpoint then. It waits out servers that are away, and asks whichever node answers.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.crash.home import ask
from tests.crash.waiting import pass_moment
from waypost.client.run_file import read_run_file
from waypost.kernel.errors import StoreUnavailable

__all__ = ["CONSUMER", "WAYS", "Log", "main"]

WAYS: Final = ("own", "server")
CONSUMER: Final = "campaign"
PATH: Final = f"/v1/changes/consumers/{CONSUMER}"
WAIT_SECONDS: Final = 5
PAUSE_SECONDS: Final = 0.02


class Log:
    """The consumer's one file. A line counts once it is whole; what a kill has torn is cut off at the next start."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes() if path.exists() else b""
        whole = raw[: raw.rfind(b"\n") + 1]
        self.lines: list[dict[str, Any]] = [json.loads(line) for line in whole.splitlines()]
        self._file = path.open("ab", buffering=0)
        self._file.truncate(len(whole))

    def write(self, kind: str, **facts: object) -> None:
        """Appends one line, which is durable when this returns."""
        self._file.write(json.dumps({"kind": kind, **facts}).encode("ascii") + b"\n")
        os.fsync(self._file.fileno())


class Nodes:
    """The servers that may be asked, by their run files, which are read anew for each request."""

    def __init__(self, run_files: Sequence[str]) -> None:
        self._run_files = itertools.cycle(run_files)
        self._current = next(self._run_files)

    def ask(self, method: str, path: str, fields: Mapping[str, object]) -> dict[str, Any]:
        """The answer of a node, after as many tries as it takes."""
        while True:
            run = read_run_file(self._current)
            if run is not None:
                try:
                    answer = self._once(run, method, path, fields)
                except StoreUnavailable:
                    answer = None
                if answer is not None:
                    return answer
            self._current = next(self._run_files)
            pass_moment(PAUSE_SECONDS)

    @staticmethod
    def _once(run: Any, method: str, path: str, fields: Mapping[str, object]) -> dict[str, Any] | None:
        in_query = method == "GET"
        body = None if in_query else json.dumps(fields).encode("ascii")
        status, raw = ask(run, method, path, body, query=fields if in_query else None)
        if status >= 500:
            return None
        answer: dict[str, Any] = json.loads(raw)
        if status >= 400:
            raise AssertionError(f"{method} {path} {dict(fields)}: {answer}")
        return answer


def keep_own_cursor(nodes: Nodes, log: Log, limit: int) -> None:
    """Each line holds the effect of a page and the cursor after it."""
    place = {"after": log.lines[-1]["cursor"]} if log.lines else {}
    while True:
        page = nodes.ask("GET", "/v1/changes", {**place, "limit": limit, "wait": WAIT_SECONDS})
        if page["items"] or page["gap"]:
            log.write("page", cursor=page["next_cursor"], gap=page["gap"], seen=seen(page))
        place = {"after": page["next_cursor"]}


def keep_checkpoint(nodes: Nodes, log: Log, limit: int) -> None:
    """The effect first, then the checkpoint; nothing of the cursor is kept here."""
    nodes.ask("PUT", PATH, {})
    log.write("began")
    while True:
        page = nodes.ask("GET", "/v1/changes", {"consumer": CONSUMER, "limit": limit, "wait": WAIT_SECONDS})
        if page["items"] or page["gap"]:
            log.write("page", cursor=page["next_cursor"], gap=page["gap"], seen=seen(page))
            nodes.ask("PUT", PATH, {"cursor": page["next_cursor"]})
            log.write("committed", cursor=page["next_cursor"])


def seen(page: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The changes of a page as the log and the checker hold them."""
    return [(item["cursor"], item["kind"], item["id"]) for item in page["items"]]


def main(way: str, log: str, limit: str, *run_files: str) -> None:
    """Works until it is killed."""
    work = {"own": keep_own_cursor, "server": keep_checkpoint}[way]
    work(Nodes(run_files), Log(Path(log)), int(limit))


if __name__ == "__main__":
    main(*sys.argv[1:])
