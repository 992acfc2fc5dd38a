"""From a call to its scope, its actor and its reader: the one place where a door's facts meet the resolver."""

from __future__ import annotations

from collections.abc import Mapping

from waypost.identity.access import Access
from waypost.identity.errors import SessionNotFound, SessionRequired
from waypost.identity.models import Claim, Project, Scope, ScopeSource
from waypost.identity.rules import resolve
from waypost.identity.session_store import find_session, lineage, register_session
from waypost.identity.store import user_named
from waypost.identity.visible import VisibleDirectory
from waypost.kernel.addresses import ProjectName, parse_project_label, parse_session_id
from waypost.kernel.errors import InvalidInput
from waypost.mail.models import Reader
from waypost.operations.call import Caller
from waypost.store.interface import Actor, Transaction

__all__ = [
    "actor_of",
    "claim_of",
    "introduce_session",
    "named_project",
    "reader_of",
    "require_session",
    "resolve_scope",
]


def named_project(workspace: str | None, project: str | None, *, prefix: str = "") -> ProjectName | None:
    """The project named by two flat fields, or None where neither is given. Refuses a workspace without a project, and an empty
    name: a script whose variable is not set means some project, not the one that is used where none is named."""
    if project is None:
        if workspace is not None:
            raise InvalidInput(
                f"{prefix}workspace came without {prefix}project.",
                hint=f"Pass both, or {prefix}project as workspace/project.",
            )
        return None
    return parse_project_label(project, workspace, field=f"{prefix}project")


def claim_of(caller: Caller, fields: Mapping[str, object], *, sender: bool) -> Claim:
    """What the call brings to find its project by. For a send, the own project stands in `from_*`; `project` is taken too."""

    def text(name: str) -> str | None:
        value = fields.get(name)
        return value if isinstance(value, str) else None

    explicit = named_project(text("workspace"), text("project"))
    if sender:
        named = named_project(text("from_workspace"), text("from_project"), prefix="from_")
        if named and explicit and named != explicit:
            raise InvalidInput("from_project and project name two projects.", hint="Pass from_project alone.")
        explicit = named or explicit
    session = text("session")
    return Claim(
        bound_project=caller.credential.project_id if caller.credential else None,
        explicit=explicit,
        session=parse_session_id(session, field="session") if session is not None else None,
        bound_session=caller.bound_session,
        workdir=caller.workdir,
    )


def resolve_scope(tx: Transaction, claim: Claim, access: Access) -> Scope:
    """The scope of a claim, as this transaction and the caller's access see what exists."""
    return resolve(claim, VisibleDirectory(tx, access))


def actor_of(caller: Caller, scope: Scope) -> Actor:
    """Who did it, for the record: whose credential it was, an agent's too."""
    return Actor(
        door=caller.door,
        user=caller.credential.user if caller.credential else caller.user,
        client=caller.client,
        project=scope.project.id if scope.project else None,
        session=scope.session,
        scope_source=scope.source.value,
    )


def reader_of(tx: Transaction, caller: Caller, scope: Scope, *, with_user: bool) -> Reader:
    """Whose inbox the call reads: the project's, with the user's own where asked for, and the session with all it continues."""
    user = user_named(tx, caller.person) if with_user else None
    line = lineage(tx, scope.session)
    return Reader(
        project_id=scope.project.id if scope.project else None,
        user_id=user.id if user else None,
        session=scope.session,
        lineage=line.ids,
        began_at=line.began_at,
    )


def introduce_session(tx: Transaction, caller: Caller, scope: Scope, project: Project) -> bool:
    """Registers the acting session where the call may do so: it named project and session together (a token that is bound to a
    project names it), or the bridge brought both.
    Answers whether the session is known now."""
    if scope.session is None:
        return False
    named = scope.source in {ScopeSource.EXPLICIT, ScopeSource.TOKEN}
    if not scope.session_known:
        if not named and caller.door not in {"bridge", "hook"}:
            return False
        there = find_session(tx, scope.session)
        if there is not None and there.project_id != project.id:
            return False  # the caller may not know of it: it is not theirs to speak for
    register_session(
        tx, scope.session, project, client=caller.client, user=caller.person, actor=actor_of(caller, scope)
    )
    return True


def require_session(scope: Scope, *, known: bool, verb: str) -> str:
    """The acting session. Refuses `session_required` without one and `not_found` where it is not registered."""
    if scope.session is None:
        raise SessionRequired(f"{verb} acts for a session, and the call named none. Nothing was changed.")
    if not known:
        raise SessionNotFound("The session given is not registered. Nothing was changed.")
    return scope.session
