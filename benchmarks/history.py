"""What closed mail behind a mailbox costs: SQLite's steps and the wall time of each hot operation over short and long histories.

    make bench ARGS=history          or: PYTHONPATH=src:. python -m benchmarks.history [--short 1000] [--long 1000000]

Both stores hold the same open mail; one has 1,000 closed messages in the same mailbox, thread and outbox, the other 1,000,000.
Each operation runs through the pipeline, alternately on both. Steps are SQLite's own count (`SQLITE_STMTSTATUS_VM_STEP`), the sum
over the operation's statements; wall times are medians. tests/store/test_flat_history.py holds the steps to their limit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw

from waypost.assembly.settings import Settings
from waypost.assembly.waypost import Waypost, open_waypost
from waypost.kernel.time import HOUR
from waypost.operations.call import Call, Caller, Rights

__all__ = ["FIRST", "LIMIT", "OPERATIONS", "Cost", "Desk", "Mailroom", "Steps", "Work"]

LIMIT = 1.1
SHORT, LONG = 1_000, 1_000_000
ROUNDS = 7
OPEN = 20
"""Open messages that every round finds in the inbox."""
OWN, OTHER = "b", "a"
SESSION = "s-1"
FIRST = "00000000-0000-7000-8000-000000000001"
CALLER = Caller(door="rest", rights=Rights.OWNER, login="bench")

HISTORY = """
with recursive n (i) as (select 1 union all select i + 1 from n where i < :count)
insert into messages (id, format, workspace, mailbox_id, from_project_id, from_session, from_door, from_source, subject, body,
  actionable, reminder, delivery, created_at, due_at, occurrence, status, version, outcome, closed_at, closed_by_project, reply_to,
  thread, first_read_at, digest)
select iif(i = 1, :first, printf('%08x', i)), 1, 'default', 'b', 'a', 's-1', 'rest', 'explicit', '', 'x', 0, 0, 'next_activity', :sent - i, :sent - i, 1,
  'done', 2, 'popped', :popped - i, 'b', :first, :first, :popped - i, printf('%08x', i) from n
"""
"""Closed mail of one thread from project a to b: sent an hour ago, all popped just now, so that the list of what was popped lately
looks back on it."""
PROJECT = (
    "insert into projects (id, workspace, name, by_marker, created_at, version) values (:id, 'default', :id, 0, 0, 1)"
)
MAILBOX = "insert into mailboxes (id, workspace, kind) values (:id, 'default', 'project')"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """One operation's: SQLite's steps, whether a statement was planned for it, and seconds."""

    steps: int
    planned: bool
    seconds: float


class Steps:
    """Counts what SQLite does on every connection that is opened while this is entered."""

    def __init__(self) -> None:
        self.steps = 0
        self.planned = False

    def __enter__(self) -> Self:
        apsw.connection_hooks.append(self._watch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        apsw.connection_hooks.remove(self._watch)

    def _watch(self, connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._count, id=self)
        connection.authorizer = self._plan  # asked whenever a statement is planned

    def _count(self, event: Mapping[str, Any]) -> None:
        self.steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    def _plan(self, _action: int, *_names: str | None) -> int:
        self.planned = True
        return apsw.SQLITE_OK


class Mailroom:
    """A running Waypost between project a, which sends, and b, which takes. Close it."""

    def __init__(self, waypost: Waypost) -> None:
        self._waypost = waypost
        self._count = 0

    def close(self) -> None:
        """Closes the store."""
        self._waypost.close()

    def run(self, operation: str, **fields: object) -> Any:
        """The answer of an operation."""
        return self.run_keyed(operation, None, fields)

    def run_keyed(self, operation: str, key: str | None, fields: Mapping[str, object]) -> Any:
        """The answer of an operation under an idempotency key."""
        return json.loads(self._waypost.run(operation, Call(caller=CALLER, fields=fields, key=key)).json)

    def send(self, **fields: object) -> str:
        """One message from a to b, unlike those before."""
        self._count += 1
        text = f"Message {self._count}"
        sent = self.run("message.send", from_project=OTHER, to_project=OWN, body=text, repeat=False, **fields)
        return str(sent["message_id"])

    def pop(self, message_id: str) -> None:
        """Pops one message."""
        self.run("message.pop", project=OWN, message_id=message_id)


class Desk(Mailroom):
    """A store with so much closed mail behind project b's inbox, and its pipeline. Opened inside `Steps`; close it."""

    def __init__(self, place: Path, steps: Steps, *, closed: int) -> None:
        self._steps = steps
        open_waypost(place, Settings()).close()
        fill(place, closed)
        super().__init__(open_waypost(place, Settings()))
        for _ in range(OPEN):
            self.send()

    def cost(self, work: Work) -> Cost:
        """What an operation costs."""
        stages = work(self)
        operation = next(stages)
        self._steps.steps, self._steps.planned = 0, False
        begun = time.perf_counter()
        operation()
        seconds = time.perf_counter() - begun
        found = Cost(steps=self._steps.steps, planned=self._steps.planned, seconds=seconds)
        next(stages, None)
        return found


def fill(place: Path, closed: int) -> None:
    """Writes projects, session and closed mail beside the pipeline, without indexes and syncs, because that is fast."""
    connection = apsw.Connection(str(place))
    connection.pragma("synchronous", "off")
    now = time.time_ns() // 1_000
    with connection:
        for name in (OTHER, OWN):
            connection.execute(MAILBOX, {"id": name})
            connection.execute(PROJECT, {"id": name})
        indexes = connection.execute(
            "select name, sql from sqlite_schema where type = 'index' and tbl_name = 'messages' and sql is not null"
        ).fetchall()
        for index, _ in indexes:
            connection.execute(f"drop index {index}")
        connection.execute(HISTORY, {"count": closed, "sent": now - HOUR, "popped": now, "first": FIRST})
        for _, made in indexes:
            connection.execute(str(made))
    connection.pragma("journal_mode", "delete")
    connection.close()


Work = Callable[[Mailroom], Iterator[Callable[[], Any]]]
"""Prepares, yields what is measured, and puts the inbox back as it was."""


def _sent(**fields: object) -> Work:
    def work(desk: Mailroom) -> Iterator[Callable[[], Any]]:
        sent: list[str] = []
        yield lambda: sent.append(desk.send(**fields))
        desk.pop(sent[0])

    return work


def _keyed(desk: Mailroom) -> Iterator[Callable[[], Any]]:
    key = str(time.time_ns())
    fields: dict[str, object] = {"from_project": OTHER, "to_project": OWN, "body": f"Keyed {key}"}
    first = desk.run_keyed("message.send", key, fields)
    yield lambda: desk.run_keyed("message.send", key, fields)
    desk.pop(first["message_id"])


def _replied(desk: Mailroom) -> Iterator[Callable[[], Any]]:
    sent, answers = desk.send(), list[Any]()
    yield lambda: answers.append(desk.run("message.reply", project=OWN, message_id=sent, body=f"Answer to {sent}"))
    desk.pop(sent)
    desk.run("message.pop", project=OTHER, message_id=answers[0]["message_id"])


def _oldest(desk: Mailroom) -> Iterator[Callable[[], Any]]:
    desk.send()
    yield lambda: desk.run("message.pop", project=OWN)


def _by_id(desk: Mailroom) -> Iterator[Callable[[], Any]]:
    sent = desk.send()
    yield lambda: desk.pop(sent)


def _again(desk: Mailroom) -> Iterator[Callable[[], Any]]:
    sent = desk.send()
    desk.pop(sent)
    yield lambda: desk.pop(sent)


def _acked(desk: Mailroom) -> Iterator[Callable[[], Any]]:
    sent = desk.send()
    yield lambda: desk.run("message.ack", project=OWN, session="s-2", message_id=sent, occurrence=1)
    desk.pop(sent)


def _claimed(desk: Mailroom) -> Iterator[Callable[[], Any]]:
    sent = desk.send(actionable=True)
    held = {"project": OWN, "session": "s-2", "message_id": sent, "occurrence": 1}
    yield lambda: desk.run("message.claim", **held)
    desk.run("message.cancel", project=OTHER, message_id=sent)


def _held(verb: str, **fields: object) -> Work:
    def work(desk: Mailroom) -> Iterator[Callable[[], Any]]:
        sent = desk.send(actionable=True)
        held = {"project": OWN, "session": "s-2", "message_id": sent, "occurrence": 1}
        held["token"] = desk.run("message.claim", **held)["token"]
        yield lambda: desk.run(f"message.{verb}", **held, **fields)
        if verb != "complete":
            desk.run("message.cancel", project=OTHER, message_id=sent)

    return work


def _cancelled(desk: Mailroom) -> Iterator[Callable[[], Any]]:
    sent = desk.send()
    yield lambda: desk.run("message.cancel", project=OTHER, message_id=sent)


def _asked(operation: str, **fields: object) -> Work:
    def work(desk: Mailroom) -> Iterator[Callable[[], Any]]:
        yield lambda: desk.run(operation, **fields)

    return work


OPERATIONS: dict[str, Work] = {
    "send": _sent(),
    "send for a session": _sent(session=SESSION),
    "send into the long thread": _sent(reply_to=FIRST),
    "send, repeated by its key": _keyed,
    "reply": _replied,
    "pop, oldest": _oldest,
    "pop by id": _by_id,
    "pop by id, repeated": _again,
    "ack": _acked,
    "claim": _claimed,
    "renew": _held("renew"),
    "release": _held("release"),
    "complete": _held("complete", outcome="done"),
    "snooze": _held("snooze", outcome="later", delay_seconds=3_600),
    "cancel": _cancelled,
    "what is in work": _asked("activity.claims", project=OWN),
    "list unread": _asked("message.list", project=OWN),
    "list unread for a session": _asked("message.list", project=OWN, session="s-2"),
    "list open": _asked("message.list", project=OWN, status="open"),
    "list scheduled": _asked("message.list", project=OWN, status="scheduled"),
    "list closed, one page": _asked("message.list", project=OWN, status="closed"),
    "list all, one page": _asked("message.list", project=OWN, status="all"),
    "outbox open": _asked("message.list", project=OTHER, box="outbox"),
    "outbox unread": _asked("message.list", project=OTHER, box="outbox", status="unread"),
    "view": _asked("message.view", project=OWN, message_id=FIRST),
    "wait, one look": _asked("message.wait", project=OWN),
    "project, with what is pending": _asked("project.show", workspace="default", project=OWN),
    "projects, with what is pending": _asked("project.list"),
}


def main() -> int:
    """Prints steps and wall times of every operation over both histories."""
    parser = argparse.ArgumentParser(description="What closed mail behind a mailbox costs.")
    parser.add_argument("--short", type=int, default=SHORT, help=f"closed messages of the short history ({SHORT})")
    parser.add_argument("--long", type=int, default=LONG, help=f"closed messages of the long history ({LONG})")
    options = parser.parse_args()
    broken = 0
    with tempfile.TemporaryDirectory(prefix="wp-") as folder, Steps() as steps:
        desks = [Desk(Path(folder, f"{closed}.db"), steps, closed=closed) for closed in (options.short, options.long)]
        print(f"{'operation':40} {'steps':>7} {'steps':>7} {'ratio':>6} {'limit':>6} {'ms':>7} {'ms':>7} {'ratio':>6}")
        print(f"{'closed messages behind it':40} {options.short:>7} {options.long:>7} {'':13} {'short':>7} {'long':>7}")
        for name, work in OPERATIONS.items():
            costs = [[desk.cost(work) for desk in desks] for _ in range(ROUNDS)]
            short, long = ([pair[at].steps for pair in costs][-1] for at in (0, 1))
            times = [statistics.median(pair[at].seconds for pair in costs) * 1e3 for at in (0, 1)]
            broken += long > short * LIMIT
            print(
                f"{name:40} {short:7} {long:7} {long / short:6.2f} {LIMIT:6} {times[0]:7.2f} {times[1]:7.2f}"
                f" {times[1] / times[0]:6.2f}"
            )
        for desk in desks:
            desk.close()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
