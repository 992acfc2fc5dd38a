"""Loads and saves people, their tokens and their grants. Decides nothing: `access` does. Of a token only its hash is ever stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from waypost.identity.access import Grant, Grants, Right, Token
from waypost.identity.models import Project, User
from waypost.identity.store import add_user, user_named
from waypost.identity.token_text import TokenKind, digest_of, shown_part
from waypost.kernel.addresses import DEFAULT_WORKSPACE
from waypost.kernel.ids import new_id
from waypost.kernel.time import HOUR
from waypost.store.interface import Actor, Fields, Overtaken, Row, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import flag, maybe_number, maybe_text, number, text

__all__ = [
    "TOUCH_EVERY",
    "Person",
    "add_person",
    "any_usable_token",
    "fellows",
    "find_token",
    "find_token_by_text",
    "grants_of",
    "insert_token",
    "limits_of",
    "list_grants",
    "list_people",
    "list_tokens",
    "person_named",
    "remove_person",
    "revoke_token",
    "set_grant",
    "touch_token",
]

SQL = load_queries("waypost.identity")
TOUCH_EVERY = HOUR
"""The last use of a token is kept to this grain, so that a request does not become a write."""
ABOVE_ALL = "~"
"""Above every id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """A user with what is kept of one."""

    id: str
    name: str
    created_at: int
    version: int


def add_person(tx: Transaction, name: str, *, actor: Actor) -> tuple[Person, bool]:
    """The person of that name, and whether he was added just now: new, or back after he was removed."""
    added = user_named(tx, name) is None
    person = _person(tx.rows(SQL.user_by_id, {"id": add_user(tx, name).id})[0])
    if added:
        tx.journal("user.added", person.id, version=person.version, actor=actor, scopes=[person.id])
    return person, added


def person_named(tx: Transaction, name: str) -> Person | None:
    """The person of that name, removed ones left out."""
    user = user_named(tx, name)
    return _person(tx.rows(SQL.user_by_id, {"id": user.id})[0]) if user else None


def list_people(tx: Transaction, *, after: str, limit: int) -> list[Person]:
    """A page of people in order of their names."""
    return [_person(row) for row in tx.rows(SQL.list_users, {"after_name": after, "limit": limit})]


def remove_person(tx: Transaction, person: Person, *, actor: Actor) -> Person:
    """Takes a person out of use, with tokens and grants. The mailbox and what he wrote stay."""
    for row in tx.rows(SQL.live_tokens_of, {"user_id": person.id}):
        token = find_token(tx, text(row, "id"))
        if token is not None:
            revoke_token(tx, token, actor=actor)
    for grant in list_grants(tx, user_id=person.id, project_id=None, after="", limit=10_000):
        _change_grant(tx, grant, frozenset(), kind="grant.removed", actor=actor)
    if tx.execute(SQL.remove_user, {"id": person.id, "now": tx.now}) != 1:
        raise Overtaken(f"'{person.name}' was removed meanwhile. Nothing was changed.")
    tx.journal("user.removed", person.id, version=person.version + 1, actor=actor, scopes=[person.id])
    return replace(person, version=person.version + 1)


def fellows(tx: Transaction, *, user_id: str, projects: Iterable[str], of: Iterable[str]) -> frozenset[str]:
    """Of the users `of` those whom a person may write to and know: both hold a grant on one of `projects`, or they are operators."""
    fields: Fields = {
        "user_id": user_id,
        "projects": json.dumps(sorted(projects)),
        "ids": json.dumps(sorted(set(of))),
    }
    return frozenset(text(row, "id") for row in tx.rows(SQL.fellows, fields))


def insert_token(
    tx: Transaction,
    token_text: str,
    *,
    kind: TokenKind,
    name: str,
    user: User,
    project: Project | None,
    limits: Grants,
    expires_at: int | None,
    actor: Actor,
) -> Token:
    """Keeps a new token by its hash."""
    token_id = new_id()
    workspace = project.workspace if project else DEFAULT_WORKSPACE
    fields: Fields = {
        "id": token_id,
        "workspace": workspace,
        "user_id": user.id,
        "kind": kind.value,
        "name": name,
        "shown": shown_part(token_text),
        "digest": digest_of(token_text),
        "project_id": project.id if project else None,
        "created_at": tx.now,
        "expires_at": expires_at,
    }
    tx.execute(SQL.insert_token, fields)
    for project_id, rights in limits.items():
        limit: Fields = {"token_id": token_id, "project_id": project_id, "workspace": workspace}
        tx.execute(SQL.insert_token_limit, {**limit, **_columns(rights)})
    tx.journal("token.created", token_id, version=1, actor=actor, scopes=[user.id])
    return _token(tx.rows(SQL.token_by_id, {"id": token_id})[0])


def find_token_by_text(tx: Transaction, token_text: str) -> Token | None:
    """The token, whatever became of it. It is found by its hash, so that nothing is compared whose time could tell a part of it."""
    row = tx.row(SQL.token_by_digest, {"digest": digest_of(token_text)})
    return _token(row) if row else None


def find_token(tx: Transaction, token_id: str) -> Token | None:
    """The token of that id, whatever became of it."""
    row = tx.row(SQL.token_by_id, {"id": token_id})
    return _token(row) if row else None


def list_tokens(tx: Transaction, *, user_id: str | None, before: str | None, limit: int) -> list[Token]:
    """A page of one person's tokens or of all, the newest first."""
    fields: Fields = {"user_id": user_id, "before_id": before or ABOVE_ALL, "limit": limit}
    return [_token(row) for row in tx.rows(SQL.list_tokens, fields)]


def any_usable_token(tx: Transaction) -> bool:
    """Whether anybody could come in by a token now."""
    return tx.row(SQL.usable_token, {"now": tx.now}) is not None


def revoke_token(tx: Transaction, token: Token, *, actor: Actor) -> Token:
    """Takes a token back. Harmless to repeat."""
    if tx.execute(SQL.revoke_token, {"id": token.id, "now": tx.now}):
        tx.journal("token.revoked", token.id, version=token.version + 1, actor=actor, scopes=[token.user_id])
    return _token(tx.rows(SQL.token_by_id, {"id": token.id})[0])


def touch_token(tx: Transaction, token_id: str) -> None:
    """Notes that a token was used, where the last note is an hour old. Journals nothing."""
    tx.execute(SQL.touch_token, {"id": token_id, "now": tx.now, "before": tx.now - TOUCH_EVERY})


def grants_of(tx: Transaction, user_id: str) -> Grants:
    """A person's rights by project."""
    return {text(row, "project_id"): _rights(row) for row in tx.rows(SQL.grants_of, {"user_id": user_id})}


def limits_of(tx: Transaction, token_id: str) -> Grants:
    """What an agent's token was narrowed to, by project; empty where it was not."""
    return {text(row, "project_id"): _rights(row) for row in tx.rows(SQL.token_limits, {"token_id": token_id})}


def list_grants(
    tx: Transaction, *, user_id: str | None, project_id: str | None, after: str, limit: int
) -> Sequence[Grant]:
    """A page of grants, of one person or project or of all."""
    fields: Fields = {"user_id": user_id, "project_id": project_id, "after_id": after, "limit": limit}
    return [_grant(row) for row in tx.rows(SQL.list_grants, fields)]


def set_grant(tx: Transaction, user: User, project: Project, rights: frozenset[Right], *, actor: Actor) -> Grant:
    """Gives a person exactly these rights on a project; none takes the grant back. Harmless to repeat."""
    where: Fields = {"user_id": user.id, "project_id": project.id}
    row = tx.row(SQL.grant_on, where)
    if row is not None:
        kind = "grant.set" if rights else "grant.removed"
        return _change_grant(tx, _grant(row), rights, kind=kind, actor=actor)
    grant = Grant(
        id=new_id(),
        user_id=user.id,
        user=user.name,
        project_id=project.id,
        rights=rights,
        changed_at=tx.now,
        version=1,
    )
    if not rights:
        return replace(grant, version=0)
    fields: Fields = {**where, "id": grant.id, "workspace": project.workspace, "now": tx.now}
    if tx.execute(SQL.insert_grant, {**fields, **_columns(rights)}) != 1:
        raise Overtaken("The grant was set meanwhile. Nothing was changed.", hint="Repeat it.")
    tx.journal("grant.set", grant.id, version=1, actor=actor, scopes=[user.id])
    return grant


def _change_grant(tx: Transaction, old: Grant, rights: frozenset[Right], *, kind: str, actor: Actor) -> Grant:
    if old.rights == rights:
        return old
    changed: Fields = {"id": old.id, "version": old.version, "now": tx.now}
    if tx.execute(SQL.update_grant, {**changed, **_columns(rights)}) != 1:
        raise Overtaken("The grant was changed meanwhile. Nothing was changed.", hint="Repeat it.")
    before: Fields = {
        "grant_id": old.id,
        "version": old.version,
        "workspace": DEFAULT_WORKSPACE,
        "now": tx.now,
        "kind": kind,
    }
    tx.execute(SQL.insert_grant_version, {**before, **_columns(old.rights)})
    tx.journal(kind, old.id, version=old.version + 1, actor=actor, scopes=[old.user_id])
    return replace(old, rights=rights, changed_at=tx.now, version=old.version + 1)


def _columns(rights: frozenset[Right]) -> Mapping[str, int]:
    return {f"can_{right}": int(right in rights) for right in Right}


def _rights(row: Row) -> frozenset[Right]:
    return frozenset(right for right in Right if flag(row, f"can_{right}"))


def _person(row: Row) -> Person:
    return Person(
        id=text(row, "id"),
        name=text(row, "name"),
        created_at=number(row, "created_at"),
        version=number(row, "version"),
    )


def _grant(row: Row) -> Grant:
    return Grant(
        id=text(row, "id"),
        user_id=text(row, "user_id"),
        user=text(row, "user_name"),
        project_id=text(row, "project_id"),
        rights=_rights(row),
        changed_at=number(row, "changed_at"),
        version=number(row, "version"),
    )


def _token(row: Row) -> Token:
    return Token(
        id=text(row, "id"),
        kind=TokenKind(text(row, "kind")),
        name=text(row, "name"),
        shown=text(row, "shown"),
        user_id=text(row, "user_id"),
        user=text(row, "user_name"),
        user_removed=row["removed_at"] is not None,
        project_id=maybe_text(row, "project_id"),
        created_at=number(row, "created_at"),
        expires_at=maybe_number(row, "expires_at"),
        revoked_at=maybe_number(row, "revoked_at"),
        last_used_at=maybe_number(row, "last_used_at"),
        version=number(row, "version"),
    )
