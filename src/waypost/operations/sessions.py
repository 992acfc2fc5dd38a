"""Sessions: list, show, put, continue. Ids are the client's own; they route mail and prove nothing."""

from __future__ import annotations

from typing import cast

from pydantic import Field

from waypost.identity.access import Right
from waypost.identity.errors import ProjectNotFound, SessionNotFound
from waypost.identity.models import Session
from waypost.identity.session_store import (
    continue_session,
    continues_of,
    find_session,
    list_sessions,
    register_session,
)
from waypost.kernel.addresses import parse_client_name, parse_session_id
from waypost.kernel.errors import Conflict, InvalidInput
from waypost.kernel.time import format_instant
from waypost.operations.annotations import Annotations, ShowInput, annotations_of
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.inputs import ActingInput, Output, PageInput
from waypost.operations.registry import Operation, Unit

__all__ = ["SESSION_OPERATIONS"]


class SessionRecord(Output):
    """One run of a client."""

    id: str
    workspace: str | None
    project: str | None
    client: str | None
    user: str | None
    continues: list[str]
    created_at: str
    last_seen_at: str
    version: int


class SessionsOutput(Output):
    """A page of sessions, the latest first."""

    items: list[SessionRecord]
    next_cursor: str | None


class SessionInput(ActingInput):
    """One session by the client's own id."""

    session_id: str = Field(description="The session's id.")


class PutInput(SessionInput):
    """A session's first word."""

    client: str | None = Field(None, description="The client's name: visible ASCII without blanks, at most 128.")
    continues: str | None = Field(None, description="The session that it continues.")


class ContinueInput(SessionInput):
    """That a session continues another."""

    continues: str = Field(description="The session that it continues; it need not be known.")


class SessionOutput(Output):
    """The session and its version."""

    session: SessionRecord
    version: int


class ShowOutput(SessionOutput, Annotations):
    """The session and its version, and a page of what was written about it."""


def list_(unit: Unit, given: PageInput) -> SessionsOutput:
    """A page of sessions: of the named project, or of all."""
    before = None
    if given.cursor:
        before = cast("tuple[int, str]", read_cursor("sessions", given.cursor, (int, str)))
    project = unit.scope.project if given.project is not None else None
    if project is not None:
        unit.need(Right.READ, project)
    found = list_sessions(
        unit.tx,
        project_id=project.id if project else None,
        before=before,
        limit=given.limit + 1,
        within=unit.readable,
    )
    page = found[: given.limit]
    more = len(found) > given.limit
    return SessionsOutput(
        items=[_record(unit, session) for session in page],
        next_cursor=write_cursor("sessions", (page[-1].last_seen_at, page[-1].id)) if more else None,
    )


def show(unit: Unit, given: ShowInput) -> ShowOutput:
    """One session with what was written about it, which marks nothing. Refuses `not_found`."""
    session = _known(unit, given.session_id)
    page = annotations_of(unit, session, given)
    return ShowOutput(session=_record(unit, session), version=session.version, **vars(page))


def put(unit: Unit, given: PutInput) -> SessionOutput:
    """Registers a session in the own project, or marks it as having spoken. Refuses `scope_guessed`, and `conflict` where it
    belongs to another project."""
    session_id = parse_session_id(given.session_id, field="session_id")
    continues = parse_session_id(given.continues, field="continues") if given.continues is not None else None
    client = parse_client_name(given.client, field="client") if given.client is not None else None
    project = unit.own_project()
    session = register_session(
        unit.tx,
        session_id,
        project,
        client=client or unit.caller.client,
        user=unit.caller.person,
        actor=unit.actor,
    )
    if session.project_id != project.id:
        raise Conflict(
            "The session belongs to another project, and a session keeps its project. Nothing was changed.",
            hint="Use the session's own project; see `waypost session show`.",
        )
    if continues is not None:
        _continue(unit, session, continues)
    return SessionOutput(session=_record(unit, session), version=session.version)


def continue_(unit: Unit, given: ContinueInput) -> SessionOutput:
    """Declares that a registered session continues another; mail to that one reaches it too. Harmless to repeat."""
    session = _known(unit, given.session_id)
    _continue(unit, session, parse_session_id(given.continues, field="continues"))
    return SessionOutput(session=_record(unit, session), version=session.version)


def _continue(unit: Unit, session: Session, continues: str) -> None:
    if continues == session.id:
        raise InvalidInput("continues names the session itself. Nothing was changed.", hint="Name an earlier session.")
    project = unit.directory.project_by_id(session.project_id)
    if project is None:
        raise ProjectNotFound("The session's project is gone. Nothing was changed.")
    unit.need(Right.WRITE, project)
    continue_session(unit.tx, session, project, continues, actor=unit.actor)


def _known(unit: Unit, session_id: str) -> Session:
    session = find_session(unit.tx, parse_session_id(session_id, field="session_id"))
    if session is None or not unit.may(Right.READ, session.project_id):
        raise SessionNotFound("No session of that id is registered.")
    return session


def _record(unit: Unit, session: Session) -> SessionRecord:
    name = unit.names([session.project_id]).get(session.project_id)
    return SessionRecord(
        id=session.id,
        workspace=name.workspace if name else None,
        project=name.name if name else None,
        client=session.client,
        user=session.user,
        continues=continues_of(unit.tx, session.id),
        created_at=format_instant(session.created_at),
        last_seen_at=format_instant(session.last_seen_at),
        version=session.version,
    )


SESSION_OPERATIONS = (
    Operation(
        name="session.list",
        summary="List sessions, the latest first.",
        input=PageInput,
        output=SessionsOutput,
        run=list_,
        writes=False,
    ),
    Operation(
        name="session.show",
        summary="Show one session, what it continues, and what was written about it or one turn of it.",
        input=ShowInput,
        output=ShowOutput,
        run=show,
        writes=False,
    ),
    Operation(
        name="session.put",
        summary="Register a session in the own project.",
        input=PutInput,
        output=SessionOutput,
        run=put,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="session.continue",
        summary="Declare that a session continues another, so that its mail reaches it.",
        input=ContinueInput,
        output=SessionOutput,
        run=continue_,
        writes=True,
        idempotent=True,
    ),
)
