"""What may happen to a message: pure functions of the record, the command and the time. Each gives a new record or a refusal.

Order of checks (contracts/mail.md): known and readable (before these are called), recipient, occurrence, status, due, lease.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import SECOND, format_instant, parse_instant
from waypost.mail.errors import AlreadyClaimed, AlreadyClosed, NotDue, NotRecipient, StaleOccurrence
from waypost.mail.models import POPPED, READ, Limits, Message, Reader, Sender, Status

__all__ = [
    "Timing",
    "ack",
    "cancel",
    "check_due",
    "check_occurrence",
    "check_open",
    "check_recipient",
    "content_digest",
    "expire",
    "is_repeat",
    "is_replay",
    "plan_due",
    "plan_timing",
    "pop",
    "same_agent",
]

TOO_FAR = 100 * 365 * 24 * 3600
"""The longest delay in seconds: a century, so that no sum leaves the range of times."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Timing:
    """When a message is due and expires, and whether its time makes it a reminder."""

    due_at: int
    expires_at: int | None
    reminder: bool


def plan_due(*, due_at: int | None, delay_seconds: int | None, now: int) -> int | None:
    """When something is due that was dated by an instant or by a delay from now; None where it was not dated. Refuses
    `invalid_input`: both, a delay of 0 or less or beyond a century."""
    if due_at is not None and delay_seconds is not None:
        raise InvalidInput("due_at and delay_seconds exclude each other.", hint="Pass one of them.")
    if delay_seconds is None:
        return due_at
    if not 0 < delay_seconds <= TOO_FAR:
        raise InvalidInput("delay_seconds must be from 1 second to a century.", hint="Pass a positive whole number.")
    return now + delay_seconds * SECOND


def plan_timing(*, due_at: int | None, delay_seconds: int | None, expires_at: str | None, now: int) -> Timing:
    """The times of a new message. Refuses `invalid_input` as `plan_due` does, and for an expiry that is not after the due time and
    now."""
    dated = plan_due(due_at=due_at, delay_seconds=delay_seconds, now=now)
    due = now if dated is None else dated
    expires = None if expires_at is None else parse_instant(expires_at, field="expires_at")
    if expires is not None and expires <= max(due, now):
        raise InvalidInput("expires_at is not after the time that the message is due.", hint="Pass a later expires_at.")
    return Timing(due_at=due, expires_at=expires, reminder=dated is not None)


def content_digest(sender: Sender, mailbox_id: str, fields: dict[str, str | int | bool | None]) -> str:
    """What makes two sends the same one: sender's project and session, recipient, all content and timing fields as given."""
    text = repr((sender.project_id, sender.session, mailbox_id, sorted(fields.items())))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def is_repeat(earlier: Message, *, now: int, limits: Limits) -> bool:
    """Whether a send equal to `earlier` is taken for a retry of it: within 10 minutes, while it is unread or under 60 s old and
    not cancelled."""
    age = now - earlier.created_at
    if earlier.status is Status.CANCELLED or age > limits.repeat_window:
        return False
    unread = earlier.status_at(now) is Status.OPEN and earlier.read_at(now) is None
    return unread or age < limits.repeat_at_least


def check_recipient(message: Message, reader: Reader) -> None:
    """Refuses `not_recipient` unless the message is addressed to this reader."""
    if reader.receives(message):
        return
    if message.mailbox_id in reader.mailboxes and reader.session is None:
        raise NotRecipient(
            "The message is addressed to a session or a user, and the call named no session. Nothing was changed.",
            hint="Pass session as the client printed it.",
        )
    raise NotRecipient("The message is addressed to somebody else. Nothing was changed.")


def ack(message: Message, reader: Reader, *, occurrence: int, now: int) -> Message:
    """The message after `reader`'s session has read this occurrence. Informational mail to one session closes with it; other mail
    stays for other sessions. Closed mail is left as it is, because a late ack is harmless."""
    check_recipient(message, reader)
    check_occurrence(message, occurrence)
    if message.status_at(now) is not Status.OPEN:
        return message
    check_due(message, now)
    read = message if message.read_at(now) is not None else replace(message, first_read_at=now)
    if message.actionable or message.to_session is None:
        return read
    return replace(
        read,
        status=Status.DONE,
        outcome=READ,
        closed_at=now,
        closed_by_session=reader.session,
        closed_by_project=reader.project_id,
        version=message.version + 1,
    )


def pop(message: Message, reader: Reader, *, now: int) -> Message:
    """The message taken off the queue. Refuses `already_closed`, `not_due`, `already_claimed`."""
    check_recipient(message, reader)
    check_open(message, now)
    check_due(message, now)
    if message.lease_at(now) is not None:
        raise AlreadyClaimed("A session holds this message and works on it. Nothing was changed.")
    return replace(
        message,
        status=Status.DONE,
        outcome=POPPED,
        closed_at=now,
        closed_by_session=reader.session,
        closed_by_project=reader.project_id,
        first_read_at=message.first_read_at if message.first_read_at is not None else now,
        lease=None,
        version=message.version + 1,
    )


def is_replay(message: Message, reader: Reader, *, now: int, limits: Limits) -> bool:
    """Whether a pop of this id repeats a pop whose answer was lost: by the session that popped it, else by the project, within
    24 hours."""
    if message.status is not Status.DONE or message.outcome != POPPED or message.closed_at is None:
        return False
    return now - message.closed_at <= limits.replay_window and same_agent(
        message.closed_by_session, message.closed_by_project, reader
    )


def same_agent(session: str | None, project_id: str | None, reader: Reader) -> bool:
    """Whether `reader` is the one recorded: the same session where one was recorded, else the same project."""
    if session is not None:
        return session == reader.session or session in reader.lineage
    return reader.session is None and project_id is not None and project_id == reader.project_id


def cancel(message: Message, reader: Reader, *, occurrence: int | None, now: int, outcome: str | None) -> Message:
    """The message withdrawn by its sender, also while scheduled or claimed, or by a recipient while unclaimed. An already
    cancelled one is answered unchanged. Refuses `not_recipient`, `stale_occurrence`, `already_closed`, `already_claimed`."""
    own = reader.project_id is not None and message.sender.project_id == reader.project_id
    if not own:
        check_recipient(message, reader)
    if occurrence is not None:
        check_occurrence(message, occurrence)
    if message.status is Status.CANCELLED:
        return message
    check_open(message, now)
    if not own and message.lease_at(now) is not None:
        raise AlreadyClaimed("A session holds this message, so only its sender may cancel it. Nothing was changed.")
    return replace(
        message,
        status=Status.CANCELLED,
        outcome=outcome,
        closed_at=now,
        closed_by_session=reader.session,
        closed_by_project=reader.project_id,
        lease=None,
        version=message.version + 1,
    )


def expire(message: Message, *, now: int) -> Message:
    """The message closed because its sender's `expires_at` has passed."""
    return replace(message, status=Status.EXPIRED, closed_at=now, lease=None, version=message.version + 1)


def check_occurrence(message: Message, occurrence: int) -> None:
    """Refuses `stale_occurrence` where the message came due again since the caller saw it."""
    if message.occurrence != occurrence:
        raise StaleOccurrence(
            f"The message is at occurrence {message.occurrence}, not {occurrence}. Nothing was changed."
        )


def check_open(message: Message, now: int) -> None:
    """Refuses `already_closed` for what is done, cancelled or expired."""
    status = message.status_at(now)
    if status is not Status.OPEN:
        raise AlreadyClosed(f"The message is {status} already. Nothing was changed.")


def check_due(message: Message, now: int) -> None:
    """Refuses `not_due` before the due time; at that very instant it is due."""
    if message.due_at > now:
        raise NotDue(f"The message is due at {format_instant(message.due_at)}. Nothing was changed.")
