"""ask, answer and cancel: a question to a person, its one accepted answer, or its end without one.

A question and its answer travel as mail of the convention's form, so that whoever reads plain mail reads them too.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from waypost.identity.models import Project
from waypost.identity.rules import refuse_guess
from waypost.identity.store import StoredDirectory, lock_mailbox
from waypost.kernel.errors import BodyTooLong
from waypost.kernel.ids import parse_id
from waypost.mail.decision_models import Decision, DecisionState, Option, Question, Reply
from waypost.mail.decision_rules import check_question
from waypost.mail.decision_store import find_decision
from waypost.mail.decision_text import QUESTION_PREFIX, REPLY_PREFIX, print_question, print_reply, tidy
from waypost.mail.errors import AlreadyAnswered, AlreadyClosed, DecisionNotFound, NotRecipient, UnknownRecipient
from waypost.mail.models import Message, Reader, Status
from waypost.mail.rules import cancel
from waypost.mail.store import change, insert
from waypost.operations.bounds import check_rates, check_room
from waypost.operations.call import Rights
from waypost.operations.composing import Draft, SendInput, compose
from waypost.operations.convention import Held, Judged, Verdict, check_answer, hold_question, settle, withdraw
from waypost.operations.decision_records import DecisionRecord, decision_notice, name_of_answerer, present_decision
from waypost.operations.decision_rights import readable_decision, sees
from waypost.operations.destination import check_still_there, in_project, named_destination
from waypost.operations.inputs import ActingInput, Input, Output, Text
from waypost.operations.records import AddressRecord
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import named_project
from waypost.operations.sending import Reach, store_draft

__all__ = ["DECIDING_OPERATIONS"]

LONGEST_QUESTION = 190
"""So that the subject has room for it behind its prefix."""
LONGEST_COMMENT = 7_500
"""So that the reply's body has room for it beside the ids."""


class OptionInput(Input):
    """One answer that may be chosen."""

    id: str = Field(description="Your own word for it: letters, digits, '.', '-', '_'; the answer names it.")
    label: Annotated[str, Text(limit="body", most=200, single_line=True, minimum=1)] = Field(
        description="What the person reads, one line."
    )
    description: Annotated[str, Text(limit="body", most=1_000)] = Field("", description="What choosing it means.")
    recommended: bool = Field(False, description="At most one option is.")


class AskInput(ActingInput):
    """A question to a person; without a destination, in the own project's mailbox."""

    question: Annotated[str, Text(limit="subject", most=LONGEST_QUESTION, single_line=True, minimum=1)] = Field(
        description=f"One line, at most {LONGEST_QUESTION} characters."
    )
    options: list[OptionInput] = Field(description="2 to 9 options.")
    requires_root: bool = Field(False, description="Only the operator may answer: for what merges, deploys or deletes.")
    details: Annotated[str, Text(limit="body")] = Field(
        "", description="All that the person needs to decide; he knows nothing of your project."
    )
    links: list[Annotated[str, Text(limit="body", most=2_000, single_line=True)]] = Field(
        default_factory=list, description="Addresses to look at, at most 10."
    )
    to_workspace: str | None = Field(None, description="Recipient's workspace, where to_project is a bare name.")
    to_project: str | None = Field(None, description="The project where the person reads mail; else the own one.")
    to_user: str | None = Field(None, description="A person's mailbox, instead of a project.")
    from_workspace: str | None = Field(None, description="The own workspace, where from_project is a bare name.")
    from_project: str | None = Field(None, description="The own project, by the name that the server knows.")
    repeat: bool = Field(False, description="Ask although an equal question was asked just now.")
    truncate: bool = Field(False, description="Cut over-long text with a visible mark instead of refusing.")
    repair: bool = Field(False, description="Store invalid characters repaired instead of refusing.")


class AskOutput(Output):
    """The question is stored; whether anybody has read it is not said. `decision_id` is its message's id too."""

    decision_id: str
    state: Literal["open", "answered", "cancelled", "expired"]
    version: int
    to: AddressRecord
    scrubbed: int
    truncated: bool
    original_length: int | None
    already_sent: bool
    reach: Reach


class AnswerInput(ActingInput):
    """The answer to a question."""

    decision_id: str = Field(description="The question's id.")
    option: str = Field(description="The id of the option that is chosen.")
    comment: Annotated[str, Text(limit="body", most=LONGEST_COMMENT)] = Field(
        "", description="What the asker should know besides."
    )
    truncate: bool = Field(False, description="Cut over-long text with a visible mark instead of refusing.")
    repair: bool = Field(False, description="Store invalid characters repaired instead of refusing.")


class DecidedOutput(Output):
    """The question as it stands now. `message_id` is the reply that was sent."""

    decision: DecisionRecord
    message_id: str | None
    scrubbed: int
    truncated: bool
    original_length: int | None
    security_notice: str | None


class CancelDecisionInput(ActingInput):
    """Withdraws a question."""

    decision_id: str = Field(description="The question's id.")
    outcome: Annotated[str, Text(limit="body")] | None = Field(None, description="Why, for the record.")
    truncate: bool = Field(False, description="Cut over-long text with a visible mark instead of refusing.")
    repair: bool = Field(False, description="Store invalid characters repaired instead of refusing.")


def ask(unit: Unit, given: AskInput) -> AskOutput:
    """Asks a question. Refuses `invalid_input` for what makes none, and what send does."""
    own = unit.own_project()
    destination = named_destination(
        unit,
        own,
        project=named_project(given.to_workspace, given.to_project, prefix="to_"),
        user=given.to_user,
        session=None,
    )
    question = Question(
        question=tidy(given.question),
        requires_root=given.requires_root,
        reply_project=str(own.label),
        options=tuple(
            Option(
                id=option.id,
                label=tidy(option.label),
                description=tidy(option.description),
                recommended=option.recommended,
            )
            for option in given.options
        ),
        details=tidy(given.details),
        links=tuple(tidy(link) for link in given.links),
    )
    check_question(question, asker=own.label)
    body = _fitting(unit, print_question(question), "The question with its options, details and links")
    content = SendInput(subject=f"{QUESTION_PREFIX}{question.question}", body=body, repeat=given.repeat)
    sent = store_draft(unit, Draft(given=content, own=own, destination=destination, answered=None, about=None))
    decision = find_decision(unit.tx, sent.message_id)
    assert decision is not None
    return AskOutput(
        decision_id=decision.id,
        state=decision.state_at(unit.now).value,
        version=decision.version,
        to=sent.to,
        scrubbed=unit.text.scrubbed,
        truncated=bool(unit.text.truncated),
        original_length=next(iter(unit.text.truncated.values()), None),
        already_sent=sent.already_sent,
        reach=sent.reach,
    )


def answer(unit: Unit, given: AnswerInput) -> DecidedOutput:
    """Gives the one answer: closes the question and sends the reply to the asking project. Refuses `not_found`,
    `not_permitted_to_answer`, `already_answered`, `already_closed`, `not_due`, `invalid_input`, and what bounds the asker's inbox."""
    asked = readable_decision(unit, given.decision_id)
    own = _answering(unit, asked)
    asker = StoredDirectory(unit.tx).project_by_id(asked.sender.project_id)
    if asker is None:
        raise UnknownRecipient("The asking project is gone. Nothing was changed.")
    lock_mailbox(unit.tx, asker.id)  # before the first `now`, as is the question
    destination = in_project(asker, session=None)
    check_still_there(unit, destination)
    held = _held(unit, asked.id)
    unit.introduce()
    reply = Reply(question_id=held.decision.id, option=given.option, comment=tidy(given.comment))
    content = SendInput(
        subject=f"{REPLY_PREFIX}{held.decision.id}",
        body=_fitting(unit, print_reply(reply), "The answer with its comment"),
        repeat=True,
    )
    message = compose(unit, Draft(given=content, own=own, destination=destination, answered=held.message, about=None))
    answered = check_answer(unit, held.decision, reply, message)
    check_rates(unit, message)
    check_room(unit, message, destination.address)
    insert(unit.tx, message, actor=unit.actor)
    verdict = Verdict(decision_id=answered.id, state="answered", reason=None)
    settle(unit, Judged(message=message, verdict=verdict, answers=(held, answered)))
    return _decided(unit, answered, message.id)


def cancel_question(unit: Unit, given: CancelDecisionInput) -> DecidedOutput:
    """Withdraws a question, by a session of the asking project or the operator. Harmless to repeat; an answer that was accepted
    stays. Refuses `not_found`, `not_recipient`, `already_answered`, `already_closed`."""
    own = unit.own_project()
    held = _held(unit, parse_id(given.decision_id, field="decision_id"))
    decision = held.decision
    if not sees(unit, decision):
        raise DecisionNotFound("There is no question of that id. Nothing was changed.")
    if own.id != decision.sender.project_id and unit.caller.rights < Rights.OPERATOR:
        raise NotRecipient(
            "Only the asking project withdraws its question. Nothing was changed.",
            hint="Act for the project that asked; a view shows it.",
        )
    state = decision.state_at(unit.now)
    if state is DecisionState.ANSWERED and decision.answer is not None:
        raise AlreadyAnswered(
            f"The question was answered by {name_of_answerer(unit, decision.answer)}. The answer stays; nothing was changed."
        )
    if state is DecisionState.EXPIRED:
        raise AlreadyClosed("The question is expired already. Nothing was changed.")
    if state is DecisionState.OPEN:
        if held.message is not None and held.message.status_at(unit.now) is Status.OPEN:
            _withdraw_message(unit, held.message, given.outcome)
        decision = withdraw(unit, decision)
    return _decided(unit, decision, None)


def _withdraw_message(unit: Unit, message: Message, outcome: str | None) -> None:
    asker = Reader(project_id=message.sender.project_id, user_id=None, session=unit.scope.session)
    after = cancel(message, asker, occurrence=None, now=unit.now, outcome=outcome)
    change(unit.tx, message, after, kind="message.cancelled", actor=unit.actor)


def _answering(unit: Unit, asked: Decision) -> Project:
    """The project for which the answer is given. For the one that was asked, reading it is enough; any other must be the caller's own."""
    project = refuse_guess(unit.scope, verb=unit.verb, fields=unit.scope_fields)
    return project if project.id == asked.mailbox_id else unit.own_project()


def _held(unit: Unit, decision_id: str) -> Held:
    held = hold_question(unit, decision_id)
    if held is None:
        raise DecisionNotFound("There is no question of that id. Nothing was changed.")
    return held


def _fitting(unit: Unit, body: str, what: str) -> str:
    """A body within the limit of one message. Refuses `body_too_long`."""
    if len(body) > unit.limits.body:
        raise BodyTooLong(
            f"{what} has {len(body)} characters as a message; at most {unit.limits.body} are allowed. Nothing was stored.",
            hint="Shorten the longest of them.",
        )
    return body


def _decided(unit: Unit, decision: Decision, message_id: str | None) -> DecidedOutput:
    truncated = unit.text.truncated
    return DecidedOutput(
        decision=present_decision(unit, decision),
        message_id=message_id,
        scrubbed=unit.text.scrubbed,
        truncated=bool(truncated),
        original_length=next(iter(truncated.values()), None),
        security_notice=decision_notice(unit, [decision]),
    )


DECIDING_OPERATIONS = (
    Operation(
        name="decision.ask",
        summary="Ask a person to decide between options. The answer goes to the own project.",
        input=AskInput,
        output=AskOutput,
        run=ask,
        writes=True,
        sender=True,
    ),
    Operation(
        name="decision.answer",
        summary="Answer a question with one of its options. One answer is accepted.",
        input=AnswerInput,
        output=DecidedOutput,
        run=answer,
        writes=True,
    ),
    Operation(
        name="decision.cancel",
        summary="Withdraw a question that the own project asked. An answer that was sent stays.",
        input=CancelDecisionInput,
        output=DecidedOutput,
        run=cancel_question,
        writes=True,
        idempotent=True,
        destructive=True,
    ),
)
