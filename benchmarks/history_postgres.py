"""What closed mail behind a mailbox costs on Postgres: the buffers that each hot operation touches over short and long histories.

    make bench ARGS=history_postgres or: PYTHONPATH=src:. python -m benchmarks.history_postgres [--short 1000] [--long 1000000]

The same operations over the same mail as in `history`. Buffers are Postgres's own count, shared hit and read together, of every
statement that the operation ran, as `auto_explain` logs them (EXPLAIN (ANALYZE, BUFFERS) of what was really executed). Starts a
server of the tests.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg

from benchmarks.databases import OPTIONS, database
from benchmarks.history import FIRST, LIMIT, LONG, OPEN, OPERATIONS, OTHER, OWN, ROUNDS, SHORT, Mailroom, Work
from tests.postgres_cluster import Server, own_cluster
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import open_waypost
from waypost.kernel.time import HOUR
from waypost.store.postgres import PostgresStore

EXPLAIN: Final = (
    " -c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 -c auto_explain.log_analyze=on"
    " -c auto_explain.log_buffers=on -c auto_explain.log_timing=off -c auto_explain.log_format=json"
)
PLANS: Final = re.compile(r"duration: [0-9.]+ ms  plan:\n((?:\t.*\n)+)")
MAILBOX: Final = "insert into mailboxes (id, workspace, kind) values (%s, 'default', 'project')"
PROJECT: Final = (
    "insert into projects (id, workspace, name, by_marker, created_at, version) values (%s, 'default', %s, 0, 0, 1)"
)
HISTORY: Final = """
insert into messages (id, format, workspace, mailbox_id, from_project_id, from_session, from_door, from_source, subject, body,
  actionable, reminder, delivery, created_at, due_at, occurrence, status, version, outcome, closed_at, closed_by_project, reply_to,
  thread, first_read_at, digest)
select case i when 1 then %(first)s else lpad(to_hex(i), 8, '0') end, 1, 'default', 'b', 'a', 's-1', 'rest', 'explicit', '', 'x', 0, 0,
  'next_activity', %(sent)s - i, %(sent)s - i, 1, 'done', 2, 'popped', %(popped)s - i, 'b', %(first)s, %(first)s, %(popped)s - i,
  lpad(to_hex(i), 8, '0')
from generate_series(1, %(count)s) as i
"""


class Buffers:
    """Reads in the server's log how many buffers the statements since the last look touched, in one database."""

    def __init__(self, server: Server) -> None:
        self._log: Path = server.folder / "log"
        self._read = 0

    def since(self) -> tuple[int, list[tuple[int, str]]]:
        """The sum since the last call, and each statement's share."""
        with self._log.open("rb") as log:
            log.seek(self._read)
            new = log.read().decode("utf-8", "replace")
            self._read = log.tell()
        plans: list[dict[str, Any]] = [json.loads(found.replace("\n\t", "\n")) for found in PLANS.findall(new)]
        shares = [
            (
                plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"],
                " ".join(plan["Query Text"].split()),
            )
            for plan in plans
            if "journal" not in plan["Query Text"] or "insert" in plan["Query Text"]
        ]
        return sum(share for share, _ in shares), shares


class Desk(Mailroom):
    """A database with so much closed mail behind project b's inbox, and its pipeline. Close it."""

    def __init__(self, url: str, buffers: Buffers, *, closed: int) -> None:
        PostgresStore.open(url, sequences=False).close()
        fill(url, closed)
        super().__init__(open_waypost(url, Settings()))
        self._url = url
        self._buffers = buffers
        for _ in range(OPEN):
            self.send()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("vacuum (analyze)")

    def cost(self, work: Work) -> tuple[int, list[tuple[int, str]]]:
        """The buffers that an operation touches, with each statement's share."""
        stages: Iterator[Any] = work(self)
        operation = next(stages)
        self._buffers.since()
        operation()
        found = self._buffers.since()
        next(stages, None)
        return found


def fill(url: str, closed: int) -> None:
    """Writes projects and closed mail beside the pipeline; the indexes of messages are made afterwards, because that is fast."""
    now = time.time_ns() // 1_000
    with psycopg.connect(url, options="-c search_path=waypost -c synchronous_commit=off") as connection:
        for name in (OTHER, OWN):
            connection.execute(MAILBOX, (name,))
            connection.execute(PROJECT, (name, name))
        indexes = connection.execute(
            "select indexname, indexdef from pg_indexes where tablename = 'messages' and indexname <> 'messages_pkey'"
        ).fetchall()
        for index, _ in indexes:
            connection.execute(f"drop index {index}".encode())
        connection.execute(HISTORY, {"count": closed, "sent": now - HOUR, "popped": now, "first": FIRST})
        for _, made in indexes:
            connection.execute(str(made).encode())


def main() -> int:
    """Prints the buffers of every operation over both histories; 1 where one passes the limit."""
    parser = argparse.ArgumentParser(description="What closed mail behind a mailbox costs on Postgres.")
    parser.add_argument("--short", type=int, default=SHORT, help=f"closed messages of the short history ({SHORT})")
    parser.add_argument("--long", type=int, default=LONG, help=f"closed messages of the long history ({LONG})")
    parser.add_argument(
        "--statements", action="store_true", help="print each statement of an operation that passes the limit"
    )
    options = parser.parse_args()
    broken = 0
    with own_cluster(f"{OPTIONS} {EXPLAIN}") as server, database(server.url) as one, database(server.url) as other:
        desks = [
            Desk(url, Buffers(server), closed=closed) for url, closed in ((one, options.short), (other, options.long))
        ]
        print(f"{'shared buffers, hit and read':40} {options.short:>9} {options.long:>9} {'ratio':>6} {'limit':>6}")
        for name, work in OPERATIONS.items():
            costs = [[desk.cost(work) for desk in desks] for _ in range(ROUNDS)]
            short, long = (statistics.median(pair[at][0] for pair in costs) for at in (0, 1))
            broken += long > short * LIMIT
            print(f"{name:40} {short:9.0f} {long:9.0f} {long / short:6.2f} {LIMIT:6}", flush=True)
            if options.statements and long > short * LIMIT:
                for (few, text), (many, _) in zip(costs[-1][0][1], costs[-1][1][1], strict=False):
                    print(f"    {few:6} {many:6}  {text[:130]}")
        for desk in desks:
            desk.close()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
