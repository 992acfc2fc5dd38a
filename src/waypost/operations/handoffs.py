"""begin, offer, list, accept and cancel: a single-use note from one session to the next one of the same project.

Offering only looks. What a session accepts is gone for all others, so a session that never speaks consumes nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Field

from waypost.identity.access import Right
from waypost.identity.session_store import find_session
from waypost.identity.store import lock_mailbox
from waypost.kernel.ids import new_id, parse_id
from waypost.kernel.time import format_instant
from waypost.mail.errors import HandoffNotFound
from waypost.mail.handoff_store import (
    change_handoff,
    hold_handoff,
    insert_handoff,
    list_handoffs,
    offerable_handoffs,
    open_automatic,
)
from waypost.mail.handoffs import (
    EXPIRES_AFTER,
    Handoff,
    HandoffState,
    accept_handoff,
    cancel_handoff,
    check_size,
    expire_handoff,
    is_offered,
    is_replay_of_accept,
)
from waypost.mail.models import Sender
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.handoff_records import HandoffRecord, handoff_notice, present_handoff
from waypost.operations.inputs import ActingInput, Output, PageInput, Text
from waypost.operations.reading import LARGEST_PAGE
from waypost.operations.registry import Operation, Unit
from waypost.operations.resolved import ResolvedScope, resolved, scope_hint

__all__ = ["HANDOFF_OPERATIONS"]

MOST_LINES = 50
Line = Annotated[str, Text(limit="body", most=1_000)]
Lines = Annotated[list[Line], Field(max_length=MOST_LINES)]


class BeginInput(ActingInput):
    """A note to the next session of the own project."""

    summary: Annotated[str, Text(limit="body", minimum=1)] = Field(
        description="What was done and how things stand; all texts together at most 8,000 characters."
    )
    open_questions: Lines = Field(default_factory=list, description="What is not decided yet.")
    next_steps: Lines = Field(default_factory=list, description="What to do next, in order.")
    files_touched: Lines = Field(default_factory=list, description="Paths that matter.")
    automatic: bool = Field(
        False, description="Made by a hook at a session's end; stored only where the setting says so."
    )
    truncate: bool = Field(False, description="Cut over-long text with a visible mark instead of refusing.")
    repair: bool = Field(False, description="Store invalid characters repaired instead of refusing.")


class BeginOutput(Output):
    """The note is stored. Where the setting keeps automatic ones out, nothing is, and `hint` says so."""

    handoff_id: str | None
    state: Literal["open"] | None
    version: int | None
    expires_at: str | None
    scrubbed: int
    truncated: bool
    original_length: int | None
    hint: str | None


class OfferInput(ActingInput):
    """What a session that starts may be offered."""


class OfferOutput(Output):
    """The note that is offered to the session now, or null. Marks nothing; `handoff.accept` claims it."""

    handoff: HandoffRecord | None
    resolved_scope: ResolvedScope
    scope_source: str
    hint: str | None
    security_notice: str | None


class ListHandoffsInput(PageInput):
    """A page of the own project's notes."""

    state: Literal["open", "accepted", "cancelled", "expired", "all"] = Field("open", description="Only in this state.")


class ListHandoffsOutput(Output):
    """A page of notes, the latest first."""

    items: list[HandoffRecord]
    next_cursor: str | None
    resolved_scope: ResolvedScope
    scope_source: str
    hint: str | None
    security_notice: str | None


class HandoffInput(ActingInput):
    """One note."""

    handoff_id: str = Field(description="The handoff's id.")


class HandoffOutput(Output):
    """The note as it stands now. `replayed` says that this repeats an accept whose answer may have been lost."""

    handoff: HandoffRecord
    replayed: bool
    security_notice: str | None


def begin(unit: Unit, given: BeginInput) -> BeginOutput:
    """Stores a note for the next session. Refuses `scope_guessed`, `body_too_long`."""
    own = unit.own_project()
    if given.automatic and not unit.limits.automatic_handoffs:
        return _begun(unit, None)
    lock_mailbox(unit.tx, own.id)  # before the first `now`, so that of two automatic ones one sees the other
    unit.introduce()
    handoff = Handoff(
        id=new_id(),
        workspace=own.workspace,
        sender=Sender(
            project_id=own.id,
            session=unit.scope.session,
            client=unit.caller.client,
            user=unit.caller.user,
            door=unit.caller.door,
            source=unit.scope.source.value,
        ),
        automatic=given.automatic,
        summary=given.summary.strip(),
        open_questions=_lines(given.open_questions),
        next_steps=_lines(given.next_steps),
        files_touched=_lines(given.files_touched),
        created_at=unit.now,
        expires_at=unit.now + EXPIRES_AFTER,
    )
    check_size(handoff, limit=unit.limits.body)
    if given.automatic:
        for earlier in open_automatic(unit.tx, own.id):
            after = expire_handoff(earlier, door=unit.caller.door, now=unit.now)
            change_handoff(unit.tx, after, kind="handoff.expired", actor=unit.actor)
    insert_handoff(unit.tx, handoff, actor=unit.actor)
    return _begun(unit, handoff)


def offer(unit: Unit, given: OfferInput) -> OfferOutput:  # noqa: ARG001 - the scope is all that is asked for
    """The note that is offered to the session. Marks nothing; a guessed project is offered none, because the text would come unasked."""
    project = unit.scope.project
    found = None
    if project is not None:
        unit.need(Right.READ, project)
    if project is not None and not unit.scope.source.guessed:
        found = next((one for one in offerable_handoffs(unit.tx, project.id) if _is_offered(unit, one)), None)
    return OfferOutput(
        handoff=present_handoff(unit, found) if found else None,
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        hint=scope_hint(unit),
        security_notice=handoff_notice(unit, [found]) if found else None,
    )


def list_(unit: Unit, given: ListHandoffsInput) -> ListHandoffsOutput:
    """A page of notes. Marks nothing. Refuses `invalid_input` for a foreign cursor."""
    kind = f"handoffs-{given.state}"
    before = cast("tuple[int, str]", read_cursor(kind, given.cursor, (int, str))) if given.cursor else None
    state = None if given.state == "all" else HandoffState(given.state)
    project = unit.scope.project
    if project is not None:
        unit.need(Right.READ, project)
    found = list_handoffs(unit.tx, project.id, state=state, before=before, limit=given.limit + 1) if project else ()
    page = _fitting(list(found[: given.limit]), unit.caller.door)
    return ListHandoffsOutput(
        items=[present_handoff(unit, one) for one in page],
        next_cursor=write_cursor(kind, (page[-1].created_at, page[-1].id)) if len(found) > len(page) else None,
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        hint=scope_hint(unit),
        security_notice=handoff_notice(unit, page),
    )


def accept(unit: Unit, given: HandoffInput) -> HandoffOutput:
    """Claims a note for the acting session, exactly once. Refuses `scope_guessed`, `not_found`, `already_closed`."""
    handoff = _own(unit, given.handoff_id)
    unit.introduce()
    if is_replay_of_accept(handoff, unit.reader(with_user=False), now=unit.now):
        return _answer(unit, handoff, replayed=True)
    caller = unit.caller
    taken = accept_handoff(handoff, session=unit.scope.session, user=caller.user, door=caller.door, now=unit.now)
    change_handoff(unit.tx, taken, kind="handoff.accepted", actor=unit.actor)
    return _answer(unit, taken)


def cancel(unit: Unit, given: HandoffInput) -> HandoffOutput:
    """Withdraws a note of the own project. Harmless to repeat. Refuses `scope_guessed`, `not_found`, `already_closed`."""
    handoff = _own(unit, given.handoff_id)
    unit.introduce()
    caller = unit.caller
    after = cancel_handoff(handoff, session=unit.scope.session, user=caller.user, door=caller.door, now=unit.now)
    if after is not handoff:
        change_handoff(unit.tx, after, kind="handoff.cancelled", actor=unit.actor)
    return _answer(unit, after)


def _own(unit: Unit, handoff_id: str) -> Handoff:
    """The own project's note of that id, held before the first `now`. One of another project is not known to exist."""
    own = unit.own_project()
    unit.need(Right.READ, own)
    handoff = hold_handoff(unit.tx, parse_id(handoff_id, field="handoff_id"))
    if handoff is None or handoff.project_id != own.id:
        raise HandoffNotFound("This project has no handoff of that id. Nothing was changed.")
    return handoff


def _is_offered(unit: Unit, handoff: Handoff) -> bool:
    source = handoff.sender.session
    session = find_session(unit.tx, source) if source is not None else None
    seen_at = session.last_seen_at if session else None
    return is_offered(handoff, session=unit.scope.session, source_seen_at=seen_at, now=unit.now)


def _lines(given: list[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in given if line.strip())


def _fitting(found: list[Handoff], door: str) -> list[Handoff]:
    """Those from the first on that fit into one answer at that door; always one, so that every page gets on."""
    left = LARGEST_PAGE.get(door)
    page: list[Handoff] = []
    for handoff in found:
        if left is not None:
            left -= handoff.size
            if left < 0 and page:
                break
        page.append(handoff)
    return page


def _begun(unit: Unit, handoff: Handoff | None) -> BeginOutput:
    truncated = unit.text.truncated
    return BeginOutput(
        handoff_id=handoff.id if handoff else None,
        state="open" if handoff else None,
        version=handoff.version if handoff else None,
        expires_at=format_instant(handoff.expires_at) if handoff else None,
        scrubbed=unit.text.scrubbed,
        truncated=bool(truncated),
        original_length=next(iter(truncated.values()), None),
        hint=None
        if handoff
        else "Automatic handoffs are off; automatic = true in [handoffs] of config.toml turns them on.",
    )


def _answer(unit: Unit, handoff: Handoff, *, replayed: bool = False) -> HandoffOutput:
    return HandoffOutput(
        handoff=present_handoff(unit, handoff),
        replayed=replayed,
        security_notice=handoff_notice(unit, [handoff]),
    )


HANDOFF_OPERATIONS = (
    Operation(
        name="handoff.begin",
        summary="Leave a single-use note for the next session of the own project.",
        input=BeginInput,
        output=BeginOutput,
        run=begin,
        writes=True,
    ),
    Operation(
        name="handoff.offer",
        summary="Show the note that is offered to a session that starts. Marks nothing.",
        input=OfferInput,
        output=OfferOutput,
        run=offer,
        writes=False,
    ),
    Operation(
        name="handoff.list",
        summary="List the own project's handoffs, the latest first. Marks nothing.",
        input=ListHandoffsInput,
        output=ListHandoffsOutput,
        run=list_,
        writes=False,
    ),
    Operation(
        name="handoff.accept",
        summary="Claim a handoff, exactly once. If the answer was lost, accept that id again.",
        input=HandoffInput,
        output=HandoffOutput,
        run=accept,
        writes=True,
        idempotent=True,
        destructive=True,
    ),
    Operation(
        name="handoff.cancel",
        summary="Withdraw a handoff of the own project.",
        input=HandoffInput,
        output=HandoffOutput,
        run=cancel,
        writes=True,
        idempotent=True,
        destructive=True,
    ),
)
