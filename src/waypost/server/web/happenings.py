"""What a page shows of the journal: each entry's deed in people's words, what it was done to, and by whom through which door.

Entries carry no text; the subject of a message comes with it from the operation that may read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waypost.server.web.moments import Moment, moment
from waypost.server.web.shown import Party, mailbox_href, mailbox_label, party_of

__all__ = ["DEEDS", "FAMILIES", "About", "Happening", "deed_of", "happening"]

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
    "message.woken": "woken",
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
FAMILIES = {
    "message": "Mail",
    "decision": "Decisions",
    "handoff": "Handoffs",
    "session": "Sessions",
    "project": "Projects",
    "user": "People",
    "token": "Tokens",
    "grant": "Rights",
}
"""What people call the first word of a kind."""
Record = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """What an entry is about; `href` is None where there is no page of it that the viewer may read."""

    text: str
    href: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Happening:
    """One journal entry."""

    position: int
    deed: str
    about: About
    note: str
    actor: Party
    at: Moment


def deed_of(kind: str) -> str:
    """What people call a kind of change."""
    return DEEDS.get(kind, kind)


def happening(record: Record, mail: About | None, own: str, now: int) -> Happening:
    """A journal entry as `activity.list` answers it, seen from the project `own`, or from none where that is empty; `mail` is the
    message or question that it is about, where it is about one."""
    return Happening(
        position=record["position"],
        deed=deed_of(record["kind"]),
        about=mail or _about(record, own),
        note=_direction(record["mailboxes"], own) if mail else "",
        actor=party_of(record["actor"], door=record["actor"]["door"], claims=""),
        at=moment(record["at"], now),
    )


def _about(record: Record, own: str) -> About:
    """What an entry that is not of mail is about: a session by its id, else the project; where it concerns none, the id."""
    mailbox = next(iter(record["mailboxes"]), None)
    label = mailbox_label(mailbox) if mailbox else ""
    is_session = record["kind"].startswith("session.")
    href = mailbox_href(mailbox) if mailbox and label != own else None
    return About(text=record["id"] if is_session or not label else label, href=href)


def _direction(mailboxes: list[Record], own: str) -> str:
    """The first mailbox of a message's entry is its recipient's, the second its sender's."""
    labels = [mailbox_label(one) for one in mailboxes]
    elsewhere = [label for label in labels if label != own]
    if not own:
        return f"from {labels[-1]} to {labels[0]}" if len(labels) > 1 else f"in {labels[0]}" if labels else ""
    if not elsewhere:
        return ""
    return f"from {elsewhere[0]}" if labels[0] == own else f"to {elsewhere[0]}"
