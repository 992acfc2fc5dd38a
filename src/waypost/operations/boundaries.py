"""What a session's hooks are told at a boundary of its work, and what they printed: operations without a route, for the hook door.

Invariant: nothing counts as told before the hook had printed it. A session is begun once its start block was printed, until its
context is lost; a notice is unchanged while the same number is told and nothing came due since.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from waypost.identity.boundary_store import find_told, keep_told, last_events
from waypost.identity.models import Told
from waypost.identity.session_store import continue_session, find_session
from waypost.kernel.addresses import parse_session_id
from waypost.kernel.time import format_instant
from waypost.operations.briefing import BriefingInput, BriefingOutput, Occurrence, brief, note_shown, waiting_here
from waypost.operations.inputs import ActingInput, Output
from waypost.operations.registry import Operation, Unit

__all__ = ["BOUNDARY_OPERATIONS"]

MOST_ITEMS = 100


class ReachInput(ActingInput):
    """Which boundary the session reached. `forget` says that its context was lost, so that nothing counts as told."""

    boundary: Literal["session_start", "prompt", "after_tool"]
    forget: bool = False


class ReachOutput(Output):
    """What may be told there. `begun` says whether the start block was printed already, and by which client's hook `begun_by`;
    `unchanged` that the notice says what the last one said; `latest` is handed back when it was printed. `offered` is the handoff that
    the start block showed and no prompt has claimed yet."""

    briefing: BriefingOutput
    certain: bool
    begun: bool
    begun_by: str | None
    begun_at: int | None
    unchanged: bool
    latest: int | None
    offered: str | None


class EnterInput(ActingInput):
    """A session's first word by a hook, and what it continues."""

    continues: str | None = None


class EnterOutput(Output):
    """Whether the session is known now."""

    session_known: bool


class NoteInput(ActingInput):
    """What a hook of the acting session did: its event, and what it printed. `begun` that the start block was among it; `count` and
    `latest` what its notice told; `forget` that what was told before is lost; `handoff` which note the start block offered, `claimed`
    that the session has it now."""

    client: str
    event: str
    begun: bool = False
    count: Annotated[int, Field(ge=0)] | None = None
    latest: int | None = None
    forget: bool = False
    handoff: str | None = None
    claimed: bool = False
    items: Annotated[list[Occurrence], Field(max_length=MOST_ITEMS, default_factory=list)]


class NoteOutput(Output):
    """How many occurrences were noted as shown."""

    noted: int


class EventRecord(Output):
    """The last event of one client's hooks."""

    client: str
    event: str
    at: str
    session: str


class EventsOutput(Output):
    """Each client's last event."""

    items: list[EventRecord]


def reach(unit: Unit, given: ReachInput) -> ReachOutput:
    """What waits for the session at this boundary. Marks nothing. A prompt of a session that was not begun is its start."""
    session = unit.scope.session
    told = find_told(unit.tx, session) if session and not given.forget else None
    begun = told is not None and told.begun_at is not None
    boundary = "session_start" if given.boundary == "prompt" and not begun else given.boundary
    waiting = waiting_here(unit)
    unchanged = told is not None and (told.count, told.latest) == (waiting.only_counted, waiting.latest)
    asked = BriefingInput(boundary=boundary, told=told.count if unchanged and told else None)
    source = unit.scope.source
    return ReachOutput(
        briefing=brief(unit, asked, waiting),
        certain=unit.scope.project is not None and not source.guessed,
        begun=begun,
        begun_by=told.client if told is not None and begun else None,
        begun_at=told.begun_at if told is not None else None,
        unchanged=unchanged,
        latest=waiting.latest,
        offered=told.handoff if told is not None else None,
    )


def enter(unit: Unit, given: EnterInput) -> EnterOutput:
    """Registers the acting session in the project of its directory, or keeps it where it is; notes what it continues. Answers a
    guess with an unknown session. Refuses `session_required`."""
    scope = unit.scope
    if scope.project is None or scope.source.guessed:
        return EnterOutput(session_known=scope.session_known)
    session = find_session(unit.tx, unit.acting_session())
    assert session is not None
    if given.continues is not None:
        earlier = parse_session_id(given.continues, field="continues")
        if earlier != session.id:
            continue_session(unit.tx, session, scope.project, earlier, actor=unit.actor)
    return EnterOutput(session_known=True)


def note(unit: Unit, given: NoteInput) -> NoteOutput:
    """Keeps what the acting session was told. Refuses `scope_guessed`, `session_required`, `not_recipient`; harmless to repeat."""
    noted = note_shown(unit, given.items)
    session = unit.acting_session()
    before = None if given.forget else find_told(unit.tx, session)
    told = Told(
        client=given.client,
        event=given.event,
        event_at=unit.now,
        begun_at=unit.now if given.begun else before.begun_at if before else None,
        count=given.count if given.count is not None else before.count if before else None,
        latest=given.latest if given.count is not None else before.latest if before else None,
        handoff=None if given.claimed else given.handoff or (before.handoff if before else None),
    )
    keep_told(unit.tx, session, told, workspace=unit.own_project().workspace)
    return NoteOutput(noted=noted)


def events(unit: Unit, given: ActingInput) -> EventsOutput:  # noqa: ARG001 - it is about the whole store
    """The last event of each client's hooks."""
    return EventsOutput(
        items=[
            EventRecord(client=told.client, event=told.event, at=format_instant(told.event_at), session=session)
            for session, told in last_events(unit.tx)
            if unit.readable is None or unit.directory.session(session) is not None
        ]
    )


BOUNDARY_OPERATIONS = (
    Operation(
        name="boundary.reach",
        summary="Say what may be told to a session at a boundary of its work. Marks nothing.",
        input=ReachInput,
        output=ReachOutput,
        run=reach,
        writes=False,
    ),
    Operation(
        name="boundary.enter",
        summary="Register a session at the first word of its hooks.",
        input=EnterInput,
        output=EnterOutput,
        run=enter,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="boundary.note",
        summary="Note what a session's hook printed.",
        input=NoteInput,
        output=NoteOutput,
        run=note,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="boundary.events",
        summary="Say which event each client's hooks reported last.",
        input=ActingInput,
        output=EventsOutput,
        run=events,
        writes=False,
    ),
)
