"""Loads and saves decisions. Each change updates the row and appends one journal entry.

A question changes once, from open to closed, so what it was before stands in the row itself and no table of versions is kept.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from waypost.mail.decision_models import Answer, Decision, DecisionState, Option, Question
from waypost.mail.models import Message, Sender, Unreadable
from waypost.mail.store import read_row
from waypost.store.interface import Actor, Fields, Overtaken, Row, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import flag, maybe_number, maybe_text, number, text

__all__ = [
    "Shelf",
    "change_decision",
    "closed_decisions",
    "expired_decisions",
    "find_decision",
    "hold_decision",
    "insert_decision",
    "open_decisions",
    "replies_to",
    "save_redacted",
]

SQL = load_queries("waypost.mail", "decisions.sql")
MOST_REPLIES = 50
BEYOND = 2**62
"""Above every instant."""
AFTER_ALL_IDS = "~"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shelf:
    """Whose questions are listed: those to these mailboxes and of this asker; with neither, all of what is `readable` (None: all)."""

    mailboxes: tuple[str, ...] = ()
    asker: str | None = None
    readable: frozenset[str] | None = None


def insert_decision(tx: Transaction, decision: Decision, *, actor: Actor) -> None:
    """A new question with its journal entry; its message is stored already."""
    question, sender = decision.question, decision.sender
    fields: Fields = {
        "id": decision.id,
        "workspace": decision.workspace,
        "mailbox_id": decision.mailbox_id,
        "to_session": decision.to_session,
        "from_project_id": sender.project_id,
        "from_session": sender.session,
        "from_client": sender.client,
        "from_user": sender.user,
        "from_door": sender.door,
        "from_source": sender.source,
        "question": question.question,
        "requires_root": int(question.requires_root),
        "reply_project": question.reply_project,
        "options": json.dumps([_option(option) for option in question.options]),
        "details": question.details,
        "links": json.dumps(question.links),
        "asked_at": decision.asked_at,
        "expires_at": decision.expires_at,
    }
    tx.execute(SQL.insert_decision, fields)
    tx.journal("decision.asked", decision.id, version=decision.version, actor=actor, scopes=_scopes(decision))


def change_decision(tx: Transaction, new: Decision, *, kind: str, actor: Actor) -> None:
    """Saves a question that was closed. Raises `Overtaken` where somebody else closed it first."""
    answer = new.answer
    by = answer.by if answer else None
    fields: Fields = {
        "id": new.id,
        "expected": new.version - 1,
        "version": new.version,
        "state": new.state.value,
        "closed_at": new.closed_at,
        "answer_option": answer.option if answer else None,
        "answer_comment": answer.comment if answer else None,
        "answer_project_id": by.project_id if by else None,
        "answer_session": by.session if by else None,
        "answer_client": by.client if by else None,
        "answer_user": by.user if by else None,
        "answer_door": by.door if by else None,
        "answer_source": by.source if by else None,
        "answer_message_id": answer.message_id if answer else None,
    }
    if tx.execute(SQL.update_decision, fields) != 1:
        raise Overtaken("The question was closed meanwhile. Nothing was changed.", hint="View it and repeat.")
    tx.journal(kind, new.id, version=new.version, actor=actor, scopes=_scopes(new))


def save_redacted(tx: Transaction, old: Decision, new: Decision, *, actor: Actor) -> None:
    """Saves a question without its words, or one whose answer has no comment any more. Raises `Overtaken` as a change does."""
    key: Fields = {"id": new.id, "expected": old.version, "version": new.version}
    if new.redacted_at == old.redacted_at:
        done = tx.execute(SQL.blank_comment, key)
    else:
        fields: Fields = {
            "question": new.question.question,
            "options": json.dumps([_option(option) for option in new.question.options]),
            "state": new.state.value,
            "closed_at": new.closed_at,
            "answer_comment": new.answer.comment if new.answer else None,
            "redacted_at": new.redacted_at,
        }
        done = tx.execute(SQL.redact_decision, {**key, **fields})
    if done != 1:
        raise Overtaken("The question was changed meanwhile. Nothing was changed.", hint="View it and repeat.")
    tx.journal("decision.redacted", new.id, version=new.version, actor=actor, scopes=_scopes(new))


def find_decision(tx: Transaction, decision_id: str) -> Decision | None:
    """The question of that id."""
    row = tx.row(SQL.decision, {"id": decision_id})
    return _decision(row) if row else None


def hold_decision(tx: Transaction, decision_id: str) -> Decision | None:
    """The same, held to the end of the unit. Its message, where that is held too, is held first."""
    row = tx.row(SQL.decision_held, {"id": decision_id})
    return _decision(row) if row else None


def open_decisions(
    tx: Transaction, shelf: Shelf, *, after: tuple[int, str] | None, alive: bool, limit: int
) -> list[Decision]:
    """Up to `limit` open questions behind `after`, the oldest first; with `alive` none past its expiry."""
    at, last = after or (-1, "")
    fields: Fields = {
        "now": tx.now,
        "alive": tx.now if alive else None,
        "after_at": at,
        "after_id": last,
        "limit": limit,
    }
    pages = _pages(tx, shelf, "open", fields)
    merged = heapq.merge(*pages, key=lambda decision: (decision.asked_at, decision.id))
    return _once(merged)[:limit]


def closed_decisions(
    tx: Transaction, shelf: Shelf, *, after: tuple[int, str] | None, state: DecisionState | None, limit: int
) -> list[Decision]:
    """Up to `limit` closed questions behind `after`, the latest first."""
    at, last = after or (BEYOND, AFTER_ALL_IDS)
    fields: Fields = {"state": state.value if state else None, "after_at": at, "after_id": last, "limit": limit}
    pages = _pages(tx, shelf, "closed", fields)
    merged = heapq.merge(*pages, key=lambda decision: (decision.closed_at or 0, decision.id), reverse=True)
    return _once(merged)[:limit]


def expired_decisions(tx: Transaction, *, limit: int) -> Sequence[Decision]:
    """Open questions past their expiry."""
    return [_decision(row) for row in tx.rows(SQL.expired_decisions, {"now": tx.now, "limit": limit})]


def replies_to(tx: Transaction, decision: Decision, thread: str) -> list[Message | Unreadable]:
    """What was sent in answer to the question's message, the oldest first, at most 50."""
    fields: Fields = {"thread": thread, "id": decision.id, "limit": MOST_REPLIES}
    return [read_row(row) for row in tx.rows(SQL.replies_to, fields)]


def _pages(tx: Transaction, shelf: Shelf, part: str, fields: Fields) -> list[list[Decision]]:
    """One page of each query that the shelf takes."""
    queries = {"open": SQL.open_inbox, "closed": SQL.closed_inbox}[part]
    runs = [(queries, {**fields, "mailbox_id": mailbox}) for mailbox in shelf.mailboxes]
    if shelf.asker is not None:
        outbox = {"open": SQL.open_outbox, "closed": SQL.closed_outbox}[part]
        runs.append((outbox, {**fields, "mailbox_id": shelf.asker}))
    elif not shelf.mailboxes and shelf.readable is None:
        runs.append(({"open": SQL.open_everywhere, "closed": SQL.closed_everywhere}[part], fields))
    elif not shelf.mailboxes and shelf.readable is not None:
        some = {"open": SQL.open_readable, "closed": SQL.closed_readable}[part]
        runs.append((some, {**fields, "readable": json.dumps(sorted(shelf.readable))}))
    return [[_decision(row) for row in tx.rows(query, given)] for query, given in runs]


def _once(decisions: Iterable[Decision]) -> list[Decision]:
    """Each question once: one that a project asked itself is in its inbox and its outbox."""
    return list({decision.id: decision for decision in decisions}.values())


def _option(option: Option) -> dict[str, str | bool]:
    return {
        "id": option.id,
        "label": option.label,
        "description": option.description,
        "recommended": option.recommended,
    }


def _decision(row: Row) -> Decision:
    return Decision(
        id=text(row, "id"),
        workspace=text(row, "workspace"),
        mailbox_id=text(row, "mailbox_id"),
        to_session=maybe_text(row, "to_session"),
        sender=Sender(
            project_id=text(row, "from_project_id"),
            session=maybe_text(row, "from_session"),
            client=maybe_text(row, "from_client"),
            user=maybe_text(row, "from_user"),
            door=text(row, "from_door"),
            source=text(row, "from_source"),
        ),
        question=Question(
            question=text(row, "question"),
            requires_root=flag(row, "requires_root"),
            reply_project=text(row, "reply_project"),
            options=tuple(Option(**option) for option in json.loads(text(row, "options"))),
            details=text(row, "details"),
            links=tuple(json.loads(text(row, "links"))),
        ),
        asked_at=number(row, "asked_at"),
        expires_at=maybe_number(row, "expires_at"),
        state=DecisionState(text(row, "state")),
        version=number(row, "version"),
        closed_at=maybe_number(row, "closed_at"),
        redacted_at=maybe_number(row, "redacted_at"),
        answer=_answer(row),
    )


def _answer(row: Row) -> Answer | None:
    if maybe_text(row, "answer_option") is None:
        return None
    return Answer(
        option=text(row, "answer_option"),
        comment=text(row, "answer_comment"),
        at=number(row, "closed_at"),
        by=Sender(
            project_id=text(row, "answer_project_id"),
            session=maybe_text(row, "answer_session"),
            client=maybe_text(row, "answer_client"),
            user=maybe_text(row, "answer_user"),
            door=text(row, "answer_door"),
            source=text(row, "answer_source"),
        ),
        message_id=text(row, "answer_message_id"),
    )


def _scopes(decision: Decision) -> list[str]:
    return list(dict.fromkeys([decision.mailbox_id, decision.sender.project_id]))
