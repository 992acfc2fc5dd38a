"""Loads and saves sessions and what they continue. A session keeps its first project for life."""

from __future__ import annotations

import json
from collections.abc import Sequence

from waypost.identity.models import Lineage, Project, Session
from waypost.kernel.time import SECOND
from waypost.store.interface import Actor, Fields, Row, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import maybe_number, maybe_text, number, text

__all__ = [
    "continue_session",
    "continues_of",
    "count_sessions",
    "find_session",
    "last_active_project_id",
    "lineage",
    "list_sessions",
    "register_session",
]

SQL = load_queries("waypost.identity")
TOUCH_EVERY = 30 * SECOND
"""A session's last word is kept to this grain, so that each call does not become a write of its own."""


def find_session(tx: Transaction, session_id: str) -> Session | None:
    """The registered session of that id."""
    row = tx.row(SQL.session, {"id": session_id})
    return _session(row) if row else None


def last_active_project_id(tx: Transaction) -> str | None:
    """The project of the session that spoke last."""
    row = tx.row(SQL.last_active_session, {})
    return text(row, "project_id") if row else None


def register_session(
    tx: Transaction, session_id: str, project: Project, *, client: str | None, user: str | None, actor: Actor
) -> Session:
    """The session of that id: registered with its first project, or marked as having spoken."""
    fields: Fields = {
        "id": session_id,
        "workspace": project.workspace,
        "project_id": project.id,
        "client": client,
        "user_name": user,
        "now": tx.now,
    }
    if tx.execute(SQL.insert_session, fields):
        tx.journal("session.registered", session_id, version=1, actor=actor, scopes=[project.id])
    else:
        spoke = {"id": session_id, "client": client, "now": tx.now, "before": tx.now - TOUCH_EVERY}
        tx.execute(SQL.touch_session, spoke)
    return _session(tx.rows(SQL.session, {"id": session_id})[0])


def continue_session(tx: Transaction, session: Session, project: Project, continues: str, *, actor: Actor) -> None:
    """Declares that a session of `project` continues another, which need not be known. Harmless to repeat."""
    fields: Fields = {
        "session_id": session.id,
        "continues_id": continues,
        "workspace": project.workspace,
        "now": tx.now,
    }
    if tx.execute(SQL.insert_link, fields):
        tx.journal("session.continued", session.id, version=session.version, actor=actor, scopes=[project.id])


def lineage(tx: Transaction, session_id: str | None) -> Lineage:
    """A session and all that it continues, transitively; empty without a session."""
    if session_id is None:
        return Lineage(ids=(), began_at=None)
    rows = tx.rows(SQL.lineage, {"id": session_id})
    began = [at for row in rows if (at := maybe_number(row, "created_at")) is not None]
    return Lineage(ids=tuple(text(row, "id") for row in rows), began_at=min(began, default=None))


def continues_of(tx: Transaction, session_id: str) -> list[str]:
    """What a session declares to continue directly."""
    return [text(row, "continues_id") for row in tx.rows(SQL.continues, {"id": session_id})]


def count_sessions(tx: Transaction, project_id: str, *, since: int) -> int:
    """How many sessions of a project spoke since an instant."""
    return number(tx.rows(SQL.count_sessions, {"project_id": project_id, "since": since})[0], "sessions")


def list_sessions(
    tx: Transaction,
    *,
    project_id: str | None,
    before: tuple[int, str] | None,
    limit: int,
    within: frozenset[str] | None = None,
) -> Sequence[Session]:
    """A page of sessions, of one project or all, the latest first; with `within` only of projects of those ids."""
    at, session_id = before or (2**62, "")
    page: Fields = {"before": at, "before_id": session_id, "limit": limit}
    if project_id is None:
        some: Fields = {"every": int(within is None), "within": json.dumps(sorted(within or ()))}
        return [_session(row) for row in tx.rows(SQL.list_all_sessions, {**page, **some})]
    return [_session(row) for row in tx.rows(SQL.list_sessions, {**page, "project_id": project_id})]


def _session(row: Row) -> Session:
    return Session(
        id=text(row, "id"),
        project_id=text(row, "project_id"),
        client=maybe_text(row, "client"),
        user=maybe_text(row, "user_name"),
        created_at=number(row, "created_at"),
        last_seen_at=number(row, "last_seen_at"),
        version=number(row, "version"),
    )
