"""Users: add, list, show, remove, and who the caller is. The operator's, but for what a person may know of himself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from waypost.identity.access import Right
from waypost.identity.credential_store import (
    Person,
    add_person,
    find_token,
    grants_of,
    list_people,
    person_named,
    remove_person,
)
from waypost.identity.errors import UserNotFound
from waypost.kernel.addresses import parse_name
from waypost.kernel.errors import Conflict
from waypost.kernel.time import format_instant
from waypost.operations.call import Rights
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.inputs import Input, Output
from waypost.operations.registry import Operation, Unit

__all__ = ["PEOPLE_OPERATIONS", "HeldRecord", "find_person", "held_rights", "written"]


class UsersInput(Input):
    """A page of users."""

    limit: Annotated[int, Field(ge=1, le=500, description="How many items at most.")] = 50
    cursor: str | None = Field(None, description="next_cursor of the page before.")


class UserInput(Input):
    """One user by name."""

    user: str = Field(description="The user's name, without '~'.")


class SelfInput(Input):
    """Nothing."""


class UserRecord(Output):
    """One person, who has a mailbox too."""

    user: str
    id: str
    created_at: str
    version: int


class HeldRecord(Output):
    """What is granted on one project."""

    workspace: str
    project: str
    rights: list[str]


class UsersOutput(Output):
    """A page of users, by name."""

    items: list[UserRecord]
    next_cursor: str | None


class UserOutput(Output):
    """The user as it is now, with its grants, and its version."""

    user: UserRecord
    grants: list[HeldRecord]
    version: int


class AddedOutput(Output):
    """The user, and whether it was added just now."""

    user: UserRecord
    created: bool
    version: int


class SelfOutput(Output):
    """Who the caller is, as far as its credential says. `rights` is `agent`, `owner` or `operator`; `grants` is null where none
    bound it."""

    user: str
    credential: Literal["none", "page", "operator", "user", "agent"]
    rights: Literal["agent", "owner", "operator"]
    workspace: str | None = Field(description="With project: what an agent's token is bound to.")
    project: str | None
    grants: list[HeldRecord] | None
    expires_at: str | None


def list_(unit: Unit, given: UsersInput) -> UsersOutput:
    """A page of users by name."""
    after = str(read_cursor("users", given.cursor, (str,))[0]) if given.cursor else ""
    found = list_people(unit.tx, after=after, limit=given.limit + 1)
    page = found[: given.limit]
    return UsersOutput(
        items=[_record(person) for person in page],
        next_cursor=write_cursor("users", (page[-1].name,)) if len(found) > given.limit else None,
    )


def show(unit: Unit, given: UserInput) -> UserOutput:
    """One user with its grants. Refuses `not_found`, also for a person who asks for another one than himself."""
    person = find_person(unit, given.user)
    return UserOutput(
        user=_record(person), grants=held_rights(unit, grants_of(unit.tx, person.id)), version=person.version
    )


def add(unit: Unit, given: UserInput) -> AddedOutput:
    """The user of that name, added where there is none; one who was removed comes back to the same mailbox, without grants."""
    person, created = add_person(unit.tx, parse_name(given.user.removeprefix("~"), field="user"), actor=unit.actor)
    return AddedOutput(user=_record(person), created=created, version=person.version)


def remove(unit: Unit, given: UserInput) -> UserOutput:
    """A user taken out of use: tokens are revoked, grants taken back; mailbox and messages stay. Refuses `not_found`, and
    `conflict` for oneself."""
    person = find_person(unit, given.user)
    if person.name == unit.caller.person:
        raise Conflict("Nobody removes himself.", hint="Let another operator do it.")
    person = remove_person(unit.tx, person, actor=unit.actor)
    return UserOutput(user=_record(person), grants=[], version=person.version)


def myself(unit: Unit, given: SelfInput) -> SelfOutput:  # noqa: ARG001 - there is nothing to ask
    """Who the caller is, and what it may do."""
    caller, credential = unit.caller, unit.caller.credential
    token = find_token(unit.tx, credential.token_id) if credential else None
    own = unit.directory.project_by_id(credential.project_id) if credential and credential.project_id else None
    kind = credential.kind.value if credential else "page" if caller.user is not None else "none"
    return SelfOutput(
        user=caller.person,
        credential=kind,
        rights=caller.rights.name.lower(),
        workspace=own.workspace if own else None,
        project=own.name if own else None,
        grants=None if unit.access.grants is None else held_rights(unit, unit.access.grants),
        expires_at=format_instant(token.expires_at) if token and token.expires_at is not None else None,
    )


def find_person(unit: Unit, name: str) -> Person:
    """The person of that name, whom the caller may administer or is. Refuses `not_found`."""
    name = parse_name(name.removeprefix("~"), field="user")
    person = person_named(unit.tx, name)
    own = unit.caller.credential is not None and unit.caller.credential.user == name
    if person is None or not (own or unit.caller.rights >= Rights.OPERATOR):
        raise UserNotFound(f"There is no user '{name}'.")
    return person


def held_rights(unit: Unit, grants: Mapping[str, frozenset[Right]]) -> list[HeldRecord]:
    """Grants with the names of their projects, in order of those."""
    names = unit.names(grants)
    held = [
        HeldRecord(workspace=names[project].workspace, project=names[project].name, rights=written(rights))
        for project, rights in grants.items()
        if rights and project in names
    ]
    return sorted(held, key=lambda one: (one.workspace, one.project))


def written(rights: frozenset[Right]) -> list[str]:
    """Rights as words, in their order."""
    return [right.value for right in Right if right in rights]


def _record(person: Person) -> UserRecord:
    return UserRecord(
        user=person.name, id=person.id, created_at=format_instant(person.created_at), version=person.version
    )


PEOPLE_OPERATIONS = (
    Operation(
        name="user.list",
        summary="List users by name.",
        input=UsersInput,
        output=UsersOutput,
        run=list_,
        writes=False,
        needs=Rights.OPERATOR,
    ),
    Operation(
        name="user.me",
        summary="Say who the caller is and what it may do.",
        input=SelfInput,
        output=SelfOutput,
        run=myself,
        writes=False,
    ),
    Operation(
        name="user.show",
        summary="Show one user and its grants.",
        input=UserInput,
        output=UserOutput,
        run=show,
        writes=False,
    ),
    Operation(
        name="user.add",
        summary="Add a user, who gets a mailbox and may be given tokens and grants.",
        input=UserInput,
        output=AddedOutput,
        run=add,
        writes=True,
        needs=Rights.OPERATOR,
        idempotent=True,
    ),
    Operation(
        name="user.remove",
        summary="Take a user out of use, with its tokens and grants; its mail stays.",
        input=UserInput,
        output=UserOutput,
        run=remove,
        writes=True,
        needs=Rights.OPERATOR,
        destructive=True,
    ),
)
