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
    "DOORS",
    "Card",
    "Letter",
    "Party",
    "card",
    "door_name",
    "letter",
    "mailbox_href",
    "mailbox_label",
    "message_path",
    "party_of",
    "project_path",
    "sender_of",
    "subject_of",
]

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
    """One message in a list. `is_late` says that it is a reminder that came due."""

    id: str
    href: str
    subject: str
    snippet: str
    sender: Party
    due: Moment
    is_late: bool
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


def door_name(door: str) -> str:
    """What people call a door."""
    return DOORS.get(door, door)


def project_path(workspace: str, project: str) -> str:
    """Where a project's page is."""
    return f"/web/projects/{quote(workspace, safe='')}/{quote(project, safe='')}"


def message_path(message_id: str) -> str:
    """Where a message's page is."""
    return f"/web/messages/{quote(message_id, safe='')}"


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
        href=message_path(record["id"]),
        subject=subject_of(record),
        snippet=snippet(unframe(record["body"]) if record["foreign"] else record["body"]),
        sender=sender_of(record["from"]),
        due=moment(record["due_at"], now),
        is_late=record["late_seconds"] is not None,
        actionable=record["actionable"],
        to_session=record["to"]["session"],
        is_reply=record["reply_to"] is not None,
        holder=lease["holder"] if lease else None,
        until=moment(lease["until"], now) if lease else None,
    )


def subject_of(record: Mapping[str, Any]) -> str:
    """A message's subject in one line, perhaps empty."""
    if record["redacted_at"]:
        return "(redacted)"
    subject: str = record["subject"]
    return unframe_line(subject) if record["foreign"] and subject else visible(subject)


def sender_of(record: Mapping[str, Any]) -> Party:
    """Who sent a record, and what of that is only its own word."""
    claims = " and ".join(name for name in record["declared"] if name != "client")
    return party_of(record, door=record["via"]["door"], claims=claims)


def party_of(record: Mapping[str, Any], *, door: str, claims: str) -> Party:
    """Somebody at a door. `claims` names what of the record is only their own word."""
    return Party(
        label=mailbox_label(record),
        href=mailbox_href(record),
        session=record["session"],
        client=record["client"],
        user=record["user"],
        door=door_name(door),
        claims=claims,
    )


def mailbox_label(record: Mapping[str, Any]) -> str:
    """A mailbox by name; a project without its workspace is one that the viewer may not read."""
    if record["project"] is None:
        return f"~{record['user']}" if record["user"] else ""
    return f"{record['workspace']}/{record['project']}" if record["workspace"] is not None else str(record["project"])


def mailbox_href(record: Mapping[str, Any]) -> str | None:
    """Where a mailbox's page is; None for a person's, and for a project that the viewer may not read."""
    workspace, project = record["workspace"], record["project"]
    return project_path(workspace, project) if workspace is not None and project is not None else None
