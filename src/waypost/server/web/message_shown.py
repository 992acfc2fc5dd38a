"""What a page shows of one message: plain values for the template, with foreign text out of its frame and made visible.

The template escapes; nothing here is markup. Text is the mailbox's own only where its project sent it and a door vouches for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waypost.kernel.errors import InvalidInput
from waypost.kernel.text import snippet, unframe, visible
from waypost.server.web.happenings import deed_of
from waypost.server.web.moments import Moment, moment
from waypost.server.web.shown import Party, door_name, mailbox_href, mailbox_label, message_path, sender_of, subject_of

__all__ = ["Piece", "Receipt", "Sheet", "Step", "piece", "sheet", "step"]

Record = Mapping[str, Any]
DELIVERIES = {"next_activity": "at the next activity", "wake": "wakes a session"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What one session knows of the message: when it was notified, was given the text, and acknowledged it."""

    session: str
    notified: Moment | None
    given: Moment | None
    acked: Moment | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hold:
    """Who has something until when: a lease, or a wake. `accepted` says that the wake was taken up at that time."""

    holder: str
    until: Moment
    accepted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """One message, whole. `is_own` says that its text is the mailbox's own; all other text is foreign."""

    id: str
    href: str
    subject: str
    body: str
    is_own: bool
    is_redacted: bool
    sender: Party
    to: str
    to_href: str | None
    to_session: str | None
    state: str
    is_closed: bool
    actionable: bool
    delivery: str
    occurrence: int
    version: int
    sent: Moment
    due: Moment
    is_scheduled: bool
    is_late: bool
    expires: Moment | None
    lease: Hold | None
    generation: int
    wake: Hold | None
    outcome: str
    reply_to: str | None
    about: str
    receipts: list[Receipt]


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One change: what was done, when, by whom, and what the message was before."""

    version: int
    deed: str
    at: Moment
    door: str
    session: str | None
    state: str
    occurrence: int
    due: Moment
    outcome: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """One message of a thread."""

    id: str
    href: str
    subject: str
    snippet: str
    sender: Party
    to: str
    at: Moment
    state: str


def sheet(record: Record, now: int) -> Sheet:
    """A message as `message.view` answers it."""
    lease, wake, about = record["lease"], record["wake"], record["about"]
    due = moment(record["due_at"], now)
    return Sheet(
        id=record["id"],
        href=message_path(record["id"]),
        subject=subject_of(record),
        body=_body(record),
        is_own=_is_own(record),
        is_redacted=record["redacted_at"] is not None,
        sender=sender_of(record["from"]),
        to=mailbox_label(record["to"]),
        to_href=mailbox_href(record["to"]),
        to_session=record["to"]["session"],
        state=_state(record, now),
        is_closed=record["status"] != "open",
        actionable=record["actionable"],
        delivery=DELIVERIES[record["delivery"]],
        occurrence=record["occurrence"],
        version=record["version"],
        sent=moment(record["created_at"], now),
        due=due,
        is_scheduled=record["status"] == "open" and due.at > now,
        is_late=record["late_seconds"] is not None,
        expires=_maybe(record["expires_at"], now),
        lease=Hold(holder=lease["holder"], until=moment(lease["until"], now), accepted=True) if lease else None,
        generation=lease["generation"] if lease else 0,
        wake=Hold(holder=wake["owner"], until=moment(wake["until"], now), accepted=wake["accepted"]) if wake else None,
        outcome=_outcome(record["outcome"]),
        reply_to=record["reply_to"],
        about=_annotated(about) if about else "",
        receipts=[_receipt(one, now) for one in record["receipts"]],
    )


def step(record: Record, now: int) -> Step:
    """A change as `message.view` answers it in the history."""
    return Step(
        version=record["version"],
        deed=deed_of(record["change"]),
        at=moment(record["changed_at"], now),
        door=door_name(record["by_door"]),
        session=record["by_session"],
        state=record["status"],
        occurrence=record["occurrence"],
        due=moment(record["due_at"], now),
        outcome=_outcome(record["outcome"]),
    )


def piece(record: Record, now: int) -> Piece:
    """A message of a thread as `activity.thread` answers it."""
    return Piece(
        id=record["id"],
        href=message_path(record["id"]),
        subject=subject_of(record),
        snippet=snippet(_body(record)),
        sender=sender_of(record["from"]),
        to=mailbox_label(record["to"]),
        at=moment(record["created_at"], now),
        state=_state(record, now),
    )


def _body(record: Record) -> str:
    body: str = record["body"]
    return unframe(body) if record["foreign"] and body else visible(body)


def _is_own(record: Record) -> bool:
    to, sender = record["to"], record["from"]
    is_same = (to["workspace"], to["project"]) == (sender["workspace"], sender["project"])
    return is_same and to["workspace"] is not None and "project" not in sender["declared"]


def _state(record: Record, now: int) -> str:
    """Where the message is in its life, in one or two words."""
    if record["status"] != "open":
        return "popped" if record["outcome"] == "popped" else str(record["status"])
    if record["lease"]:
        return "in work"
    if moment(record["due_at"], now).at > now:
        return "scheduled"
    return "read, open" if any(one["acked_at"] for one in record["receipts"]) else "waiting"


def _outcome(outcome: str | None) -> str:
    """An outcome as text. What somebody wrote stands in a frame; Waypost's own words do not."""
    try:
        return unframe(outcome) if outcome else ""
    except InvalidInput:
        return visible(outcome or "")


def _annotated(about: Record) -> str:
    return about["session"] if about["turn"] is None else f"{about['session']}, turn {about['turn']}"


def _receipt(record: Record, now: int) -> Receipt:
    return Receipt(
        session=record["session"],
        notified=_maybe(record["notified_at"], now),
        given=_maybe(record["returned_at"], now),
        acked=_maybe(record["acked_at"], now),
    )


def _maybe(text: str | None, now: int) -> Moment | None:
    return moment(text, now) if text is not None else None
