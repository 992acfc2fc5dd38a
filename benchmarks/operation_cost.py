"""What one operation costs on Postgres: processor time of the node and of the database, and the bytes that a message leaves behind.

    make bench ARGS=operation_cost   or: PYTHONPATH=src:. python -m benchmarks.operation_cost [--rounds 12] [--each 50]

One embedded node, one client, no door: what HTTP adds is in `http_send`. Processor time is the system's own count for the
processes, so that a busy neighbour hardly changes it; the least of the rounds is printed. These are the measured inputs of `load_model`. Needs
/proc.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psycopg

from benchmarks.databases import OPTIONS, database, fill
from tests.postgres_cluster import Server, own_cluster
from waypost.assembly.settings import LimitSettings, Settings
from waypost.assembly.waypost import Waypost, open_waypost
from waypost.operations.call import Call, Caller, Rights

CALLER: Final = Caller(door="rest", rights=Rights.AGENT, login="bench")
BODY: Final = (
    "The export endpoint answers 500 for workspaces without a plan. Please look at it and say what changed. " * 3
)
INBOXES: Final = 64
TICK: Final = os.sysconf("SC_CLK_TCK")
SIZE: Final = """
select sum(pg_total_relation_size(c.oid)) from pg_class c where relnamespace = 'waypost'::regnamespace and relkind = 'r'
"""


def database_seconds(server: Server) -> float:
    """Processor time of every process of the database that lives."""
    main = int((server.folder / "data" / "postmaster.pid").read_text(encoding="ascii").splitlines()[0])
    total = 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[1]) == main:
            total += int(fields[11]) + int(fields[12])
    return total / TICK


class Costs:
    """The operations of one node, in turn over many inboxes."""

    def __init__(self, waypost: Waypost) -> None:
        self._waypost = waypost
        self._count = 0

    def _inbox(self) -> str:
        self._count += 1
        return f"inbox-{self._count % INBOXES}"

    def _run(self, operation: str, **fields: object) -> None:
        self._waypost.run(operation, Call(caller=CALLER, fields=fields))

    def send(self) -> None:
        """One message to the next inbox."""
        inbox = self._inbox()
        body = f"{self._count}: {BODY}"
        self._run("message.send", from_project="sender", to_project=inbox, subject="Export fails", body=body)

    def pop(self) -> None:
        """The oldest of the next inbox."""
        self._run("message.pop", project=self._inbox())

    def look(self) -> None:
        """What a long poll or a listing asks: one look at what is unread."""
        self._run("message.wait", project=self._inbox())


def measure(server: Server, work: Callable[[], None], *, rounds: int, each: int) -> tuple[float, float]:
    """Milliseconds of the node and of the database for one operation."""
    found = []
    for _ in range(rounds):
        node, store = time.process_time(), database_seconds(server)
        for _ in range(each):
            work()
        found.append((time.process_time() - node, database_seconds(server) - store))
    least_node = min(node for node, _ in found)
    return least_node / each * 1e3, sum(store for _, store in found) / (rounds * each) * 1e3


def main() -> int:
    """Prints each operation's cost."""
    parser = argparse.ArgumentParser(description="What one operation costs on Postgres.")
    parser.add_argument("--rounds", type=int, default=12, help="how often each is measured (12)")
    parser.add_argument("--each", type=int, default=50, help="operations of a round (50)")
    options = parser.parse_args()
    number = options.rounds * options.each
    with own_cluster(OPTIONS) as server, database(server.url) as url:
        fill(url, inboxes=INBOXES, open_each=4)
        waypost = open_waypost(url, Settings(limits=LimitSettings(inbox=100_000)))
        costs = Costs(waypost)
        for work in (costs.send, costs.pop, costs.look):
            for _ in range(INBOXES):
                work()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("vacuum (full, analyze)")  # what was filled in leaves no free space behind
            before = int(str((connection.execute(SIZE).fetchone() or [0])[0]))
            print(f"{'milliseconds of processor time':34} {'node':>8} {'database':>9}")
            for name, work in (("send", costs.send), ("pop", costs.pop), ("look", costs.look)):
                node, store = measure(server, work, rounds=options.rounds, each=options.each)
                print(f"{name:34} {node:8.2f} {store:9.2f}", flush=True)
            after = int(str((connection.execute(SIZE).fetchone() or [0])[0]))
        waypost.close()
    print(f"{'bytes that a message leaves':34} {(after - before) / number:8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
