"""What mail speaks of. A message's fields are those of contracts/mail.md, The record (`format: 1`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from waypost.kernel.time import DAY, MINUTE

__all__ = [
    "FORMAT",
    "POPPED",
    "READ",
    "Box",
    "Delivery",
    "Lease",
    "Limits",
    "Message",
    "Reader",
    "Receipt",
    "Sender",
    "Status",
    "Unreadable",
    "View",
    "Wake",
]

FORMAT = 1
POPPED = "popped"
"""The outcome of a popped message."""
READ = "read"
"""The outcome of information that its one reader acknowledged."""


class Status(StrEnum):
    """Where a message stands. The last three are final."""

    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Delivery(StrEnum):
    """How a message asks to reach its recipient."""

    NEXT_ACTIVITY = "next_activity"
    WAKE = "wake"


class Box(StrEnum):
    """Mail received, or mail sent."""

    INBOX = "inbox"
    OUTBOX = "outbox"


class View(StrEnum):
    """What a list shows (contracts/mail.md, Lists)."""

    UNREAD = "unread"
    OPEN = "open"
    SCHEDULED = "scheduled"
    CLOSED = "closed"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The bounds of mail, each a setting under `[limits]`. Times in microseconds."""

    subject: int = 200
    body: int = 8_000
    inbox: int = 256
    scheduled: int = 1_000
    sends_a_minute: int = 60
    loop_replies: int = 10
    loop_window: int = 10 * MINUTE
    repeat_window: int = 10 * MINUTE
    repeat_at_least: int = 1 * MINUTE
    replay_window: int = 1 * DAY
    recent_window: int = 10 * MINUTE
    lease: int = 30 * MINUTE
    automatic_handoffs: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Sender:
    """Where a message came from. `user` only from an authenticated credential; `source` says how the project was found."""

    project_id: str
    session: str | None
    client: str | None
    user: str | None
    door: str
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """Time-limited ownership of an actionable message, with a token and a generation that only rises."""

    holder: str
    token: str
    until: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Wake:
    """A receiver's reservation of a turn for one occurrence. `until` is when the reservation ends, or when the wake was accepted;
    `count` is how many wakes of this occurrence were accepted."""

    owner: str
    token: str
    until: int
    accepted: bool
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One piece of mail. `version` rises with each change; `occurrence` with each time it came due."""

    id: str
    workspace: str
    mailbox_id: str
    to_session: str | None
    sender: Sender
    subject: str
    body: str
    actionable: bool
    reminder: bool
    delivery: Delivery
    created_at: int
    due_at: int
    expires_at: int | None
    occurrence: int
    status: Status
    version: int
    lease: Lease | None
    generation: int
    wake: Wake | None
    outcome: str | None
    closed_at: int | None
    closed_by_session: str | None
    closed_by_project: str | None
    reply_to: str | None
    thread: str
    about_session: str | None
    about_turn: int | None
    first_read_at: int | None
    digest: str
    closed_token: str | None = None
    redacted_at: int | None = None
    format: int = FORMAT

    def status_at(self, now: int) -> Status:
        """Its status, where mail past its expiry counts as expired before anything wrote it down."""
        if self.status is Status.OPEN and self.expires_at is not None and self.expires_at <= now:
            return Status.EXPIRED
        return self.status

    def lease_at(self, now: int) -> Lease | None:
        """The lease that is live at `now`; an expired one holds nothing."""
        return self.lease if self.lease is not None and self.lease.until > now else None

    def lapsed_at(self, now: int) -> int | None:
        """When its lease ran out unfinished, which made it unread for everybody; None where none did or one is live."""
        return self.lease.until if self.lease is not None and self.lease.until <= now else None

    def read_at(self, now: int) -> int | None:
        """When somebody read it for the first time since it last became unread; None where nobody did."""
        lapsed = self.lapsed_at(now)
        return None if self.first_read_at is None or _is_before(self.first_read_at, lapsed) else self.first_read_at


def _is_before(at: int, mark: int | None) -> bool:
    return mark is not None and at < mark


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """A record that this Waypost cannot read, because a newer one wrote it or it is damaged. Listed, skipped, never rewritten."""

    id: str
    due_at: int
    created_at: int
    format: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What one session knows of one occurrence of a message. None of the three implies the next."""

    session: str
    occurrence: int
    notified_at: int | None
    returned_at: int | None
    acked_at: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """Whose inbox is read: the project's and perhaps the user's mailbox, and the session with all it continues. `began_at` is when the
    first of these began: informational project mail that somebody had read before is no news for them; None where it is not known."""

    project_id: str | None
    user_id: str | None
    session: str | None
    lineage: tuple[str, ...] = ()
    began_at: int | None = None

    @property
    def mailboxes(self) -> tuple[str, ...]:
        """The mailboxes whose mail can reach this reader."""
        return tuple(mailbox for mailbox in (self.project_id, self.user_id) if mailbox is not None)

    def news_since(self, mailbox_id: str | None) -> int:
        """Informational mail that somebody had read before this instant is no news for the reader; -1 where all is. Only a project's
        mail ages so: what is a person's own is theirs in each session."""
        return -1 if self.began_at is None or mailbox_id != self.project_id else self.began_at

    def receives(self, message: Message) -> bool:
        """Whether the message is addressed to this reader. Mail to a session reaches it and those that continue it; mail to a
        user or a session reaches nobody who is not one."""
        if message.mailbox_id not in self.mailboxes:
            return False
        if message.to_session is not None:
            return message.to_session in self.lineage
        return message.mailbox_id == self.project_id or self.session is not None
