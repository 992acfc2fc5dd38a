"""Pops a second on Postgres by 8 clients, from one inbox and from 64, against a hand-written SKIP LOCKED loop that writes the same rows.

    make bench ARGS=pop_postgres     or: PYTHONPATH=src:. python -m benchmarks.pop_postgres [--windows 9] [--pops 240] [--url postgresql://...]

Both sides are threads of this process, each with a connection for itself: `message.pop` through the pipeline of an embedded
Waypost, and a loop over the bare driver that takes the oldest due message, closes it, keeps its old version, journals, and
commits. Each side has a database of its own with a running sequencer, which the loop nudges as the store does, so that both write
the journal's positions too. A window is so many pops of one side; windows alternate, and the median of the rounds' ratios
counts. Without `--url` a server of the tests is started, with fsync on.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import psycopg

from benchmarks.databases import fill, two_databases
from benchmarks.windows import alternate, show
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import Waypost, open_waypost
from waypost.operations.call import Call, Caller, Rights
from waypost.store.postgres import PostgresStore

CLIENTS: Final = 8
LIMIT: Final = 0.7
CALLER: Final = Caller(door="rest", rights=Rights.AGENT, login="bench")

TAKE: Final = """
select *, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now from messages
where mailbox_id = %(mailbox)s and status = 'open' and reminder = 0 and to_session is null
  and due_at <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
order by due_at, created_at, id limit 1 for update skip locked
"""
CLOSE: Final = """
update messages set status = 'done', outcome = 'popped', closed_at = %(now)s, closed_by_project = %(mailbox_id)s,
  first_read_at = %(now)s, version = version + 1 where id = %(id)s
"""
KEEP: Final = """
insert into message_versions (message_id, version, workspace, changed_at, kind, actor, state)
values (%(id)s, %(version)s, %(workspace)s, %(now)s, 'message.popped', %(actor)s, %(state)s)
"""
NOTE: Final = """
insert into journal (at, kind, subject_id, version, scope_a, scope_b, door, actor_project, scope_source)
values (%(now)s, 'message.popped', %(id)s, %(next)s, %(mailbox_id)s, %(from_project_id)s, 'rest', %(mailbox_id)s, 'explicit')
"""


class ByHand:
    """The loop over the bare driver. Its database's positions are given by the sequencer of `node`."""

    def __init__(self, url: str, node: PostgresStore) -> None:
        options = "-c search_path=waypost"
        self._connections = [
            psycopg.connect(url, options=options, row_factory=psycopg.rows.dict_row) for _ in range(CLIENTS)
        ]
        self._node = node

    def pop(self, client: int, inbox: int) -> None:
        """The oldest message of one inbox."""
        connection = self._connections[client]
        row: Any = connection.execute(TAKE, {"mailbox": f"inbox-{inbox}"}).fetchone()
        assert row is not None
        row["next"] = row["version"] + 1
        row["actor"] = json.dumps({"door": "rest", "project": row["mailbox_id"], "scope_source": "explicit"})
        row["state"] = json.dumps({name: row[name] for name in ("occurrence", "due_at", "status", "outcome")})
        connection.execute(CLOSE, row)
        connection.execute(KEEP, row)
        connection.execute(NOTE, row)
        connection.commit()
        self._node.follower.nudge()

    def close(self) -> None:
        """Closes the connections."""
        for connection in self._connections:
            connection.close()


class Embedded:
    """`message.pop` of an embedded Waypost."""

    def __init__(self, waypost: Waypost) -> None:
        self._waypost = waypost

    def pop(self, client: int, inbox: int) -> None:  # noqa: ARG002 - the store lends the connections
        """The oldest message of one inbox."""
        answer = self._waypost.run("message.pop", Call(caller=CALLER, fields={"project": f"inbox-{inbox}"}))
        assert '"message":null' not in answer.json


def window(pop: Callable[[int, int], None], inboxes: int, pops: int) -> Callable[[], float]:
    """So many pops by all clients together, each taking the next inbox in turn; answers pops a second."""
    turns = itertools.count()

    def work(client: int, gate: threading.Barrier) -> None:
        gate.wait()
        for _ in range(pops // CLIENTS):
            pop(client, next(turns) % inboxes)

    def run() -> float:
        gate = threading.Barrier(CLIENTS + 1)
        threads = [threading.Thread(target=work, args=(client, gate)) for client in range(CLIENTS)]
        for thread in threads:
            thread.start()
        gate.wait()
        begun = time.perf_counter()
        for thread in threads:
            thread.join()
        return pops / (time.perf_counter() - begun)

    return run


def compare(urls: tuple[str, str], inboxes: int, windows: int, pops: int) -> bool:
    """Prints both rates for so many inboxes and whether the ratio is kept."""
    for url in urls:
        fill(url, inboxes=inboxes, open_each=(pops * (windows + 2)) // inboxes + CLIENTS)
    waypost, node = open_waypost(urls[0], Settings()), PostgresStore.open(urls[1])
    loop = ByHand(urls[1], node)
    sides = {
        "message.pop of an embedded Waypost": window(Embedded(waypost).pop, inboxes, pops),
        "hand-written loop": window(loop.pop, inboxes, pops),
    }
    alternate(sides, windows=2)
    found = alternate(sides, windows=windows)
    loop.close()
    waypost.close()
    node.close()
    print(f"{CLIENTS} clients, {inboxes} inbox{'es' if inboxes > 1 else ''}, pops a second, median of {windows}")
    for name, measured in found.items():
        print(f"  {name:40} {measured}")
    own, its = found.values()
    return show(f"message.pop / hand-written loop, {inboxes} inboxes", own.against(its), at_least=LIMIT)


def main() -> int:
    """Runs both comparisons; 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description="Pops on Postgres against a hand-written loop.")
    parser.add_argument("--windows", type=int, default=9, help="how often each side is measured (9)")
    parser.add_argument("--inboxes", type=int, nargs="+", default=[1, 64], help="how many inboxes (1 and 64)")
    parser.add_argument("--pops", type=int, default=240, help="pops of a window (240)")
    parser.add_argument("--url", default=None, help="a server whose account may create databases")
    options = parser.parse_args()
    kept = []
    for inboxes in options.inboxes:
        with two_databases(options.url) as urls:
            kept.append(compare(urls, inboxes, options.windows, options.pops))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
