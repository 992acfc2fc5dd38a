"""Waking: an attached receiver looks whether mail asks its session for a turn, reserves it, and reports what came of it.

Nothing here reads or hands over a message: a receiver learns an id and a notice to put into the turn. Delivery is retryable, not
exactly-once: hosts deduplicate by (message_id, occurrence) and look again what their user may do.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from pydantic import Field

from waypost.kernel.time import format_instant, format_maybe
from waypost.mail.models import Message, Reader
from waypost.mail.notice import wake_notice
from waypost.mail.store import change, set_wake
from waypost.mail.wake_rules import accept, asks_for_turn, give_back, reserve
from waypost.mail.waking import next_wake, to_wake
from waypost.operations.inputs import ActingInput, Output
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import require_session
from waypost.operations.waiting import MOST_SECONDS

__all__ = ["WAKE_OPERATIONS"]

TOKEN_BYTES = 16
MOST_PASSED_OVER = 20
"""So many receivers may come first before one is told that nothing asks; it comes again in five seconds."""


class LookInput(ActingInput):
    """Until something asks the acting session for a turn."""

    timeout_seconds: Annotated[int, Field(ge=0, le=MOST_SECONDS)] = Field(
        0, description=f"How long to wait for that at most, up to {MOST_SECONDS}; 0 looks once."
    )


class ReserveInput(ActingInput):
    """The next wake of the acting session, or of one message."""

    message_id: str | None = Field(None, description="This message instead of the oldest that asks for a turn.")


class GivenInput(ActingInput):
    """A wake that the acting session was given."""

    message_id: str = Field(description="The message's id.")
    occurrence: Annotated[int, Field(ge=1)] = Field(description="The occurrence that was reserved.")
    token: Annotated[str, Field(min_length=1, max_length=128)] = Field(description="The token that reserve answered.")


class AskingRecord(Output):
    """The occurrence that asks for a turn."""

    message_id: str
    occurrence: int


class LookOutput(Output):
    """What asks for a turn now, or null with `retry`; and when time alone may next make something ask."""

    wake: AskingRecord | None
    retry: bool
    next_due_at: str | None


class ReservedRecord(AskingRecord):
    """A reserved wake: its token, until when it is this receiver's, and the words to put into the turn."""

    token: str
    until: str
    notice: str


class ReserveOutput(Output):
    """The wake, or null where nothing asks for a turn."""

    wake: ReservedRecord | None
    next_due_at: str | None


class WakeOutput(Output):
    """What the receiver's word changed."""

    message_id: str
    status: Literal["open", "done", "cancelled", "expired"]
    occurrence: int
    version: int
    accepted: bool


def look(unit: Unit, given: LookInput) -> LookOutput:  # noqa: ARG001 - the timeout is the door's business
    """Whether something asks the acting session for a turn. Marks and reserves nothing. Refuses `session_required`."""
    require_session(unit.scope, known=True, verb=unit.verb)
    reader = unit.reader()
    found = to_wake(unit.tx, reader)
    return LookOutput(
        wake=AskingRecord(message_id=found.id, occurrence=found.occurrence) if found else None,
        retry=found is None,
        next_due_at=None if found else format_maybe(next_wake(unit.tx, reader)),
    )


def reserve_wake(unit: Unit, given: ReserveInput) -> ReserveOutput:
    """Gives the acting session a wake for 60 seconds, or null where nothing asks for a turn. Refuses `session_required`,
    `scope_guessed`; for one message also `message_not_found`, `not_recipient`, `already_closed`, `not_due`, `already_claimed`."""
    own = unit.own_project()
    require_session(unit.scope, known=True, verb=unit.verb)
    message = (
        unit.message(given.message_id, held=True) if given.message_id is not None else None
    )  # before the first `now`
    session = unit.acting_session()
    reader = unit.reader()
    message = message or _next_asking(unit, reader)
    if message is None:
        return ReserveOutput(wake=None, next_due_at=format_maybe(next_wake(unit.tx, reader)))
    given_to = reserve(message, reader, session=session, token=secrets.token_hex(TOKEN_BYTES), now=unit.now)
    wake = given_to.wake
    assert wake is not None
    set_wake(unit.tx, given_to)
    return ReserveOutput(
        wake=ReservedRecord(
            message_id=message.id,
            occurrence=message.occurrence,
            token=wake.token,
            until=format_instant(wake.until),
            notice=wake_notice(message.id, message.occurrence, own.label),
        ),
        next_due_at=None,
    )


def accept_wake(unit: Unit, given: GivenInput) -> WakeOutput:
    """Notes that a turn was seen to start; nobody has read the message by that. Harmless to repeat. Refuses `session_required`,
    `scope_guessed`, `message_not_found`, `stale_occurrence`, `lease_lost`."""
    message, said = _given(unit, given)
    accepted = accept(message, **said, now=unit.now)
    if accepted is not message:
        change(unit.tx, message, accepted, kind="message.woken", actor=unit.actor)
    return _answer(unit, accepted)


def give_wake_back(unit: Unit, given: GivenInput) -> WakeOutput:
    """Notes that no turn could be started, so that a receiver may be given it again in five seconds. Refuses as accepted does."""
    message, said = _given(unit, given)
    back = give_back(message, **said, now=unit.now)
    set_wake(unit.tx, back)
    return _answer(unit, back)


def _next_asking(unit: Unit, reader: Reader) -> Message | None:
    """The oldest message that asks for a turn, held; whatever another receiver was given before it could be held is passed over."""
    for _ in range(MOST_PASSED_OVER):
        found = to_wake(unit.tx, reader)
        if found is None:
            return None
        held = unit.message(found.id, held=True)
        if asks_for_turn(held, unit.now) and reader.receives(held):
            return held
    return None


def _given(unit: Unit, given: GivenInput) -> tuple[Message, dict[str, Any]]:
    message, session = unit.act_on(given.message_id)
    return message, {"occurrence": given.occurrence, "session": session, "token": given.token}


def _answer(unit: Unit, message: Message) -> WakeOutput:
    return WakeOutput(
        message_id=message.id,
        status=message.status_at(unit.now).value,
        occurrence=message.occurrence,
        version=message.version,
        accepted=message.wake is not None and message.wake.accepted,
    )


WAKE_OPERATIONS = (
    Operation(
        name="wake.look",
        summary="Say whether mail asks a session for a turn, or wait until it does. Reserves and marks nothing.",
        input=LookInput,
        output=LookOutput,
        run=look,
        writes=False,
    ),
    Operation(
        name="wake.reserve",
        summary="Give an attached receiver the next wake of its session for 60 seconds.",
        input=ReserveInput,
        output=ReserveOutput,
        run=reserve_wake,
        writes=True,
    ),
    Operation(
        name="wake.accepted",
        summary="Note that a receiver saw a turn start. The message stays unread.",
        input=GivenInput,
        output=WakeOutput,
        run=accept_wake,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="wake.retry",
        summary="Note that a receiver could start no turn, so that it is tried again.",
        input=GivenInput,
        output=WakeOutput,
        run=give_wake_back,
        writes=True,
        idempotent=True,
    ),
)
