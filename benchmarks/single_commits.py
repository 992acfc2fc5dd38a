"""The yardstick of the other programs: one message a commit, its row and journal entry and nothing else, by one client in process."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from benchmarks.served import add_projects
from waypost.kernel.ids import new_id
from waypost.mail.models import Delivery, Message, Sender, Status
from waypost.mail.store import insert
from waypost.store.interface import Actor, Query
from waypost.store.sqlite.engine import SqliteStore

__all__ = ["SingleCommits"]

ACTOR = Actor(door="rest", scope_source="explicit")
MAILBOXES = Query(name="mailboxes", text="select id from mailboxes where kind = 'project' order by id limit 2")
TEXT = "The export endpoint answers 500 for workspaces without a plan. Please look at it and say what you changed. " * 2


class SingleCommits:
    """A store of its own at `place`, through `vfs`; `rate` writes to it for a while."""

    def __init__(self, place: Path, *, vfs: str | None = None) -> None:
        add_projects(place)
        self._store = SqliteStore.open(place, vfs=vfs)
        sender, mailbox = (str(row["id"]) for row in self._store.read(lambda tx: tx.rows(MAILBOXES)))
        self._message = _message(mailbox, sender)

    def close(self) -> None:
        """Closes the store."""
        self._store.close()

    def once(self) -> None:
        """One message, durable when this returns."""
        now = time.time_ns() // 1_000
        message_id = new_id()
        message = replace(
            self._message,
            id=message_id,
            thread=message_id,
            created_at=now,
            due_at=now,
            digest=message_id.replace("-", ""),
        )
        self._store.write(lambda tx: insert(tx, message, actor=ACTOR))

    def rate(self, seconds: float) -> float:
        """Commits a second."""
        count, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            self.once()
            count += 1
        return count / (time.perf_counter() - begun)


def _message(mailbox: str, sender: str) -> Message:
    return Message(
        id="",
        workspace="default",
        mailbox_id=mailbox,
        to_session=None,
        sender=Sender(project_id=sender, session=None, client=None, user=None, door="rest", source="explicit"),
        subject="Export fails",
        body=TEXT,
        actionable=False,
        reminder=False,
        delivery=Delivery.NEXT_ACTIVITY,
        created_at=0,
        due_at=0,
        expires_at=None,
        occurrence=1,
        status=Status.OPEN,
        version=1,
        lease=None,
        generation=0,
        wake=None,
        outcome=None,
        closed_at=None,
        closed_by_session=None,
        closed_by_project=None,
        reply_to=None,
        thread="",
        about_session=None,
        about_turn=None,
        first_read_at=None,
        digest="",
    )
