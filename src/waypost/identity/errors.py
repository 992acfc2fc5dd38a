"""The refusals of identity: guessed scope, missing session, unknown project, session or user, taken names, and what a credential may
not do."""

from __future__ import annotations

from collections.abc import Sequence

from waypost.kernel.errors import Conflict, Forbidden, InvalidInput, NotFound, Unauthenticated, WaypostError

__all__ = [
    "BoundElsewhere",
    "GrantMissing",
    "NameTaken",
    "ProjectNotFound",
    "ScopeGuessed",
    "SessionNotFound",
    "SessionRequired",
    "TokenNotFound",
    "TokenRefused",
    "UserNotFound",
]


class ScopeGuessed(WaypostError):
    """A change asked for without a certain project. Nothing was changed; the message says what would have been used and how it
    was found (seed 000, Naming the project)."""

    code = "scope_guessed"
    status = 409
    title = "The project was guessed"
    hint_by_default = "Pass project as workspace/project; `waypost project which` shows how it was found."


class SessionRequired(InvalidInput):
    """A verb that acts for a session came without one."""

    code = "session_required"
    title = "A session is required"
    hint_by_default = (
        "Pass session exactly as the client or the session's start block printed it, together with project."
    )


class ProjectNotFound(NotFound):
    """No project of that name, or not one that the caller may see. `near` are the addresses of those with a like name."""

    title = "Unknown project"
    hint_by_default = "See `waypost project list`; register a directory with `waypost project add`."

    def __init__(self, detail: str, *, hint: str | None = None, near: Sequence[str] = ()) -> None:
        super().__init__(detail, hint=f"Did you mean {' or '.join(near)}?" if near else hint)
        self.near = tuple(near)


class SessionNotFound(NotFound):
    """No session of that id is registered."""

    title = "Unknown session"
    hint_by_default = "Register it by naming project and session together."


class NameTaken(Conflict):
    """Another project already has the name."""

    title = "The name is taken"
    hint_by_default = "Choose another name."


class TokenRefused(Unauthenticated):
    """The token is unknown, revoked or expired."""

    title = "The token is not good"
    hint_by_default = "Ask the operator for another one (`waypost token create`), then `waypost login`."


class GrantMissing(Forbidden):
    """The caller's grants do not hold a right, which the message names with its project."""

    title = "A grant is missing"
    hint_by_default = "Ask the operator for it: `waypost grant set`."


class BoundElsewhere(Forbidden):
    """An agent's token acts for the one project that it is bound to."""

    title = "The token is bound to another project"
    hint_by_default = "Leave the project out, or use a token of that project."


class UserNotFound(NotFound):
    """No user of that name, or not one that the caller may see."""

    title = "Unknown user"
    hint_by_default = "See `waypost user list`."


class TokenNotFound(NotFound):
    """No token of that id, or not one that the caller may see."""

    title = "Unknown token"
    hint_by_default = "See `waypost token list`."
