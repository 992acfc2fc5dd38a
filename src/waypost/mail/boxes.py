"""Lists and counts of mail: pages of an inbox or outbox, the oldest to pop, what bounds an inbox."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from waypost.mail.models import Box, Message, Reader, Unreadable, View
from waypost.mail.store import message_from_row, read_row
from waypost.store.interface import Fields, Query, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import maybe_number, maybe_text, number, text

__all__ = [
    "Filters",
    "Place",
    "claimed",
    "count_replies",
    "count_scheduled",
    "count_sends",
    "count_untouched",
    "equal_send",
    "in_thread",
    "list_box",
    "next_due",
    "oldest",
    "own_open_outbox",
    "pending_count",
    "pending_counts",
    "place_of",
    "recently_popped",
    "reminders_due",
]

SQL = load_queries("waypost.mail")
Place = tuple[int, int, str]
"""Where a page ends: the due time, creation and id of its last message, which together order every list."""
START: Place = (-1, -1, "")
PARTS = {
    View.UNREAD: ("unread",),
    View.OPEN: ("open",),
    View.SCHEDULED: ("scheduled",),
    View.CLOSED: ("closed", "lapsed"),
    View.ALL: ("closed", "pending"),
}
"""The queries whose pages make up each view. Closed and open mail have indexes of their own, so no query spans both."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """What narrows a list: a thread, the sender's project, words in subject or body."""

    thread: str | None = None
    from_project: str | None = None
    query: str | None = None


def list_box(
    tx: Transaction, reader: Reader, *, box: Box, view: View, filters: Filters, after: Place | None, limit: int
) -> list[Message | Unreadable]:
    """Up to `limit` records behind `after`, ordered by due time, creation and id. A reader without a session sees what is
    addressed to any session of its mailboxes. Records that cannot be read are in it as such. Marks nothing."""
    fields = _page(tx, filters, after, limit)
    parts = [getattr(SQL, f"{box.value}_{part}") for part in PARTS[view]]
    if box is Box.OUTBOX:
        runs = [(part, {**fields, "from_project": reader.project_id}) for part in parts]
    else:
        fields |= {"everybody": int(reader.session is None), "lineage": json.dumps(reader.lineage)}
        runs = [
            (part, {**fields, "mailbox_id": mailbox, "since": reader.news_since(mailbox)})
            for mailbox in reader.mailboxes
            for part in parts
        ]
    pages = [[read_row(row) for row in tx.rows(part, given)] for part, given in runs]
    return list(heapq.merge(*pages, key=place_of))[:limit]


def place_of(message: Message | Unreadable) -> Place:
    """Where a message stands in the order of every list."""
    return message.due_at, message.created_at, message.id


def oldest(tx: Transaction, reader: Reader) -> Message | None:
    """The oldest due, open, unleased message that a pop without an id takes: no reminders; without a session nothing but
    project-level mail."""
    mailboxes = (
        reader.mailboxes if reader.session is not None else reader.mailboxes[: int(reader.project_id is not None)]
    )
    fields: Fields = {"now": tx.now, "lineage": json.dumps(reader.lineage)}
    rows = [tx.row(SQL.oldest, {**fields, "mailbox_id": mailbox}) for mailbox in mailboxes]
    return min((message_from_row(row) for row in rows if row), key=place_of, default=None)


def recently_popped(tx: Transaction, reader: Reader, *, since: int) -> Callable[[], list[str]]:
    """Asks for the ids popped from the project's mailbox since an instant; the call gives them, the latest first, at most 50."""
    if reader.project_id is None:
        return list
    rows = tx.later(SQL.recently_popped, {"mailbox_id": reader.project_id, "since": since})

    def found() -> list[str]:
        return (maybe_text(rows()[0], "ids") or "").split()

    return found


def equal_send(tx: Transaction, digest: str, *, since: int) -> Message | None:
    """The latest message with that digest since an instant."""
    row = tx.row(SQL.by_digest, {"digest": digest, "since": since})
    return message_from_row(row) if row else None


def count_untouched(tx: Transaction, mailbox_id: str, *, most: int) -> int:
    """Due mail in a mailbox that nobody read, popped or claimed; counting stops at `most`."""
    return _count(tx, SQL.count_untouched, {"mailbox_id": mailbox_id, "now": tx.now, "most": most})


def count_scheduled(tx: Transaction, mailbox_id: str, *, most: int) -> int:
    """Mail in a mailbox that is not due yet; counting stops at `most`."""
    return _count(tx, SQL.count_scheduled, {"mailbox_id": mailbox_id, "now": tx.now, "most": most})


def reminders_due(tx: Transaction, mailbox_id: str, *, limit: int) -> Sequence[Message]:
    """Open reminders of a mailbox that came due and that nobody works on, the earliest first."""
    fields: Fields = {"mailbox_id": mailbox_id, "now": tx.now, "limit": limit}
    return [message_from_row(row) for row in tx.rows(SQL.reminders_due, fields)]


def in_thread(tx: Transaction, thread: str, *, limit: int) -> list[Message]:
    """The latest mail of a thread, the newest first; what this Waypost cannot read is left out."""
    found = (read_row(row) for row in tx.rows(SQL.in_thread, {"thread": thread, "limit": limit}))
    return [record for record in found if isinstance(record, Message)]


def count_sends(tx: Transaction, session: str, *, since: int, most: int) -> int:
    """What one session sent since an instant; counting stops at `most`."""
    return _count(tx, SQL.count_sends, {"session": session, "since": since, "most": most})


def count_replies(tx: Transaction, thread: str, *, since: int, most: int) -> int:
    """Replies of agents in a thread since an instant, 0 where a person wrote there meanwhile; counting stops at `most`."""
    if tx.row(SQL.person_wrote_since, {"thread": thread, "since": since}):
        return 0
    return _count(tx, SQL.count_replies, {"thread": thread, "since": since, "most": most})


def own_open_outbox(tx: Transaction, project_id: str, *, limit: int) -> Sequence[Message]:
    """The open mail that a project sent, scheduled and claimed too."""
    fields: Fields = {"from_project": project_id, "now": tx.now, "limit": limit}
    return [message_from_row(row) for row in tx.rows(SQL.outbox_to_cancel, fields)]


def next_due(tx: Transaction, reader: Reader) -> int | None:
    """When the next scheduled mail of the reader's mailboxes comes due, or the next lease there runs out, which makes mail unread."""
    dues: list[int | None] = []
    for mailbox in reader.mailboxes:
        fields: Fields = {"mailbox_id": mailbox, "now": tx.now}
        dues.append(maybe_number(tx.rows(SQL.next_due, fields)[0], "due_at"))
        dues.append(maybe_number(tx.rows(SQL.next_lapse, fields)[0], "lease_until"))
    return min((due for due in dues if due is not None), default=None)


def claimed(tx: Transaction, mailbox_id: str, *, limit: int) -> Sequence[Message]:
    """Mail of a mailbox under a live lease, the next to lapse first."""
    fields: Fields = {"mailbox_id": mailbox_id, "now": tx.now, "limit": limit}
    return [message_from_row(row) for row in tx.rows(SQL.claimed, fields)]


def pending_count(tx: Transaction, mailbox_id: str) -> int:
    """Due, open mail in a mailbox that nobody read."""
    return _count(tx, SQL.pending_count, {"mailbox_id": mailbox_id, "now": tx.now})


def pending_counts(tx: Transaction) -> dict[str, int]:
    """Due, open mail that nobody read, by mailbox; mailboxes without any are left out."""
    return {text(row, "mailbox_id"): number(row, "messages") for row in tx.rows(SQL.pending_counts, {"now": tx.now})}


def _page(tx: Transaction, filters: Filters, after: Place | None, limit: int) -> Fields:
    due, created, last = after or START
    return {
        "now": tx.now,
        "after_due": due,
        "after_created": created,
        "after_id": last,
        "thread": filters.thread,
        "from_project": filters.from_project,
        "pattern": _pattern(filters.query),
        "limit": limit,
    }


def _pattern(query: str | None) -> str | None:
    if query is None:
        return None
    escaped = query.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"


def _count(tx: Transaction, query: Query, fields: Fields) -> int:
    return number(tx.rows(query, fields)[0], "messages")
