"""What a page shows of an answer: plain values for the templates, with foreign text out of its frame and made visible.

The templates escape; nothing here is markup. A sender whose project the viewer may not read has no link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from waypost.kernel.text import snippet, unframe, unframe_line, visible
from waypost.server.web.moments import Moment, moment

__all__ = [
    "Card",
    "Happening",
    "Letter",
    "Party",
    "card",
    "happening",
    "letter",
    "mailbox_label",
    "project_path",
    "sender_of",
    "subject_of",
]

DEEDS = {
    "message.sent": "sent",
    "message.acked": "read",
    "message.popped": "popped",
    "message.closed": "closed",
    "message.cancelled": "cancelled",
    "message.expired": "expired",
    "message.claimed": "claimed",
    "message.renewed": "renewed",
    "message.released": "released",
    "message.completed": "completed",
    "message.snoozed": "snoozed",
    "message.redacted": "redacted",
    "decision.asked": "decision asked",
    "decision.answered": "decided",
    "decision.cancelled": "question withdrawn",
    "decision.expired": "question expired",
    "handoff.begun": "handoff left",
    "handoff.accepted": "handoff accepted",
    "handoff.cancelled": "handoff withdrawn",
    "handoff.expired": "handoff expired",
    "session.registered": "session began",
    "session.continued": "session continued",
    "project.added": "project added",
    "project.renamed": "project renamed",
    "project.moved": "project moved",
    "project.allowed": "checkout allowed",
    "project.deleted": "project deleted",
    "user.added": "user added",
    "user.removed": "user removed",
    "token.created": "token made",
    "token.revoked": "token revoked",
    "grant.set": "rights granted",
    "grant.removed": "rights taken back",
}
"""What people call a kind of journal entry; any other kind is shown as it is."""


DOORS = {
    "rest": "REST",
    "mcp": "MCP",
    "bridge": "the MCP bridge",
    "cli": "the command line",
    "hook": "a hook",
    "web": "this page",
}
"""What people call a door; any other is shown as it is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Party:
    """Who sent, or who did. The label is empty where no project is known; `href` is None without a page that the viewer may read.
    `claims` names what is only its own word."""

    label: str
    href: str | None
    session: str | None
    client: str | None
    user: str | None
    door: str
    claims: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Letter:
    """One message in a list."""

    id: str
    subject: str
    snippet: str
    sender: Party
    due: Moment
    actionable: bool
    to_session: str | None
    is_reply: bool
    holder: str | None
    until: Moment | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """One project on Home."""

    workspace: str
    project: str
    label: str
    href: str
    pending: int
    last: Moment | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Happening:
    """One journal entry."""

    position: int
    deed: str
    about: str
    note: str
    actor: Party
    at: Moment


def project_path(workspace: str, project: str) -> str:
    """Where a project's page is."""
    return f"/web/projects/{quote(workspace, safe='')}/{quote(project, safe='')}"


def card(record: Mapping[str, Any], last: Moment | None) -> Card:
    """A project of `project.list`, and when something last happened there."""
    workspace, project = record["workspace"], record["project"]
    return Card(
        workspace=workspace,
        project=project,
        label=f"{workspace}/{project}",
        href=project_path(workspace, project),
        pending=record["pending"],
        last=last,
    )


def letter(record: Mapping[str, Any], now: int) -> Letter:
    """A message as `message.list` answers it."""
    lease = record["lease"]
    return Letter(
        id=record["id"],
        subject=subject_of(record),
        snippet=snippet(unframe(record["body"]) if record["foreign"] else record["body"]),
        sender=sender_of(record["from"]),
        due=moment(record["due_at"], now),
        actionable=record["actionable"],
        to_session=record["to"]["session"],
        is_reply=record["reply_to"] is not None,
        holder=lease["holder"] if lease else None,
        until=moment(lease["until"], now) if lease else None,
    )


def subject_of(record: Mapping[str, Any]) -> str:
    """A message's subject in one line, perhaps empty."""
    subject: str = record["subject"]
    return unframe_line(subject) if record["foreign"] and subject else visible(subject)


def happening(record: Mapping[str, Any], subject: str | None, own: str, now: int) -> Happening:
    """A journal entry as `activity.list` answers it, seen from the project `own`; `subject` is its message's, where it has one."""
    elsewhere = [label for label in map(mailbox_label, record["mailboxes"]) if label != own]
    is_session = record["kind"].startswith("session.")
    return Happening(
        position=record["position"],
        deed=DEEDS.get(record["kind"], record["kind"]),
        about=subject if subject is not None else record["id"] if is_session else own,
        note=_direction(record["mailboxes"], elsewhere, own) if subject is not None else "",
        actor=_party(record["actor"], door=record["actor"]["door"], claims=""),
        at=moment(record["at"], now),
    )


def _direction(mailboxes: list[Mapping[str, Any]], elsewhere: list[str], own: str) -> str:
    """The first mailbox of a message's entry is its recipient's, the second its sender's."""
    if not elsewhere:
        return ""
    return f"from {elsewhere[0]}" if mailbox_label(mailboxes[0]) == own else f"to {elsewhere[0]}"


def sender_of(record: Mapping[str, Any]) -> Party:
    """Who sent a record, and what of that is only its own word."""
    claims = " and ".join(name for name in record["declared"] if name != "client")
    return _party(record, door=record["via"]["door"], claims=claims)


def _party(record: Mapping[str, Any], *, door: str, claims: str) -> Party:
    workspace, project = record["workspace"], record["project"]
    known = workspace is not None and project is not None
    return Party(
        label=mailbox_label(record),
        href=project_path(workspace, project) if known else None,
        session=record["session"],
        client=record["client"],
        user=record["user"],
        door=DOORS.get(door, door),
        claims=claims,
    )


def mailbox_label(record: Mapping[str, Any]) -> str:
    """A mailbox by name; a project without its workspace is one that the viewer may not read."""
    if record["project"] is None:
        return f"~{record['user']}" if record["user"] else ""
    return f"{record['workspace']}/{record['project']}" if record["workspace"] is not None else str(record["project"])
