"""Loads and saves what each session was told at the boundaries of its work: whether its start block was printed, which notice, when.

A record is the word of the client's hook after it had printed, so that what was lost on the way is told again. Knows no mail.
"""

from __future__ import annotations

from collections.abc import Sequence

from waypost.identity.models import Told
from waypost.store.interface import Fields, Row, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import maybe_number, maybe_text, number, text

__all__ = ["find_told", "keep_told", "last_events"]

SQL = load_queries("waypost.identity")


def find_told(tx: Transaction, session_id: str) -> Told | None:
    """What the session was told; None before its first word by a hook."""
    row = tx.row(SQL.boundary, {"session_id": session_id})
    return _told(row) if row else None


def keep_told(tx: Transaction, session_id: str, told: Told, *, workspace: str) -> None:
    """Keeps what the session was told in place of what was kept before. The event's time is now."""
    fields: Fields = {
        "session_id": session_id,
        "workspace": workspace,
        "client": told.client,
        "event": told.event,
        "begun_at": told.begun_at,
        "told": told.count,
        "told_latest": told.latest,
        "handoff_id": told.handoff,
        "now": tx.now,
    }
    tx.execute(SQL.keep_boundary, fields)


def last_events(tx: Transaction) -> Sequence[tuple[str, Told]]:
    """The last event of each client's hooks, with the session that it was of."""
    return [(text(row, "session_id"), _told(row)) for row in tx.rows(SQL.last_events, {})]


def _told(row: Row) -> Told:
    return Told(
        client=text(row, "client"),
        event=text(row, "event"),
        event_at=number(row, "event_at"),
        begun_at=maybe_number(row, "begun_at"),
        count=maybe_number(row, "told"),
        latest=maybe_number(row, "told_latest"),
        handoff=maybe_text(row, "handoff_id"),
    )
