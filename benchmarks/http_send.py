"""How fast the server takes durable mail from 32 HTTP clients, against single commits and against requests that do nothing.

    make bench ARGS=http_send        or: PYTHONPATH=src:. python -m benchmarks.http_send [--windows 5] [--seconds 1]

The real server runs as a process of its own; 32 keep-alive connections in two client processes send to 64 projects, and pop
everything between the windows. Two comparisons:

- with 5 ms added to each sync, sends a second against single commits under the same shim (see `single_commits`);
- on the real disk, sends a second against an empty POST through the same server: `POST /v1/messages` without a body, the cheapest
  POST that an endpoint takes: it passes the door, is read and checked, and is refused with 422 without touching the store.
  `POST /healthz`, which the router refuses with 405 before any endpoint, is printed beside it without a limit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.clients import EMPTY, Clients
from benchmarks.served import Served
from benchmarks.shims import DiskShim
from benchmarks.single_commits import SingleCommits
from benchmarks.windows import alternate, show

SYNC_MS = 5.0
GROUP_LIMIT, EMPTY_LIMIT = 6.0, 0.25


def _sends(clients: Clients, kind: str, seconds: float) -> Callable[[], float]:
    def run() -> float:
        tally = clients.run(kind, seconds)
        if tally.refused:
            raise SystemExit(f"{tally.refused} requests of a window of {kind} were refused")
        if kind not in EMPTY:
            clients.drain()
        return tally.rate

    return run


def slow_disk(windows: int, seconds: float) -> bool:
    """Sends against single commits, both with 5 ms added to each sync."""
    with (
        tempfile.TemporaryDirectory(prefix="wp-") as folder,
        DiskShim("slow", sync_delay=SYNC_MS / 1e3),
        Served(sync_ms=SYNC_MS) as served,
        Clients(served.host, served.port) as clients,
    ):
        served.settle()
        commits = SingleCommits(Path(folder, "waypost.db"), vfs="slow")
        sides = {
            "single commits": lambda: commits.rate(seconds),
            "32 clients": _sends(clients, "send", seconds),
            "32 clients with keys": _sends(clients, "keyed", seconds),
        }
        found = alternate(sides, windows=windows)
        commits.close()
    print(f"{SYNC_MS} ms added to each sync, requests a second, median of {windows} windows")
    for name, measured in found.items():
        print(f"  {name:40} {measured}")
    one = found["single commits"]
    print(f"{'  with idempotency keys':70} {found['32 clients with keys'].against(one):6.2f}")
    return show("durable sends of 32 clients / single commits", found["32 clients"].against(one), at_least=GROUP_LIMIT)


def real_disk(windows: int, seconds: float, folder: Path | None) -> bool:
    """Sends against empty requests, on the real disk."""
    with Served(folder=folder) as served, Clients(served.host, served.port) as clients:
        served.settle()
        sides = {
            "refused by the router": _sends(clients, "refused", seconds),
            "empty": _sends(clients, "empty", seconds),
            "send": _sends(clients, "send", seconds),
            "keyed": _sends(clients, "keyed", seconds),
        }
        found = alternate(sides, windows=windows)
    print(f"real disk, requests a second, median of {windows} windows")
    for name, measured in found.items():
        print(f"  {name:40} {measured}")
    empty, refused = found["empty"], found["refused by the router"]
    print(f"{'  against what the router refuses':70} {found['send'].against(refused):6.2f}")
    print(f"{'  with idempotency keys':70} {found['keyed'].against(empty):6.2f}")
    return show("durable sends of 32 clients / empty POSTs", found["send"].against(empty), at_least=EMPTY_LIMIT)


def main() -> int:
    """Prints both comparisons; ends with 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description="Durable sends over HTTP.")
    parser.add_argument("--windows", type=int, default=5, help="windows of each side (5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="the length of a window (1)")
    parser.add_argument("--folder", type=Path, default=None, help="a folder on the disk to measure (a temporary one)")
    options = parser.parse_args()
    kept = [
        slow_disk(options.windows, options.seconds),
        real_disk(options.windows, options.seconds, options.folder),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
