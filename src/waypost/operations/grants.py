"""Grants: list, set and remove what a user may do on a project. The operator's; a person may list his own."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from waypost.identity.access import Grant, Right
from waypost.identity.credential_store import list_grants, set_grant
from waypost.identity.models import Project, User
from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import format_instant
from waypost.operations.call import Rights
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.inputs import Input, Output
from waypost.operations.people import find_person, written
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import named_project

__all__ = ["GRANT_OPERATIONS", "read_rights"]


class GrantsInput(Input):
    """A page of grants, perhaps of one user or project."""

    user: str | None = Field(None, description="Only this user's.")
    workspace: str | None = Field(None, description="The project's workspace, where project is a bare name.")
    project: str | None = Field(None, description="Only on this project: a name, or workspace/project.")
    limit: Annotated[int, Field(ge=1, le=500, description="How many items at most.")] = 50
    cursor: str | None = Field(None, description="next_cursor of the page before.")


class GrantInput(Input):
    """One user on one project."""

    user: str = Field(description="The user's name, without '~'.")
    workspace: str | None = Field(None, description="The project's workspace, where project is a bare name.")
    project: str = Field(description="The project: a name, or workspace/project.")


class SetInput(GrantInput):
    """Exactly these rights, in place of those before."""

    rights: list[str] = Field(description="Of read, write, review, admin. None includes another.")


class GrantRecord(Output):
    """What one user may do on one project."""

    user: str
    workspace: str
    project: str
    rights: list[str]
    changed_at: str
    version: int


class GrantsOutput(Output):
    """A page of grants."""

    items: list[GrantRecord]
    next_cursor: str | None


class GrantOutput(Output):
    """The grant as it is now, and its version; 0 where there never was one."""

    grant: GrantRecord
    version: int


def list_(unit: Unit, given: GrantsInput) -> GrantsOutput:
    """A page of grants. Who is no operator sees his own. Refuses `forbidden` to who has no credential, `not_found`."""
    user_id = find_person(unit, given.user).id if given.user is not None else None
    if unit.caller.rights < Rights.OPERATOR and user_id is None:
        if unit.caller.credential is None:
            unit.need_operator()
        user_id = unit.access.user_id
    label = named_project(given.workspace, given.project)
    project = unit.project(label) if label else None
    after = str(read_cursor("grants", given.cursor, (str,))[0]) if given.cursor else ""
    found = list_grants(
        unit.tx,
        user_id=user_id,
        project_id=project.id if project else None,
        after=after,
        limit=given.limit + 1,
    )
    page = found[: given.limit]
    names = unit.names(grant.project_id for grant in page)
    return GrantsOutput(
        items=[
            _record(grant, workspace=names[grant.project_id].workspace, project=names[grant.project_id].name)
            for grant in page
            if grant.project_id in names
        ],
        next_cursor=write_cursor("grants", (page[-1].id,)) if len(found) > given.limit else None,
    )


def set_(unit: Unit, given: SetInput) -> GrantOutput:
    """Gives a user exactly these rights on a project. Refuses `not_found`, and `invalid_input` for none or unknown ones."""
    rights = read_rights(given.rights, field="rights")
    if not rights:
        raise InvalidInput("rights is empty.", hint="Name some, or take the grant back with `waypost grant remove`.")
    return _changed(unit, given, rights)


def remove(unit: Unit, given: GrantInput) -> GrantOutput:
    """Takes a user's grant on a project back. Harmless to repeat. Refuses `not_found`."""
    return _changed(unit, given, frozenset())


def read_rights(words: list[str], *, field: str) -> frozenset[Right]:
    """The rights that words name. Refuses `invalid_input` for others."""
    known = {right.value: right for right in Right}
    if not set(words) <= set(known):
        raise InvalidInput(f"{field} holds what is no right.", hint=f"The rights are {', '.join(known)}.")
    return frozenset(known[word] for word in words)


def _changed(unit: Unit, given: GrantInput, rights: frozenset[Right]) -> GrantOutput:
    person = find_person(unit, given.user)
    project = _project(unit, given)
    grant = set_grant(unit.tx, User(id=person.id, name=person.name), project, rights, actor=unit.actor)
    return GrantOutput(grant=_record(grant, workspace=project.workspace, project=project.name), version=grant.version)


def _project(unit: Unit, given: GrantInput) -> Project:
    label = named_project(given.workspace, given.project)
    assert label is not None
    return unit.project(label)


def _record(grant: Grant, *, workspace: str, project: str) -> GrantRecord:
    return GrantRecord(
        user=grant.user,
        workspace=workspace,
        project=project,
        rights=written(grant.rights),
        changed_at=format_instant(grant.changed_at),
        version=grant.version,
    )


GRANT_OPERATIONS = (
    Operation(
        name="grant.list",
        summary="List grants, of one user or project or of all.",
        input=GrantsInput,
        output=GrantsOutput,
        run=list_,
        writes=False,
    ),
    Operation(
        name="grant.set",
        summary="Give a user exactly these rights on a project.",
        input=SetInput,
        output=GrantOutput,
        run=set_,
        writes=True,
        needs=Rights.OPERATOR,
        idempotent=True,
    ),
    Operation(
        name="grant.remove",
        summary="Take a user's grant on a project back.",
        input=GrantInput,
        output=GrantOutput,
        run=remove,
        writes=True,
        needs=Rights.OPERATOR,
        idempotent=True,
        destructive=True,
    ),
)
