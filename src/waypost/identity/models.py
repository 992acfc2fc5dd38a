"""What identity speaks of: projects, sessions, what a directory says of itself, what a caller claims, and the scope found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from waypost.kernel.addresses import ProjectName

__all__ = [
    "CERTAIN",
    "Claim",
    "Lineage",
    "MailboxName",
    "Project",
    "Scope",
    "ScopeSource",
    "Session",
    "Told",
    "User",
    "Workdir",
]


class ScopeSource(StrEnum):
    """How the caller's project was found. No change is made on a guess."""

    EXPLICIT = "explicit"
    TOKEN = "token"  # noqa: S105 - how a project was found, no secret
    SESSION = "session"
    WORKDIR = "workdir"
    DECLARED = "declared"
    UNCONFIRMED = "unconfirmed"
    MISMATCH = "mismatch"
    LAST_ACTIVE = "last_active"
    ONLY_PROJECT = "only_project"
    DEFAULT = "default"

    @property
    def guessed(self) -> bool:
        """Whether it is too weak to change anything."""
        return self not in SURE

    @property
    def certain(self) -> bool:
        """Whether it came from the door and not from the caller's own words (contracts/mail.md, What reaches an agent)."""
        return self in CERTAIN


SURE = frozenset(
    {ScopeSource.EXPLICIT, ScopeSource.TOKEN, ScopeSource.SESSION, ScopeSource.WORKDIR, ScopeSource.DECLARED}
)
CERTAIN = frozenset({ScopeSource.TOKEN, ScopeSource.SESSION, ScopeSource.WORKDIR})


@dataclass(frozen=True, kw_only=True, slots=True)
class Project:
    """A repository's mailbox and memory. `identity` says which checkout it belongs to; `by_marker` that a marker named it, so that
    one repository may hold several."""

    id: str
    workspace: str
    name: str
    identity: str | None
    by_marker: bool
    created_at: int
    version: int

    @property
    def label(self) -> ProjectName:
        """Its two names."""
        return ProjectName(workspace=self.workspace, project=self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class User:
    """A person, who has a mailbox too."""

    id: str
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MailboxName:
    """The name of a mailbox: a project's two names, or a user's."""

    kind: str
    workspace: str
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """One run of a client, by the client's own id."""

    id: str
    project_id: str
    client: str | None
    user: str | None
    created_at: int
    last_seen_at: int
    version: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What a session was told by its client's hooks. `begun_at` is when its start block was printed; `count` and `latest` are the
    number that the last notice told and when the last of those messages came due; None for what was never told. `handoff` is the note
    that the start block offered and no prompt has claimed yet."""

    client: str
    event: str
    event_at: int
    begun_at: int | None = None
    count: int | None = None
    latest: int | None = None
    handoff: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Lineage:
    """A session and all that it continues, and when the first of them began; None where none of them is registered."""

    ids: tuple[str, ...]
    began_at: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Workdir:
    """What a directory says of itself: the identity of its checkout, a name to offer, and the project that a marker names."""

    root: str
    identity: str
    offered_name: str
    marker: ProjectName | None = None
    marker_path: str | None = None
    marker_problem: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """What a call brings to find its project by: the project that its token is bound to, names in the call, the acting session, the
    session that the door is bound to, and the directory."""

    bound_project: str | None = None
    explicit: ProjectName | None = None
    session: str | None = None
    bound_session: str | None = None
    workdir: Workdir | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """The project found, how, and the acting session. `note` says in one clause why it is a guess."""

    project: Project | None
    source: ScopeSource
    session: str | None = None
    session_known: bool = False
    note: str = ""
