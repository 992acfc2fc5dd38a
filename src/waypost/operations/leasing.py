"""claim, renew, release, complete and snooze: one session owns a message for a time, and only its holder finishes it.

The token is answered by the claim alone; no list, view, version or journal entry shows it.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from pydantic import Field

from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import format_instant
from waypost.mail.lease_rules import Held, claim, complete, release, renew, snooze
from waypost.mail.models import Message
from waypost.mail.rules import plan_due
from waypost.mail.store import change, claimed_by, forget_acks
from waypost.operations.inputs import ActingInput, Output, Text
from waypost.operations.records import LeaseRecord, MessageRecord, lease_record, notice_for, present
from waypost.operations.registry import Operation, Unit
from waypost.operations.resolved import ResolvedScope, resolved
from waypost.operations.taking import ChangeOutput
from waypost.operations.wall_time import local_time, read_due

__all__ = ["LEASE_OPERATIONS", "ClaimInput", "CompleteInput", "HeldInput", "SnoozeInput"]

TOKEN_BYTES = 16


class ClaimInput(ActingInput):
    """The work of this occurrence, for the acting session."""

    message_id: str = Field(description="The message's id.")
    occurrence: Annotated[int, Field(ge=1)] = Field(description="The occurrence to work on, as list showed it.")


class HeldInput(ActingInput):
    """What the acting session holds, by the token that its claim was answered."""

    message_id: str = Field(description="The message's id.")
    occurrence: Annotated[int, Field(ge=1)] = Field(description="The occurrence that was claimed.")
    token: Annotated[str, Field(min_length=1, max_length=128)] = Field(description="The token that claim answered.")


class FindingInput(HeldInput):
    """A finding about what the acting session holds."""

    outcome: Annotated[str, Text(limit="body", minimum=1)] = Field(
        description="What was found or done, for the record."
    )
    truncate: bool = Field(False, description="Cut over-long text with a visible mark instead of refusing.")
    repair: bool = Field(False, description="Store invalid characters repaired instead of refusing.")


class CompleteInput(FindingInput):
    """The work is done."""


class SnoozeInput(FindingInput):
    """The work goes on later."""

    due_at: str | None = Field(None, description="When it comes due again: ISO 8601 time with offset.")
    delay_seconds: int | None = Field(None, description="Instead of due_at: seconds from now.")
    timezone: str | None = Field(None, description="For a due_at without offset: its zone, like Europe/Berlin.")


class ClaimOutput(Output):
    """The lease and its token, with the message. `repeated` says that this session held it already."""

    message_id: str
    status: Literal["open", "done", "cancelled", "expired"]
    occurrence: int
    version: int
    token: str
    lease: LeaseRecord
    repeated: bool
    message: MessageRecord
    resolved_scope: ResolvedScope
    scope_source: str
    security_notice: str | None


class RenewOutput(ChangeOutput):
    """The lease as it is now."""

    lease: LeaseRecord


class FinishOutput(ChangeOutput):
    """What changed, and what was done to the outcome before it was stored."""

    scrubbed: int
    truncated: bool
    original_length: int | None


class SnoozeOutput(FinishOutput):
    """The occurrence that comes next and when; `due_local` is that time in the zone that was named."""

    due_at: str
    due_local: str | None


def claim_message(unit: Unit, given: ClaimInput) -> ClaimOutput:
    """Gives the acting session the message for the length of a lease, and marks it read there. Refuses `session_required`,
    `scope_guessed`, `message_not_found`, `not_recipient`, `stale_occurrence`, `already_closed`, `not_due`, `not_actionable`,
    `already_claimed`."""
    message, session = unit.act_on(given.message_id)
    reader = unit.reader()
    token = secrets.token_hex(TOKEN_BYTES)
    claimed = claim(
        message, reader, session=session, occurrence=given.occurrence, token=token, now=unit.now, limits=unit.limits
    )
    owned = claimed.message
    if not claimed.repeated:
        lapsed = message.lapsed_at(unit.now)
        if lapsed is not None:
            forget_acks(unit.tx, message, before=lapsed)
        change(unit.tx, message, owned, kind="message.claimed", actor=unit.actor)
        claimed_by(unit.tx, owned, session)
    return ClaimOutput(
        **_changed(unit, owned),
        token=claimed.lease.token,
        lease=lease_record(owned, claimed.lease),
        repeated=claimed.repeated,
        message=present(unit, owned, reader_project=reader.project_id),
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        security_notice=notice_for([owned], reader.project_id),
    )


def renew_message(unit: Unit, given: HeldInput) -> RenewOutput:
    """Counts the holder's lease anew from now. Refuses what a claim does, and `lease_lost`."""
    message, held = _held(unit, given)
    renewed = renew(message, held, now=unit.now, limits=unit.limits)
    change(unit.tx, message, renewed, kind="message.renewed", actor=unit.actor)
    assert renewed.lease is not None
    return RenewOutput(**_changed(unit, renewed), lease=lease_record(renewed, renewed.lease))


def release_message(unit: Unit, given: HeldInput) -> ChangeOutput:
    """Gives the message back, unread for every recipient session. Refuses as renew does."""
    message, held = _held(unit, given)
    freed = release(message, held, now=unit.now)
    change(unit.tx, message, freed, kind="message.released", actor=unit.actor)
    forget_acks(unit.tx, freed, before=unit.now + 1)
    return ChangeOutput(**_changed(unit, freed))


def complete_message(unit: Unit, given: CompleteInput) -> FinishOutput:
    """Finishes the work with an outcome. A repeat by the same session, token and occurrence gets the first answer. Refuses as renew
    does."""
    message, held = _held(unit, given)
    done = complete(message, held, outcome=given.outcome, now=unit.now)
    if done is not message:
        change(unit.tx, message, done, kind="message.completed", actor=unit.actor)
    return FinishOutput(**_changed(unit, done), **_done_to_text(unit))


def snooze_message(unit: Unit, given: SnoozeInput) -> SnoozeOutput:
    """Lets the message come due again later, with what was found so far. Refuses as renew does, and `invalid_input` for a time that
    is not in the future, for none and for two."""
    due = read_due(given.due_at, given.timezone)
    message, held = _held(unit, given)
    planned = plan_due(due_at=due, delay_seconds=given.delay_seconds, now=unit.now)
    if planned is None:
        raise InvalidInput("snooze needs a time. Nothing was changed.", hint="Pass due_at or delay_seconds.")
    later = snooze(message, held, outcome=given.outcome, due_at=planned, now=unit.now)
    change(unit.tx, message, later, kind="message.snoozed", actor=unit.actor)
    return SnoozeOutput(
        **_changed(unit, later),
        **_done_to_text(unit),
        due_at=format_instant(later.due_at),
        due_local=local_time(later.due_at, given.timezone),
    )


def _held(unit: Unit, given: HeldInput) -> tuple[Message, Held]:
    message, session = unit.act_on(given.message_id)
    return message, Held(reader=unit.reader(), session=session, occurrence=given.occurrence, token=given.token)


def _changed(unit: Unit, message: Message) -> dict[str, Any]:
    return {
        "message_id": message.id,
        "status": message.status_at(unit.now).value,
        "occurrence": message.occurrence,
        "version": message.version,
    }


def _done_to_text(unit: Unit) -> dict[str, Any]:
    cut = unit.text.truncated
    return {"scrubbed": unit.text.scrubbed, "truncated": bool(cut), "original_length": cut.get("outcome")}


LEASE_OPERATIONS = (
    Operation(
        name="message.claim",
        summary="Own an actionable message for a time, and get the token that finishes it. The holder gets the same token again.",
        input=ClaimInput,
        output=ClaimOutput,
        run=claim_message,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="message.renew",
        summary="Count the lease of a claimed message anew from now.",
        input=HeldInput,
        output=RenewOutput,
        run=renew_message,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="message.release",
        summary="Give a claimed message back; it is unread and claimable at once.",
        input=HeldInput,
        output=ChangeOutput,
        run=release_message,
        writes=True,
    ),
    Operation(
        name="message.complete",
        summary="Finish a claimed message with its outcome. Harmless to repeat with the same token.",
        input=CompleteInput,
        output=FinishOutput,
        run=complete_message,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="message.snooze",
        summary="Let a claimed message come due again later, with what was found so far. It keeps its id and history.",
        input=SnoozeInput,
        output=SnoozeOutput,
        run=snooze_message,
        writes=True,
    ),
)
