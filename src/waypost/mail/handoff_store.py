"""Loads and saves handoffs. Each change updates the row and appends one journal entry.

A note changes once, from open to closed, so what it was before stands in the row itself and no table of versions is kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from waypost.mail.handoffs import Handoff, HandoffState
from waypost.mail.models import Sender
from waypost.store.interface import Actor, Fields, Overtaken, Row, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import flag, maybe_number, maybe_text, number, text

__all__ = [
    "change_handoff",
    "expired_handoffs",
    "hold_handoff",
    "insert_handoff",
    "list_handoffs",
    "offerable_handoffs",
    "open_automatic",
]

SQL = load_queries("waypost.mail", "handoffs.sql")
MOST_LOOKED_AT = 100
BEYOND = 2**62
"""Above every instant."""


def insert_handoff(tx: Transaction, handoff: Handoff, *, actor: Actor) -> None:
    """A new note with its journal entry."""
    sender = handoff.sender
    fields: Fields = {
        "id": handoff.id,
        "workspace": handoff.workspace,
        "project_id": sender.project_id,
        "from_session": sender.session,
        "from_client": sender.client,
        "from_user": sender.user,
        "from_door": sender.door,
        "from_source": sender.source,
        "automatic": int(handoff.automatic),
        "summary": handoff.summary,
        "open_questions": json.dumps(handoff.open_questions),
        "next_steps": json.dumps(handoff.next_steps),
        "files_touched": json.dumps(handoff.files_touched),
        "created_at": handoff.created_at,
        "expires_at": handoff.expires_at,
    }
    tx.execute(SQL.insert_handoff, fields)
    tx.journal("handoff.begun", handoff.id, version=1, actor=actor, scopes=[handoff.project_id])


def change_handoff(tx: Transaction, new: Handoff, *, kind: str, actor: Actor) -> None:
    """Saves a note that was closed. Raises `Overtaken` where somebody else closed it first."""
    fields: Fields = {
        "id": new.id,
        "expected": new.version - 1,
        "version": new.version,
        "state": new.state.value,
        "closed_at": new.closed_at,
        "closed_by_session": new.closed_by_session,
        "closed_by_user": new.closed_by_user,
        "closed_by_door": new.closed_by_door,
    }
    if tx.execute(SQL.update_handoff, fields) != 1:
        raise Overtaken("The handoff was closed meanwhile. Nothing was changed.", hint="List them and repeat.")
    tx.journal(kind, new.id, version=new.version, actor=actor, scopes=[new.project_id])


def hold_handoff(tx: Transaction, handoff_id: str) -> Handoff | None:
    """The note of that id, held to the end of the unit. Comes before the unit first asks for its `now`."""
    row = tx.row(SQL.handoff_held, {"id": handoff_id})
    return _handoff(row) if row else None


def offerable_handoffs(tx: Transaction, project_id: str) -> Sequence[Handoff]:
    """Open notes of a project in the order in which they are offered, at most 100."""
    fields: Fields = {"project_id": project_id, "now": tx.now, "limit": MOST_LOOKED_AT}
    return [_handoff(row) for row in tx.rows(SQL.offerable, fields)]


def open_automatic(tx: Transaction, project_id: str) -> Sequence[Handoff]:
    """Open notes that sessions' ends made, held."""
    fields: Fields = {"project_id": project_id, "limit": MOST_LOOKED_AT}
    return [_handoff(row) for row in tx.rows(SQL.open_automatic, fields)]


def list_handoffs(
    tx: Transaction, project_id: str, *, state: HandoffState | None, before: tuple[int, str] | None, limit: int
) -> Sequence[Handoff]:
    """A page of a project's notes, the latest first; open ones only while they have not expired."""
    at, last = before or (BEYOND, "")
    fields: Fields = {
        "project_id": project_id,
        "state": state.value if state else None,
        "alive": tx.now if state is HandoffState.OPEN else None,
        "before_at": at,
        "before_id": last,
        "limit": limit,
    }
    return [_handoff(row) for row in tx.rows(SQL.list_handoffs, fields)]


def expired_handoffs(tx: Transaction, *, limit: int) -> Sequence[Handoff]:
    """Open notes past their expiry."""
    return [_handoff(row) for row in tx.rows(SQL.expired_handoffs, {"now": tx.now, "limit": limit})]


def _handoff(row: Row) -> Handoff:
    return Handoff(
        id=text(row, "id"),
        workspace=text(row, "workspace"),
        sender=Sender(
            project_id=text(row, "project_id"),
            session=maybe_text(row, "from_session"),
            client=maybe_text(row, "from_client"),
            user=maybe_text(row, "from_user"),
            door=text(row, "from_door"),
            source=text(row, "from_source"),
        ),
        automatic=flag(row, "automatic"),
        summary=text(row, "summary"),
        open_questions=tuple(json.loads(text(row, "open_questions"))),
        next_steps=tuple(json.loads(text(row, "next_steps"))),
        files_touched=tuple(json.loads(text(row, "files_touched"))),
        created_at=number(row, "created_at"),
        expires_at=number(row, "expires_at"),
        state=HandoffState(text(row, "state")),
        version=number(row, "version"),
        closed_at=maybe_number(row, "closed_at"),
        closed_by_session=maybe_text(row, "closed_by_session"),
        closed_by_user=maybe_text(row, "closed_by_user"),
        closed_by_door=maybe_text(row, "closed_by_door"),
    )
