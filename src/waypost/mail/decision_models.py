"""What decisions speak of: a question to a person with its options, the answer that was accepted, and their place in mail.

A decision has the id of the message that asked it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from waypost.mail.models import Sender

__all__ = ["Answer", "Decision", "DecisionState", "Option", "Question", "Reply", "Standing"]


class DecisionState(StrEnum):
    """Where a question stands. All but the first are final."""

    OPEN = "open"
    ANSWERED = "answered"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One answer that a person may choose. What it leads to is known to the asker alone."""

    id: str
    label: str
    description: str = ""
    recommended: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked, as the convention writes it. `reply_project` is the asker's label."""

    question: str
    requires_root: bool
    reply_project: str
    options: tuple[Option, ...]
    details: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What is answered, as the convention writes it."""

    question_id: str
    option: str
    comment: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The one accepted answer. `by` is who gave it, as the door knew him; `message_id` the reply that carried it."""

    option: str
    comment: str
    at: int
    by: Sender
    message_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A question in somebody's mailbox. `asked_at` is when it is due there; `sender` is the asker."""

    id: str
    workspace: str
    mailbox_id: str
    to_session: str | None
    sender: Sender
    question: Question
    asked_at: int
    expires_at: int | None
    state: DecisionState
    version: int
    closed_at: int | None = None
    redacted_at: int | None = None
    answer: Answer | None = None

    def state_at(self, now: int) -> DecisionState:
        """Its state, where a question past its expiry counts as expired before anything wrote it down."""
        if self.state is DecisionState.OPEN and self.expires_at is not None and self.expires_at <= now:
            return DecisionState.EXPIRED
        return self.state


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What somebody may do who wants to answer: read the mailbox, write to the asker, act as root."""

    reads_mailbox: bool
    writes_asker: bool
    is_root: bool
