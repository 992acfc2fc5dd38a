"""Handoffs: what a single-use note is, which one is offered to a session, and what may happen to it. Pure.

A note made by hand beats one that a session's end made; within a kind the latest is offered. None is offered while the session that
wrote it may still go on, nor to that session itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from waypost.kernel.errors import BodyTooLong
from waypost.kernel.time import DAY, MINUTE
from waypost.mail.errors import AlreadyClosed
from waypost.mail.models import Reader, Sender
from waypost.mail.rules import same_agent

__all__ = [
    "EXPIRES_AFTER",
    "QUIET",
    "Handoff",
    "HandoffState",
    "accept_handoff",
    "cancel_handoff",
    "check_size",
    "expire_handoff",
    "is_offered",
    "is_replay_of_accept",
]

EXPIRES_AFTER = 30 * DAY
QUIET = 10 * MINUTE
"""How long the writing session must have been silent before its note is offered."""
REPLAYED_WITHIN = 1 * DAY


class HandoffState(StrEnum):
    """Where a note stands. All but the first are final."""

    OPEN = "open"
    ACCEPTED = "accepted"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


@dataclass(frozen=True, kw_only=True, slots=True)
class Handoff:
    """One note to the next session of the same project. `sender` is who wrote it; `automatic` that a session's end did."""

    id: str
    workspace: str
    sender: Sender
    automatic: bool
    summary: str
    open_questions: tuple[str, ...]
    next_steps: tuple[str, ...]
    files_touched: tuple[str, ...]
    created_at: int
    expires_at: int
    state: HandoffState = HandoffState.OPEN
    version: int = 1
    closed_at: int | None = None
    closed_by_session: str | None = None
    closed_by_user: str | None = None
    closed_by_door: str | None = None

    @property
    def project_id(self) -> str:
        """The project whose sessions it is for: the one that wrote it."""
        return self.sender.project_id

    @property
    def size(self) -> int:
        """How many characters of text it holds."""
        parts = (self.summary, *self.open_questions, *self.next_steps, *self.files_touched)
        return sum(map(len, parts))

    def state_at(self, now: int) -> HandoffState:
        """Its state, where a note past its expiry counts as expired before anything wrote it down."""
        return HandoffState.EXPIRED if self.state is HandoffState.OPEN and self.expires_at <= now else self.state


def check_size(handoff: Handoff, *, limit: int) -> None:
    """Refuses `body_too_long` where all its texts together are above the limit of one message."""
    if handoff.size > limit:
        raise BodyTooLong(
            f"The handoff's texts have {handoff.size} characters together; at most {limit} are allowed. Nothing was stored.",
            hint="Shorten it to what the next session must know.",
        )


def is_offered(handoff: Handoff, *, session: str | None, source_seen_at: int | None, now: int) -> bool:
    """Whether the note is offered to a session now. `source_seen_at` is when its writer last spoke, if it is known."""
    if handoff.state_at(now) is not HandoffState.OPEN:
        return False
    if handoff.sender.session is not None and handoff.sender.session == session:
        return False
    return source_seen_at is None or now - source_seen_at >= QUIET


def is_replay_of_accept(handoff: Handoff, reader: Reader, *, now: int) -> bool:
    """Whether an accept repeats one whose answer was lost: by the session that accepted, else by the project, within 24 hours."""
    if handoff.state is not HandoffState.ACCEPTED or handoff.closed_at is None:
        return False
    return now - handoff.closed_at <= REPLAYED_WITHIN and same_agent(
        handoff.closed_by_session, handoff.project_id, reader
    )


def accept_handoff(handoff: Handoff, *, session: str | None, user: str | None, door: str, now: int) -> Handoff:
    """The note claimed, once. Refuses `already_closed`."""
    return _closed(handoff, HandoffState.ACCEPTED, session=session, user=user, door=door, now=now)


def cancel_handoff(handoff: Handoff, *, session: str | None, user: str | None, door: str, now: int) -> Handoff:
    """The note withdrawn; a withdrawn one is answered unchanged. Refuses `already_closed` for any other end."""
    if handoff.state is HandoffState.CANCELLED:
        return handoff
    return _closed(handoff, HandoffState.CANCELLED, session=session, user=user, door=door, now=now)


def expire_handoff(handoff: Handoff, *, door: str, now: int) -> Handoff:
    """The note closed because its time is over, or because a later automatic one took its place."""
    return replace(handoff, state=HandoffState.EXPIRED, version=handoff.version + 1, closed_at=now, closed_by_door=door)


def _closed(
    handoff: Handoff, state: HandoffState, *, session: str | None, user: str | None, door: str, now: int
) -> Handoff:
    there = handoff.state_at(now)
    if there is not HandoffState.OPEN:
        raise AlreadyClosed(f"The handoff is {there} already. Nothing was changed.")
    return replace(
        handoff,
        state=state,
        version=handoff.version + 1,
        closed_at=now,
        closed_by_session=session,
        closed_by_user=user,
        closed_by_door=door,
    )
