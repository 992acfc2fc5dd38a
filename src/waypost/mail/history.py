"""Mail as history: what annotates a session, and the whole of a conversation, in the order in which it was written. Marks nothing."""

from __future__ import annotations

import json

from waypost.mail.models import Message, Reader, Unreadable
from waypost.mail.store import read_row
from waypost.store.interface import Fields, Transaction
from waypost.store.loader import load_queries

__all__ = ["Written", "conversation", "notes_about", "written"]

SQL = load_queries("waypost.mail", "history.sql")
Written = tuple[int, str]
"""Where a page ends: the creation and id of its last message."""
START: Written = (-1, "")


def written(message: Message | Unreadable) -> Written:
    """Where a message stands in the order of history."""
    return message.created_at, message.id


def notes_about(
    tx: Transaction,
    session: str,
    *,
    turn: int | None,
    readable: frozenset[str] | None,
    after: Written | None,
    limit: int,
) -> list[Message | Unreadable]:
    """Up to `limit` messages about a session, or one turn of it, behind `after`, whatever became of them; only from or to mailboxes
    in `readable` (None: all). One that never came due is not among them."""
    fields = _page(after, limit) | {"session": session, "turn": turn, "now": tx.now}
    if readable is None:
        rows = tx.rows(SQL.annotations, fields)
    else:
        rows = tx.rows(SQL.readable_annotations, fields | {"readable": json.dumps(sorted(readable))})
    return [read_row(row) for row in rows]


def conversation(
    tx: Transaction, reader: Reader, thread: str, *, after: Written | None, limit: int
) -> list[Message | Unreadable]:
    """Up to `limit` messages of a thread behind `after`, received by the reader's mailboxes or sent by its project."""
    fields = _page(after, limit) | {
        "thread": thread,
        "mailboxes": json.dumps(reader.mailboxes),
        "own": reader.project_id,
    }
    return [read_row(row) for row in tx.rows(SQL.conversation, fields)]


def _page(after: Written | None, limit: int) -> Fields:
    at, last = after or START
    return {"after_at": at, "after_id": last, "limit": limit}
