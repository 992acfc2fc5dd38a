"""Tokens: create, list, revoke. An operator's takes the store's owner, every other the operator; a person makes and revokes the
tokens of his own agents himself.

Invariant: a token's text is in the one answer that creates it and nowhere else: not in the store, not under the idempotency key.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from waypost.identity.access import AGENT_RIGHTS, Grants, Right, Token
from waypost.identity.credential_store import (
    find_token,
    grants_of,
    insert_token,
    list_tokens,
    person_named,
    revoke_token,
)
from waypost.identity.errors import TokenNotFound, UserNotFound
from waypost.identity.models import MailboxName, Project, User
from waypost.identity.token_text import TokenKind, make_token
from waypost.kernel.addresses import parse_name
from waypost.kernel.errors import InvalidInput
from waypost.kernel.ids import parse_id
from waypost.kernel.time import format_instant, format_maybe, parse_instant
from waypost.operations.call import Rights, refuse_lesser
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.grants import read_rights
from waypost.operations.inputs import Input, Output, Text
from waypost.operations.people import find_person
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import named_project

__all__ = ["TOKEN_OPERATIONS"]


class CreateInput(Input):
    """A new token, for a person, a person's agents in one project, or the operator."""

    kind: Literal["operator", "user", "agent"] = Field(description="operator, user, or agent.")
    user: str | None = Field(None, description="Whose it is; without it the caller's own name.")
    name: Annotated[str, Text(limit="subject", single_line=True, minimum=1)] = Field(
        description="What it is for, for people: at most 200 characters."
    )
    workspace: str | None = Field(None, description="The project's workspace, where project is a bare name.")
    project: str | None = Field(None, description="For agent: the one project that it is bound to.")
    only: list[str] | None = Field(
        None, description="For agent: all that it may do, as workspace/project=read,write; else what its user may."
    )
    expires_at: str | None = Field(None, description="ISO 8601 time with offset, from when it is good for nothing.")


class TokensInput(Input):
    """A page of tokens, perhaps of one user."""

    user: str | None = Field(None, description="Only this user's.")
    limit: Annotated[int, Field(ge=1, le=500, description="How many items at most.")] = 50
    cursor: str | None = Field(None, description="next_cursor of the page before.")


class TokenInput(Input):
    """One token by its id."""

    token_id: str = Field(description="The token's id, as list shows it; never the token.")


class TokenRecord(Output):
    """One token, without the token: `shown` is its beginning."""

    id: str
    kind: Literal["operator", "user", "agent"]
    name: str
    shown: str
    user: str
    workspace: str | None
    project: str | None
    created_at: str
    last_used_at: str | None = Field(description="To the hour.")
    expires_at: str | None
    revoked_at: str | None
    version: int


class TokensOutput(Output):
    """A page of tokens, the newest first."""

    items: list[TokenRecord]
    next_cursor: str | None


class TokenOutput(Output):
    """The token's record as it is now, and its version."""

    token: TokenRecord
    version: int


class CreatedOutput(TokenOutput):
    """The token's record and, once, the token: a repeated request gets null in its place."""

    secret: str | None


def create(unit: Unit, given: CreateInput) -> CreatedOutput:
    """A new token. Refuses `forbidden`, `not_found`, and `invalid_input` for what does not go together."""
    kind = TokenKind(given.kind)
    user = _user(unit, kind, given.user)
    project, limits = _binding(unit, kind, user, given)
    expires_at = None if given.expires_at is None else parse_instant(given.expires_at, field="expires_at")
    if expires_at is not None and expires_at <= unit.now:
        raise InvalidInput("expires_at is past.", hint="Pass a later time, or none.")
    secret = make_token(kind)
    token = insert_token(
        unit.tx,
        secret,
        kind=kind,
        name=given.name,
        user=user,
        project=project,
        limits=limits,
        expires_at=expires_at,
        actor=unit.actor,
    )
    return CreatedOutput(token=_present(unit, [token])[0], version=token.version, secret=secret)


def list_(unit: Unit, given: TokensInput) -> TokensOutput:
    """A page of tokens. Who is no operator sees his own. Refuses `forbidden` to who has no credential, `not_found`."""
    own = None if unit.caller.rights >= Rights.OPERATOR else _own_person(unit)
    user_id = find_person(unit, given.user).id if given.user is not None else own
    before = str(read_cursor("tokens", given.cursor, (str,))[0]) if given.cursor else None
    found = list_tokens(unit.tx, user_id=user_id, before=before, limit=given.limit + 1)
    page = found[: given.limit]
    return TokensOutput(
        items=_present(unit, page),
        next_cursor=write_cursor("tokens", (page[-1].id,)) if len(found) > given.limit else None,
    )


def revoke(unit: Unit, given: TokenInput) -> TokenOutput:
    """Takes a token back, for good. Harmless to repeat. Refuses `not_found`, `forbidden`."""
    token_id = parse_id(given.token_id, field="token_id")
    own = None if unit.caller.rights >= Rights.OPERATOR else _own_person(unit)
    token = find_token(unit.tx, token_id)
    if token is None or (own is not None and token.user_id != own):
        raise TokenNotFound("There is no token of that id.")
    token = revoke_token(unit.tx, token, actor=unit.actor)
    return TokenOutput(token=_present(unit, [token])[0], version=token.version)


def without_secret(output: CreatedOutput) -> CreatedOutput:
    """What is kept of the answer under its idempotency key."""
    return output.model_copy(update={"secret": None})


def _user(unit: Unit, kind: TokenKind, name: str | None) -> User:
    """Whose the new token is, after the caller was found to be who may make it."""
    credential = unit.caller.credential
    own = credential is not None and credential.is_person and name in {None, credential.user}
    if kind is TokenKind.OPERATOR:
        refuse_lesser(unit.caller.rights, Rights.OWNER, unit.verb)
    elif not (kind is TokenKind.AGENT and own):
        unit.need_operator()
    person = person_named(unit.tx, parse_name((name or unit.caller.person).removeprefix("~"), field="user"))
    if person is None:
        raise UserNotFound(f"There is no user '{name}'.", hint="Add one with `waypost user add`.")
    return User(id=person.id, name=person.name)


def _binding(unit: Unit, kind: TokenKind, user: User, given: CreateInput) -> tuple[Project | None, Grants]:
    """The project that an agent's token is bound to, and what it is narrowed to."""
    label = named_project(given.workspace, given.project)
    if kind is not TokenKind.AGENT:
        if label is not None or given.only is not None:
            raise InvalidInput(
                "project and only are for an agent's token.", hint="Leave them out, or make it kind agent."
            )
        return None, {}
    if label is None:
        raise InvalidInput(
            "project is missing: an agent's token is bound to one.", hint="Name it as workspace/project."
        )
    project = unit.project(label)
    limits = dict(_limit(unit, text) for text in given.only or ())
    if limits and project.id not in limits:
        raise InvalidInput(
            f"only leaves out '{project.label}', to which the token is bound.", hint="Name it there too."
        )
    held = grants_of(unit.tx, user.id)
    if not held.get(project.id, frozenset()) & AGENT_RIGHTS:
        raise InvalidInput(
            f"'{user.name}' may neither read nor write '{project.label}', and so could no agent.",
            hint="Grant it first with `waypost grant set`.",
        )
    return project, limits


def _limit(unit: Unit, text: str) -> tuple[str, frozenset[Right]]:
    label, equals, words = text.partition("=")
    named = named_project(None, label) if equals else None
    rights = read_rights(words.split(","), field="only") if named else frozenset()
    if named is None or not rights <= AGENT_RIGHTS:
        raise InvalidInput(
            "only is not of the form workspace/project=read,write.", hint="An agent's token can hold read and write."
        )
    return unit.project(named).id, rights


def _own_person(unit: Unit) -> str:
    """The id of the person whose credential it is. Refuses `forbidden` to an agent, and to who has none."""
    credential = unit.caller.credential
    if credential is None or not credential.is_person:
        unit.need_operator()
        return ""  # an operator without a token: a page session
    return credential.user_id


def _present(unit: Unit, tokens: list[Token]) -> list[TokenRecord]:
    names = unit.names(token.project_id for token in tokens if token.project_id is not None)
    return [_record(token, names.get(token.project_id) if token.project_id else None) for token in tokens]


def _record(token: Token, project: MailboxName | None) -> TokenRecord:
    return TokenRecord(
        id=token.id,
        kind=token.kind.value,
        name=token.name,
        shown=token.shown,
        user=token.user,
        workspace=project.workspace if project else None,
        project=project.name if project else None,
        created_at=format_instant(token.created_at),
        last_used_at=format_maybe(token.last_used_at),
        expires_at=format_maybe(token.expires_at),
        revoked_at=format_maybe(token.revoked_at),
        version=token.version,
    )


TOKEN_OPERATIONS = (
    Operation(
        name="token.create",
        summary="Make a token for the operator, a user, or a user's agents in one project. It is shown once.",
        input=CreateInput,
        output=CreatedOutput,
        run=create,
        writes=True,
        kept=without_secret,
    ),
    Operation(
        name="token.list",
        summary="List tokens, the newest first; never the tokens themselves.",
        input=TokensInput,
        output=TokensOutput,
        run=list_,
        writes=False,
    ),
    Operation(
        name="token.revoke",
        summary="Take a token back, for good.",
        input=TokenInput,
        output=TokenOutput,
        run=revoke,
        writes=True,
        idempotent=True,
        destructive=True,
    ),
)
