"""pop, ack and cancel: mail leaves the queue exactly once, is read by one session, or is withdrawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from waypost.kernel.errors import InvalidInput
from waypost.mail.boxes import oldest, own_open_outbox, recently_popped
from waypost.mail.errors import AlreadyClosed
from waypost.mail.models import Message, Reader, Status
from waypost.mail.rules import ack, cancel, is_replay, pop
from waypost.mail.store import acked, change, has_acked, mark_read, returned
from waypost.operations.convention import withdraw_asked
from waypost.operations.inputs import ActingInput, Output, Text
from waypost.operations.records import MessageRecord, notice_for, present
from waypost.operations.registry import Operation, Unit
from waypost.operations.resolved import ResolvedScope, resolved

__all__ = ["ACK", "CANCEL", "CANCEL_ALL", "POP", "AckInput", "CancelAllInput", "CancelInput", "PopInput"]

MOST_CANCELLED = 5_000
"""How many messages one cancel withdraws at most, so that it stays one short unit."""


class PopInput(ActingInput):
    """Takes the oldest due message, or the one named."""

    message_id: str | None = Field(None, description="This message instead of the oldest.")


class PopOutput(Output):
    """The message taken, or null. `replayed` says that this repeats a pop whose answer may have been lost."""

    message: MessageRecord | None
    replayed: bool
    recently_popped: list[str] | None
    resolved_scope: ResolvedScope
    scope_source: str
    security_notice: str | None


class AckInput(ActingInput):
    """This occurrence is read, for the acting session."""

    message_id: str = Field(description="The message's id.")
    occurrence: Annotated[int, Field(ge=1)] = Field(description="The occurrence that was read, as list showed it.")


class ChangeOutput(Output):
    """What changed, and its version."""

    message_id: str
    status: Literal["open", "done", "cancelled", "expired"]
    occurrence: int
    version: int


class CancelInput(ActingInput):
    """Withdraws one message."""

    message_id: str = Field(description="The message's id.")
    occurrence: Annotated[int, Field(ge=1)] | None = Field(None, description="Checked where it is given.")
    outcome: Annotated[str, Text(limit="body")] | None = Field(None, description="Why, for the record.")
    truncate: bool = Field(False, description="Cut over-long text with a visible mark instead of refusing.")
    repair: bool = Field(False, description="Store invalid characters repaired instead of refusing.")


class CancelAllInput(ActingInput):
    """Withdraws one message, or with `all` every open one that the own project sent."""

    message_id: str | None = Field(None, description="One message.")
    all: bool = Field(False, description="Every open message of the own outbox.")
    occurrence: Annotated[int, Field(ge=1)] | None = Field(None, description="Checked where it is given.")
    outcome: Annotated[str, Text(limit="body")] | None = Field(None, description="Why, for the record.")
    truncate: bool = Field(False, description="Cut over-long text with a visible mark instead of refusing.")
    repair: bool = Field(False, description="Store invalid characters repaired instead of refusing.")


class CancelledRecord(Output):
    """One withdrawn message and its version."""

    message_id: str
    version: int


class CancelOutput(Output):
    """How many messages this call withdrew, and which; a repeat withdraws none."""

    cancelled: int
    messages: list[CancelledRecord]
    scrubbed: int
    truncated: bool
    original_length: int | None
    status: Literal["cancelled"] = "cancelled"


def pop_message(unit: Unit, given: PopInput) -> PopOutput:
    """Takes a message off the queue, exactly once. With an id that somebody else popped it answers null. Refuses
    `scope_guessed`, `message_not_found`, `not_recipient`, `not_due`, `already_claimed`."""
    unit.own_project()
    message = unit.message(given.message_id, held=True) if given.message_id is not None else None
    unit.introduce()
    # The oldest for nobody in particular is the project's: nobody's own mailbox is looked for.
    reader = unit.reader(with_user=message is not None or unit.scope.session is not None)
    if message is None:
        found = oldest(unit.tx, reader)
        recent = recently_popped(unit.tx, reader, since=unit.now - unit.limits.recent_window)
        return _taken(unit, reader, _take(unit, reader, found) if found else None, recent=recent)
    if is_replay(message, reader, now=unit.now, limits=unit.limits):
        return _taken(unit, reader, message, replayed=True)
    try:
        return _taken(unit, reader, _take(unit, reader, message))
    except AlreadyClosed:
        return _taken(unit, reader, None)


def ack_message(unit: Unit, given: AckInput) -> ChangeOutput:
    """Notes that the acting session has read this occurrence; harmless to repeat. Refuses `session_required`,
    `scope_guessed`, `message_not_found`, `not_recipient`, `stale_occurrence`, `not_due`."""
    message, session = unit.act_on(given.message_id)
    reader = unit.reader()
    read = ack(message, reader, occurrence=given.occurrence, now=unit.now)
    if message.status_at(unit.now) is Status.OPEN and not has_acked(unit.tx, message, session):
        acked(unit.tx, message, session, actor=unit.actor)
        if read.version != message.version:
            change(unit.tx, message, read, kind="message.closed", actor=unit.actor)
        elif read.first_read_at != message.first_read_at:
            mark_read(unit.tx, read)
    return ChangeOutput(
        message_id=read.id, status=read.status_at(unit.now).value, occurrence=read.occurrence, version=read.version
    )


def cancel_message(unit: Unit, given: CancelInput) -> CancelOutput:
    """Withdraws a message, also while scheduled or claimed. Refuses `message_not_found`, `not_recipient`,
    `stale_occurrence`, `already_closed`, `already_claimed`."""
    unit.own_project()
    return _withdrawn(unit, [unit.message(given.message_id, held=True)], given.occurrence, given.outcome)


def cancel_several(unit: Unit, given: CancelAllInput) -> CancelOutput:
    """Withdraws one message by id, or with `all` every open one of the own outbox. Refuses `invalid_input` for both or
    neither, and for an outbox of more than 5,000 open messages."""
    own = unit.own_project()
    if given.all == (given.message_id is not None):
        raise InvalidInput("Pass either message_id or all=true. Nothing was changed.", hint="Name one of them.")
    if given.message_id is not None:
        return _withdrawn(unit, [unit.message(given.message_id, held=True)], given.occurrence, given.outcome)
    mine = list(own_open_outbox(unit.tx, own.id, limit=MOST_CANCELLED + 1))
    if len(mine) > MOST_CANCELLED:
        raise InvalidInput(
            f"The outbox holds more than {MOST_CANCELLED} open messages. Nothing was changed.",
            hint="Cancel them by message_id.",
        )
    return _withdrawn(unit, mine, None, given.outcome)


def _withdrawn(unit: Unit, messages: list[Message], occurrence: int | None, outcome: str | None) -> CancelOutput:
    reader = unit.reader()
    done: list[CancelledRecord] = []
    for message in messages:
        after = cancel(message, reader, occurrence=occurrence, now=unit.now, outcome=outcome)
        if after is not message:
            change(unit.tx, message, after, kind="message.cancelled", actor=unit.actor)
            withdraw_asked(unit, after)
            done.append(CancelledRecord(message_id=after.id, version=after.version))
    cut = unit.text.truncated
    return CancelOutput(
        cancelled=len(done),
        messages=done,
        scrubbed=unit.text.scrubbed,
        truncated=bool(cut),
        original_length=cut.get("outcome"),
    )


def _take(unit: Unit, reader: Reader, message: Message) -> Message:
    taken = pop(message, reader, now=unit.now)
    change(unit.tx, message, taken, kind="message.popped", actor=unit.actor)
    if reader.session is not None:
        returned(unit.tx, taken, reader.session)
    return taken


def _taken(
    unit: Unit,
    reader: Reader,
    message: Message | None,
    *,
    replayed: bool = False,
    recent: Callable[[], list[str]] | None = None,
) -> PopOutput:
    return PopOutput(
        message=present(unit, message, reader_project=reader.project_id) if message else None,
        replayed=replayed,
        recently_popped=recent() if recent else None,
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        security_notice=notice_for([message], reader.project_id) if message else None,
    )


POP = Operation(
    name="message.pop",
    summary="Take the oldest due message, or the one named, off the queue exactly once. If the answer was lost, pop that id again.",
    input=PopInput,
    output=PopOutput,
    run=pop_message,
    writes=True,
    destructive=True,
)
ACK = Operation(
    name="message.ack",
    summary="Say that the acting session has read this occurrence of a message. Harmless to repeat.",
    input=AckInput,
    output=ChangeOutput,
    run=ack_message,
    writes=True,
    idempotent=True,
)
CANCEL = Operation(
    name="message.cancel",
    summary="Withdraw one message that the own project sent, or an unclaimed one that it received.",
    input=CancelInput,
    output=CancelOutput,
    run=cancel_message,
    writes=True,
    idempotent=True,
    destructive=True,
)
CANCEL_ALL = Operation(
    name="message.cancel_all",
    summary="Withdraw one message by id, or with all=true every open message that the own project sent.",
    input=CancelAllInput,
    output=CancelOutput,
    run=cancel_several,
    writes=True,
    idempotent=True,
    destructive=True,
)
