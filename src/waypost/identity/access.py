"""Who may do what: tokens, grants, and the access that follows from both. Pure; what exists is handed in.

Source: contracts/api.md, Rights. An operator's token may do everything; a person's has the person's grants; an agent's is bound to
one project and has at most its person's grants to read and write, narrowed where the token says so. A right that is not granted is
missing: nothing here adds one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from waypost.identity.errors import TokenRefused
from waypost.identity.token_text import TokenKind

__all__ = ["AGENT_RIGHTS", "EVERYTHING", "Access", "Credential", "Grant", "Grants", "Right", "Token", "access_of_token"]


class Right(StrEnum):
    """What may be granted on a project. None includes another, so that somebody may leave mail where he may not read."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    ADMIN = "admin"


AGENT_RIGHTS = frozenset({Right.READ, Right.WRITE})
"""What an agent's token can hold at most: whatever a person alone may decide is never an agent's."""

Grants = Mapping[str, frozenset[Right]]
"""Rights by the id of the project that they hold on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Grant:
    """A person's rights on one project."""

    id: str
    user_id: str
    user: str
    project_id: str
    rights: frozenset[Right]
    changed_at: int
    version: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Credential:
    """Whose a request is, as a token that was found good says. `project_id` is what an agent's token is bound to."""

    token_id: str
    kind: TokenKind
    user_id: str
    user: str
    project_id: str | None = None

    @property
    def is_person(self) -> bool:
        """Whether a person stands behind it, and not a person's agent."""
        return self.kind is not TokenKind.AGENT


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """A token as it is kept, without the token. `shown` is its beginning; times in microseconds."""

    id: str
    kind: TokenKind
    name: str
    shown: str
    user_id: str
    user: str
    user_removed: bool
    project_id: str | None
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None
    version: int

    @property
    def credential(self) -> Credential:
        """Whose a request with this token is."""
        return Credential(
            token_id=self.id, kind=self.kind, user_id=self.user_id, user=self.user, project_id=self.project_id
        )

    def refuse_revoked(self) -> None:
        """Refuses (`unauthenticated`) a token that was taken back, or whose person was removed."""
        if self.revoked_at is not None or self.user_removed:
            raise TokenRefused("This token was revoked.")

    def refuse_expired(self, now: int) -> None:
        """Refuses (`unauthenticated`) a token whose time is over; at that very instant it is."""
        if self.expires_at is not None and self.expires_at <= now:
            raise TokenRefused("This token has expired.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """What a caller may do now. Without `grants` that is every right on every project: so it is on loopback without tokens, and for
    the operator. `user_id` is the mailbox of the person for whom the call is made, which nobody else may read."""

    grants: Grants | None = None
    user_id: str | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether grants bound it."""
        return self.grants is not None

    @property
    def readable(self) -> frozenset[str] | None:
        """The mailboxes that may be read, projects' and the person's own; None means all."""
        if self.grants is None:
            return None
        own = {self.user_id} if self.user_id is not None else set()
        return frozenset({project for project, rights in self.grants.items() if Right.READ in rights} | own)

    @property
    def known(self) -> frozenset[str] | None:
        """The projects that may be known to exist, because some right is granted on them; None means all."""
        return None if self.grants is None else frozenset(project for project, rights in self.grants.items() if rights)

    def may(self, right: Right, mailbox_id: str) -> bool:
        """Whether the right is held on a mailbox; everybody reads and writes his own."""
        if self.grants is None:
            return True
        if mailbox_id == self.user_id:
            return right in AGENT_RIGHTS
        return right in self.grants.get(mailbox_id, frozenset())

    def knows(self, project_id: str) -> bool:
        """Whether a project may be known to exist."""
        return self.grants is None or bool(self.grants.get(project_id))


EVERYTHING = Access()
"""The access of who is not bounded by grants."""


def access_of_token(token: Token, *, grants: Grants, limits: Grants) -> Access:
    """The access that a good token gives. `grants` are its person's now, `limits` what an agent's token was narrowed to, empty where
    it was not."""
    if token.kind is TokenKind.OPERATOR:
        return Access(user_id=token.user_id)
    if token.kind is TokenKind.USER:
        return Access(grants=grants, user_id=token.user_id)
    return Access(grants=dict(_narrowed(grants, limits)), user_id=token.user_id)


def _narrowed(grants: Grants, limits: Grants) -> Iterable[tuple[str, frozenset[Right]]]:
    for project_id, rights in grants.items():
        most = limits.get(project_id, frozenset()) if limits else AGENT_RIGHTS
        yield project_id, rights & most & AGENT_RIGHTS
