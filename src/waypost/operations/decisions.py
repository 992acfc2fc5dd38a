"""list, view and wait: reading questions and their answers, which marks nothing and answers a guessed scope with a hint."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Field

from waypost.kernel.text import SECURITY_NOTICE, frame, frame_line
from waypost.kernel.time import format_instant, format_maybe
from waypost.mail.decision_models import Decision, DecisionState
from waypost.mail.decision_store import Shelf, closed_decisions, open_decisions, replies_to
from waypost.mail.models import Message
from waypost.mail.store import find_message
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.decision_records import (
    DecisionRecord,
    decision_notice,
    decision_size,
    present_decision,
    present_decisions,
    visible_names,
)
from waypost.operations.decision_rights import readable_decision, standing_of
from waypost.operations.inputs import ActingInput, Output, PageInput
from waypost.operations.reading import LARGEST_PAGE
from waypost.operations.records import SenderRecord, is_foreign, sender_record
from waypost.operations.registry import Operation, Unit
from waypost.operations.resolved import ResolvedScope, resolved, scope_hint
from waypost.operations.waiting import MOST_SECONDS

__all__ = ["DECISION_OPERATIONS"]

OPEN_PART, CLOSED_PART = 0, 1


class ListDecisionsInput(PageInput):
    """A page of questions: of the own project, asked there or by it, or with `all` of every project that the caller may read."""

    box: Literal["inbox", "outbox"] | None = Field(
        None, description="Only those to the own project, or only those that it asked; else both."
    )
    state: Literal["open", "answered", "cancelled", "expired"] | None = Field(None, description="Only in this state.")
    all: bool = Field(False, description="Of every project that you may read.")


class ListDecisionsOutput(Output):
    """A page of questions: the open ones first, the oldest of them first; then the closed ones, the latest first."""

    items: list[DecisionRecord]
    next_cursor: str | None
    resolved_scope: ResolvedScope
    scope_source: str
    hint: str | None
    security_notice: str | None


class ViewDecisionInput(ActingInput):
    """One question."""

    decision_id: str = Field(description="The question's id.")


class ReplyRecord(Output):
    """A message that was sent in answer to the question. `accepted` says whether it is the answer; its texts stand in frames where
    they are foreign."""

    message_id: str
    at: str
    from_: SenderRecord = Field(alias="from")
    foreign: bool
    accepted: bool
    subject: str
    body: str


class ViewDecisionOutput(Output):
    """A question, what was sent in answer to it as far as the caller may read that, and whether the caller may answer."""

    decision: DecisionRecord
    replies: list[ReplyRecord]
    may_answer: bool
    resolved_scope: ResolvedScope
    scope_source: str
    hint: str | None
    security_notice: str | None


class WaitDecisionInput(ViewDecisionInput):
    """Until the question is closed."""

    timeout_seconds: Annotated[int, Field(ge=0, le=MOST_SECONDS)] = Field(
        MOST_SECONDS, description=f"How long at most, up to {MOST_SECONDS}."
    )


class WaitDecisionOutput(Output):
    """The question as it stands; `retry` where it is still open. The reply stays in the asker's inbox, unread."""

    decision: DecisionRecord
    retry: bool
    next_due_at: str | None
    security_notice: str | None


def list_decisions(unit: Unit, given: ListDecisionsInput) -> ListDecisionsOutput:
    """A page of questions. Marks nothing. Refuses `invalid_input` for a foreign cursor."""
    shelf = _shelf(unit, given)
    state = DecisionState(given.state) if given.state else None
    kind = f"decisions-{given.box}-{given.state}-{given.all}"
    part, place = OPEN_PART, None
    if given.cursor:
        read = read_cursor(kind, given.cursor, (int, int, str))
        part, place = cast("int", read[0]), (cast("int", read[1]), cast("str", read[2]))
    found: list[tuple[int, Decision]] = []
    if shelf is not None:
        wanted = given.limit + 1
        if part == OPEN_PART and state in {None, DecisionState.OPEN}:
            opened = open_decisions(unit.tx, shelf, after=place, alive=state is not None, limit=wanted)
            found += [(OPEN_PART, one) for one in opened]
        if state is not DecisionState.OPEN and len(found) < wanted:
            after = place if part == CLOSED_PART else None
            closed = closed_decisions(unit.tx, shelf, after=after, state=state, limit=wanted - len(found))
            found += [(CLOSED_PART, one) for one in closed]
    page = _fitting(found[: given.limit], unit.caller.door)
    decisions = [decision for _, decision in page]
    return ListDecisionsOutput(
        items=present_decisions(unit, decisions),
        next_cursor=write_cursor(kind, _place(*page[-1])) if len(found) > len(page) else None,
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        hint=None if given.all else scope_hint(unit),
        security_notice=decision_notice(unit, decisions),
    )


def view_decision(unit: Unit, given: ViewDecisionInput) -> ViewDecisionOutput:
    """One question with what was sent in answer to it. Marks nothing. Refuses `not_found`."""
    decision = readable_decision(unit, given.decision_id)
    standing = standing_of(unit, decision)
    is_open = decision.state_at(unit.now) is DecisionState.OPEN
    allowed = standing.reads_mailbox and standing.writes_asker
    replies, foreign = _replies(unit, decision)
    return ViewDecisionOutput(
        decision=present_decision(unit, decision),
        replies=replies,
        may_answer=is_open and allowed and (standing.is_root or not decision.question.requires_root),
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        hint=scope_hint(unit),
        security_notice=SECURITY_NOTICE if foreign else decision_notice(unit, [decision]),
    )


def look_at_decision(unit: Unit, given: WaitDecisionInput) -> WaitDecisionOutput:
    """The question as it stands now. Marks nothing. Refuses `not_found`."""
    decision = readable_decision(unit, given.decision_id)
    is_open = decision.state_at(unit.now) is DecisionState.OPEN
    expires_at = decision.expires_at if is_open else None
    return WaitDecisionOutput(
        decision=present_decision(unit, decision),
        retry=is_open,
        next_due_at=format_maybe(expires_at),
        security_notice=decision_notice(unit, [decision]),
    )


def _shelf(unit: Unit, given: ListDecisionsInput) -> Shelf | None:
    """Whose questions are listed; None where there is no project to list them of."""
    if given.all:
        return Shelf(readable=unit.readable)
    reader = unit.reader(with_user=given.project is None)
    mailboxes = reader.mailboxes if given.box != "outbox" else ()
    asker = reader.project_id if given.box != "inbox" else None
    return Shelf(mailboxes=mailboxes, asker=asker) if mailboxes or asker is not None else None


def _fitting(found: list[tuple[int, Decision]], door: str) -> list[tuple[int, Decision]]:
    """Those from the first on that fit into one answer at that door; always one, so that every page gets on."""
    left = LARGEST_PAGE.get(door)
    if left is None:
        return found
    page: list[tuple[int, Decision]] = []
    for part, decision in found:
        left -= decision_size(decision)
        if left < 0 and page:
            break
        page.append((part, decision))
    return page


def _place(part: int, decision: Decision) -> tuple[int, int, str]:
    at = decision.asked_at if part == OPEN_PART else decision.closed_at
    return part, at or 0, decision.id


def _replies(unit: Unit, decision: Decision) -> tuple[list[ReplyRecord], bool]:
    """What was sent in answer to the question where the caller may read it, and whether any of it is foreign."""
    message = find_message(unit.tx, decision.id)
    if message is None:
        return [], False
    readable = unit.readable
    found = [
        reply
        for reply in replies_to(unit.tx, decision, message.thread)
        if isinstance(reply, Message) and (readable is None or reply.mailbox_id in readable)
    ]
    names = visible_names(unit, (reply.sender.project_id for reply in found))
    own = unit.scope.project.id if unit.scope.project else None
    accepted = decision.answer.message_id if decision.answer else None
    records = [
        ReplyRecord(
            message_id=reply.id,
            at=format_instant(reply.created_at),
            from_=sender_record(reply.sender, names.get(reply.sender.project_id)),
            foreign=is_foreign(reply, own),
            accepted=reply.id == accepted,
            subject=frame_line(reply.subject) if is_foreign(reply, own) and reply.subject else reply.subject,
            body=frame(reply.body, origin="message body").text if is_foreign(reply, own) else reply.body,
        )
        for reply in found
    ]
    return records, any(is_foreign(reply, own) for reply in found)


DECISION_OPERATIONS = (
    Operation(
        name="decision.list",
        summary="List questions to the own project and those that it asked, the open ones first. Marks nothing.",
        input=ListDecisionsInput,
        output=ListDecisionsOutput,
        run=list_decisions,
        writes=False,
    ),
    Operation(
        name="decision.view",
        summary="Show one question with its answer and the replies to it. Marks nothing.",
        input=ViewDecisionInput,
        output=ViewDecisionOutput,
        run=view_decision,
        writes=False,
    ),
    Operation(
        name="decision.wait",
        summary="Wait until a question is answered, at most timeout_seconds. Marks nothing; where retry is true, ask again.",
        input=WaitDecisionInput,
        output=WaitDecisionOutput,
        run=look_at_decision,
        writes=False,
    ),
)
