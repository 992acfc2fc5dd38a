"""What redacting leaves: pure functions of a record and the time. Words go; ids, times, actors and Waypost's own words stay.

A redacted message is never open: nobody can do work whose words are gone, so an open one is withdrawn with them. Knows no storage.
"""

from __future__ import annotations

from dataclasses import replace

from waypost.kernel.errors import InvalidInput
from waypost.kernel.ids import parse_id
from waypost.mail.decision_models import Decision, Question
from waypost.mail.decision_rules import ANSWERED, cancel_decision
from waypost.mail.decision_text import REPLY_PREFIX
from waypost.mail.models import POPPED, READ, Message, Status

__all__ = ["OWN_WORDS", "answered_by", "blank_comment", "blank_outcome", "redact", "redact_question"]

OWN_WORDS = frozenset({POPPED, ANSWERED, READ, None})
"""Outcomes that Waypost itself wrote."""


def redact(message: Message, *, now: int) -> Message:
    """The message without a word that anybody wrote. An open one is withdrawn, or expired where its time is over. A redacted one is
    answered unchanged."""
    if message.redacted_at is not None:
        return message
    status = message.status_at(now)
    closes = message.status is Status.OPEN
    return replace(
        message,
        subject="",
        body="",
        outcome=blank_outcome(message.outcome),
        status=Status.CANCELLED if status is Status.OPEN else status,
        closed_at=now if closes else message.closed_at,
        lease=None if closes else message.lease,
        digest=f"redacted:{message.id}",
        redacted_at=now,
        version=message.version + 1,
    )


def redact_question(decision: Decision, *, now: int) -> Decision:
    """The question without its words; an open one is withdrawn. Option ids stay, because an answer names one."""
    if decision.redacted_at is not None:
        return decision
    question = decision.question
    options = tuple(replace(option, label="", description="") for option in question.options)
    blank = Question(
        question="", requires_root=question.requires_root, reply_project=question.reply_project, options=options
    )
    closed = cancel_decision(decision, now=now) if decision.answer is None else decision
    answer = replace(decision.answer, comment="") if decision.answer else None
    return replace(closed, question=blank, answer=answer, redacted_at=now, version=decision.version + 1)


def blank_comment(decision: Decision) -> Decision:
    """The question whose answer's comment is gone, because the reply that carried it is redacted."""
    if decision.answer is None or not decision.answer.comment:
        return decision
    return replace(decision, answer=replace(decision.answer, comment=""), version=decision.version + 1)


def blank_outcome(outcome: str | None) -> str | None:
    """What is left of an outcome: Waypost's own word, which retries of a pop are known by, or nothing."""
    return outcome if outcome in OWN_WORDS else None


def answered_by(message: Message) -> str | None:
    """The id of the question that a message answers by its form; None where it has no such form."""
    if not message.subject.startswith(REPLY_PREFIX):
        return None
    try:
        return parse_id(message.subject.removeprefix(REPLY_PREFIX), field="subject")
    except InvalidInput:
        return None
