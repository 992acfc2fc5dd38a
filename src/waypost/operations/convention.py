"""Decisions in plain mail: a send whose subject and body are of the convention's form asks or answers as `ask` and `answer` do.

A malformed question stays plain mail. A reply that is malformed, late or not permitted is stored as plain mail under a subject that
says so, and never mistaken for the answer; the send is not refused, and its answer says why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from waypost.identity.store import StoredDirectory
from waypost.kernel.errors import InvalidInput, WaypostError
from waypost.kernel.ids import parse_id
from waypost.kernel.text import measure
from waypost.mail.decision_models import Answer, Decision, DecisionState, Question, Reply
from waypost.mail.decision_rules import (
    accept,
    cancel_decision,
    check_answerer,
    check_open,
    check_option,
    check_question,
    close_question,
)
from waypost.mail.decision_store import change_decision, hold_decision, insert_decision
from waypost.mail.decision_text import QUESTION_PREFIX, REPLY_PREFIX, Malformed, read_question, read_reply
from waypost.mail.errors import AlreadyAnswered, AlreadyClosed, NotDue, NotPermittedToAnswer
from waypost.mail.models import Message
from waypost.mail.store import change, hold_message
from waypost.operations.decision_records import name_of_answerer
from waypost.operations.decision_rights import sees, standing_of
from waypost.operations.inputs import Output
from waypost.operations.registry import Unit

__all__ = [
    "UNACCEPTED",
    "Held",
    "Judged",
    "Verdict",
    "check_answer",
    "hold_answered",
    "hold_question",
    "judge",
    "settle",
    "withdraw",
    "withdraw_asked",
]

REFUSALS = (Malformed, InvalidInput, NotPermittedToAnswer, AlreadyAnswered, AlreadyClosed, NotDue)
"""What makes a message plain mail. A fault of the store is none of them."""
UNACCEPTED = "unaccepted: "
"""What stands before the subject of a reply that is not the answer."""


class Verdict(Output):
    """What a message of the convention's form became: a question that was `asked`, its answer (`answered`), or plain mail, with the
    reason: `plain` for a question that is malformed, `unaccepted` for a reply that is not the answer."""

    decision_id: str | None
    state: Literal["asked", "answered", "plain", "unaccepted"]
    reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """The question that is answered, and its message where that is still there, both held to the end of the unit."""

    decision: Decision
    message: Message | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A message as it is to be stored, what it asks or answers, and what its sender is told."""

    message: Message
    verdict: Verdict | None = None
    asks: Decision | None = None
    answers: tuple[Held, Decision] | None = None


def hold_question(unit: Unit, decision_id: str) -> Held | None:
    """The question of that id and its message, held, the message first. Comes before the unit first asks for its `now`."""
    message = hold_message(unit.tx, decision_id)
    decision = hold_decision(unit.tx, decision_id)
    return Held(decision=decision, message=message) if decision else None


def hold_answered(unit: Unit, subject: str) -> Held | None:
    """The same for the question that a reply's subject names; None for any other subject."""
    if not subject.startswith(REPLY_PREFIX):
        return None
    try:
        held = hold_question(unit, parse_id(subject.removeprefix(REPLY_PREFIX), field="subject"))
    except InvalidInput:
        return None
    if held is None or held.message is None or not unit.sees(held.message):
        return None  # what may not be known must not be told by the reply's thread either
    return held


def judge(unit: Unit, message: Message, held: Held | None) -> Judged:
    """What a message about to be stored is. `held` is the question that its subject names."""
    if message.subject.startswith(QUESTION_PREFIX):
        return _question(unit, message)
    if message.subject.startswith(REPLY_PREFIX):
        return _reply(unit, message, held)
    return Judged(message=message)


def settle(unit: Unit, judged: Judged) -> None:
    """Saves what a stored message asks or answers."""
    if judged.asks is not None:
        insert_decision(unit.tx, judged.asks, actor=unit.actor)
    if judged.answers is not None:
        held, answered = judged.answers
        assert answered.answer is not None
        if held.message is not None:
            closed = close_question(held.message, answered.answer)
            if closed is not held.message:
                change(unit.tx, held.message, closed, kind="message.closed", actor=unit.actor)
        change_decision(unit.tx, answered, kind="decision.answered", actor=unit.actor)


def withdraw_asked(unit: Unit, message: Message) -> None:
    """Closes the question that a withdrawn message asked, where it asked one. The message is held already."""
    decision = hold_decision(unit.tx, message.id) if message.subject.startswith(QUESTION_PREFIX) else None
    if decision is not None:
        withdraw(unit, decision)


def withdraw(unit: Unit, decision: Decision) -> Decision:
    """Closes a question that is held; a closed one is answered as it is."""
    cancelled = cancel_decision(decision, now=unit.now)
    if cancelled is not decision:
        change_decision(unit.tx, cancelled, kind="decision.cancelled", actor=unit.actor)
    return cancelled


def check_answer(unit: Unit, decision: Decision, reply: Reply, message: Message) -> Decision:
    """The decision with the answer that `message` carries. Refuses `not_permitted_to_answer`, `already_answered`,
    `already_closed`, `not_due`, and `invalid_input` for an option that there is not. The one check of every door."""
    check_answerer(decision, standing_of(unit, decision))
    answered_by = name_of_answerer(unit, decision.answer) if decision.answer else ""
    check_open(decision, now=unit.now, answered_by=answered_by)
    check_option(decision, reply.option)
    answer = Answer(option=reply.option, comment=reply.comment, at=unit.now, by=message.sender, message_id=message.id)
    return accept(decision, answer)


def _question(unit: Unit, message: Message) -> Judged:
    try:
        question = _asked(unit, message)
    except REFUSALS as problem:
        return Judged(message=message, verdict=_said(None, "plain", problem))
    asks = Decision(
        id=message.id,
        workspace=message.workspace,
        mailbox_id=message.mailbox_id,
        to_session=message.to_session,
        sender=message.sender,
        question=question,
        asked_at=message.due_at,
        expires_at=message.expires_at,
        state=DecisionState.OPEN,
        version=1,
    )
    return Judged(message=message, asks=asks, verdict=Verdict(decision_id=message.id, state="asked", reason=None))


def _asked(unit: Unit, message: Message) -> Question:
    question = read_question(message.body)
    asker = StoredDirectory(unit.tx).project_by_id(message.sender.project_id)
    if asker is None:
        raise Malformed("the asking project is gone")
    check_question(question, asker=asker.label)
    return question


def _reply(unit: Unit, message: Message, held: Held | None) -> Judged:
    known = held if held is not None and sees(unit, held.decision) else None
    try:
        answered = _answered(unit, message, known)
    except REFUSALS as problem:
        subject = measure(UNACCEPTED + message.subject, field="subject", limit=unit.limits.subject, truncate=True)
        verdict = _said(known.decision.id if known else None, "unaccepted", problem)
        return Judged(message=replace(message, subject=subject.text), verdict=verdict)
    assert known is not None
    verdict = Verdict(decision_id=answered.id, state="answered", reason=None)
    return Judged(message=message, answers=(known, answered), verdict=verdict)


def _answered(unit: Unit, message: Message, held: Held | None) -> Decision:
    if held is None:
        raise Malformed("the subject names no question")
    if message.mailbox_id != held.decision.sender.project_id:
        raise Malformed("it was not sent to the project that asked")
    if message.due_at > unit.now:
        raise Malformed("an answer cannot be scheduled")
    reply = read_reply(message.body)
    if reply.question_id.lower() != held.decision.id:
        raise Malformed("question_id is not the question that the subject names")
    return check_answer(unit, held.decision, reply, message)


def _said(decision_id: str | None, state: Literal["plain", "unaccepted"], problem: Exception) -> Verdict:
    """Why a message is none of the convention's. A refusal's own sentence would say that nothing was changed, which is not so."""
    if isinstance(problem, WaypostError):
        reason = f"{problem.code}: {problem.detail.replace(' Nothing was changed.', '')}"
    else:
        reason = f"malformed: {problem}."
    return Verdict(decision_id=decision_id, state=state, reason=reason)
