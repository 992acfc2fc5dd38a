"""What send and pop cost in process, through the whole pipeline, as multiples of a single commit; 5 ms are added to each sync.

    make bench ARGS=embedded         or: PYTHONPATH=src:. python -m benchmarks.embedded [--rounds 60]

A round is one single commit (see `single_commits`), one send and one pop of the oldest message, one after the other; the median
of the rounds' ratios counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.clients import SENDER, project
from benchmarks.served import add_projects
from benchmarks.shims import DiskShim
from benchmarks.single_commits import TEXT, SingleCommits
from benchmarks.windows import alternate, show
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import Waypost, open_waypost
from waypost.operations.call import Call, Caller, Rights

LIMIT = 1.3
CALLER = Caller(door="rest", rights=Rights.AGENT, login="bench")


def _timed(run: Callable[[], object]) -> Callable[[], float]:
    def timed() -> float:
        begun = time.perf_counter()
        run()
        return (time.perf_counter() - begun) * 1e3

    return timed


class Post:
    """Sends to one project and pops from it."""

    def __init__(self, waypost: Waypost) -> None:
        self._waypost = waypost
        self._count = 0

    def send(self) -> None:
        """One message."""
        self._count += 1
        body = f"{self._count}: {TEXT}"
        fields = {"from_project": SENDER, "to_project": project(0), "subject": "Export fails", "body": body}
        self._waypost.run("message.send", Call(caller=CALLER, fields=fields))

    def pop(self) -> None:
        """The oldest message."""
        answer = self._waypost.run("message.pop", Call(caller=CALLER, fields={"project": project(0)}))
        assert '"message":null' not in answer.json


def main() -> int:
    """Prints both ratios; ends with 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description="Send and pop in process.")
    parser.add_argument("--rounds", type=int, default=60, help="how often each is done (60)")
    parser.add_argument("--sync-ms", type=float, default=5.0, help="milliseconds added to each sync (5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wp-") as folder, DiskShim("slow", sync_delay=options.sync_ms / 1e3):
        commits = SingleCommits(Path(folder, "single.db"), vfs="slow")
        add_projects(Path(folder, "waypost.db"))
        waypost = open_waypost(Path(folder, "waypost.db"), Settings(), vfs="slow")
        post = Post(waypost)
        sides = {"single commit": _timed(commits.once), "send": _timed(post.send), "pop": _timed(post.pop)}
        alternate(sides, windows=5)
        found = alternate(sides, windows=options.rounds)
        waypost.close()
        commits.close()
    print(f"{options.sync_ms} ms added to each sync, milliseconds, median of {options.rounds}")
    for name, measured in found.items():
        print(f"  {name:40} {measured}")
    one = found["single commit"]
    kept = [
        show(f"{name} in process / single commit", found[name].against(one), at_most=LIMIT) for name in ("send", "pop")
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
