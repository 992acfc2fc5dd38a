"""How fast 32 HTTP clients claim work and complete it, each verb durable, against single commits on the same slow disk.

    make bench ARGS=http_work        or: PYTHONPATH=src:. python -m benchmarks.http_work [--windows 5] [--seconds 1]

The real server runs as a process of its own with 5 ms added to each sync; 32 keep-alive connections in two client processes claim
what lies ready in 64 mailboxes and complete it, a claim and then its complete, each a request and a change of its own. The yardstick
commits one message at a time under the same shim (see `single_commits`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.clients import Clients
from benchmarks.served import Served
from benchmarks.shims import DiskShim
from benchmarks.single_commits import SingleCommits
from benchmarks.windows import alternate, show

SYNC_MS = 5.0
LIMIT = 5.0


def _rate(clients: Clients, seconds: float) -> float:
    tally = clients.work(seconds)
    if tally.refused:
        raise SystemExit(f"{tally.refused} claims and completes were refused")
    return tally.rate


def main() -> int:
    """Prints the comparison; ends with 1 where the limit is missed."""
    parser = argparse.ArgumentParser(description="Claims and completes over HTTP.")
    parser.add_argument("--windows", type=int, default=5, help="windows of each side (5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="the length of a window (1)")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="wp-") as folder,
        DiskShim("slow", sync_delay=SYNC_MS / 1e3),
        Served(sync_ms=SYNC_MS) as served,
        Clients(served.host, served.port) as clients,
    ):
        served.settle()
        commits = SingleCommits(Path(folder, "waypost.db"), vfs="slow")
        sides = {
            "single commits": lambda: commits.rate(options.seconds),
            "claim and complete": lambda: _rate(clients, options.seconds),
        }
        found = alternate(sides, windows=options.windows)
        commits.close()
    print(f"{SYNC_MS} ms added to each sync, changes a second, median of {options.windows} windows")
    for name, measured in found.items():
        print(f"  {name:40} {measured}")
    against = found["claim and complete"].against(found["single commits"])
    return 0 if show("claims and completes of 32 clients / single commits", against, at_least=LIMIT) else 1


if __name__ == "__main__":
    sys.exit(main())
