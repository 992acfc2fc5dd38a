"""Owning a message for a time: claim, renew, release, complete and snooze as pure functions. Each gives a new record or a refusal.

One session holds a message at a time, by a token that only its claim was answered; each claim has a higher generation than every
earlier one. A lease that has run out holds nothing: the message is unread and claimable for every recipient session, and its token
finishes nothing any more, whether or not somebody else has claimed since. Knows no store, and no receipts but the first.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace

from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import format_instant
from waypost.mail.errors import AlreadyClaimed, LeaseLost, NotActionable
from waypost.mail.models import Lease, Limits, Message, Reader, Status
from waypost.mail.rules import check_due, check_occurrence, check_open, check_recipient

__all__ = ["Claimed", "Held", "claim", "complete", "release", "renew", "snooze"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Claimed:
    """A message under the lease that a claim found or began. `repeated` says that the holder had it already."""

    message: Message
    lease: Lease
    repeated: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """What the holder of a lease says of itself: the session and its inbox, the occurrence and the token it was given."""

    reader: Reader
    session: str
    occurrence: int
    token: str


def claim(
    message: Message, reader: Reader, *, session: str, occurrence: int, token: str, now: int, limits: Limits
) -> Claimed:
    """The message owned by `session` from now on, by the token given. The holder that claims again gets the lease it has, not a
    longer one. Refuses `not_recipient`, `stale_occurrence`, `already_closed`, `not_due`, `not_actionable`, `already_claimed`."""
    check_recipient(message, reader)
    check_occurrence(message, occurrence)
    check_open(message, now)
    check_due(message, now)
    if not message.actionable:
        raise NotActionable("The message informs and asks for no work. Nothing was changed.")
    live = message.lease_at(now)
    if live is not None and live.holder == session:
        return Claimed(message=message, lease=live, repeated=True)
    if live is not None:
        raise AlreadyClaimed(
            f"Session '{live.holder}' holds this message until {format_instant(live.until)}. Nothing was changed."
        )
    lease = Lease(holder=session, token=token, until=now + limits.lease)
    read = message.read_at(now)
    owned = replace(
        message,
        lease=lease,
        generation=message.generation + 1,
        first_read_at=now if read is None else read,
        version=message.version + 1,
    )
    return Claimed(message=owned, lease=lease, repeated=False)


def renew(message: Message, held: Held, *, now: int, limits: Limits) -> Message:
    """The lease counted anew from now, under the same token. Refuses what a claim does, and `lease_lost`."""
    lease = _check_held(message, held, now)
    return replace(message, lease=replace(lease, until=now + limits.lease), version=message.version + 1)


def release(message: Message, held: Held, *, now: int) -> Message:
    """The message given back, unread for everybody and claimable at once. Refuses as `renew` does."""
    _check_held(message, held, now)
    return replace(message, lease=None, first_read_at=None, version=message.version + 1)


def complete(message: Message, held: Held, *, outcome: str, now: int) -> Message:
    """The message done, with its outcome. A repeat by the same session, token and occurrence is answered with the message as it is,
    before its status and lease are judged. Refuses as `renew` does."""
    check_recipient(message, held.reader)
    check_occurrence(message, held.occurrence)
    if _completed_by(message, held):
        return message
    _check_lease(message, held, now)
    return replace(
        message,
        status=Status.DONE,
        outcome=outcome,
        closed_at=now,
        closed_by_session=held.session,
        closed_by_project=held.reader.project_id,
        closed_token=held.token,
        lease=None,
        version=message.version + 1,
    )


def snooze(message: Message, held: Held, *, outcome: str, due_at: int, now: int) -> Message:
    """The message due again later: same id, next occurrence, with the finding so far; lease, receipts and wake begin anew. Refuses as
    `renew` does, and `invalid_input` for a time that is not in the future or that the message's expiry forestalls."""
    _check_held(message, held, now)
    if due_at <= now:
        raise InvalidInput(
            "The time to come due again is not in the future. Nothing was changed.", hint="Pass a later time."
        )
    if message.expires_at is not None and message.expires_at <= due_at:
        raise InvalidInput(
            f"The message expires at {format_instant(message.expires_at)}, before it would come due again. Nothing was changed.",
            hint="Pass an earlier time, or complete it.",
        )
    return replace(
        message,
        occurrence=message.occurrence + 1,
        due_at=due_at,
        reminder=True,
        outcome=outcome,
        lease=None,
        first_read_at=None,
        wake=None,
        version=message.version + 1,
    )


def _check_held(message: Message, held: Held, now: int) -> Lease:
    check_recipient(message, held.reader)
    check_occurrence(message, held.occurrence)
    return _check_lease(message, held, now)


def _check_lease(message: Message, held: Held, now: int) -> Lease:
    check_open(message, now)
    check_due(message, now)
    lapsed = message.lapsed_at(now)
    if lapsed is not None:
        raise LeaseLost(f"The lease ran out at {format_instant(lapsed)}. Nothing was changed.")
    lease = message.lease
    if lease is None:
        raise LeaseLost("Nobody holds this message. Nothing was changed.")
    if lease.holder != held.session:
        raise LeaseLost(f"Session '{lease.holder}' holds this message now. Nothing was changed.")
    if not _same(lease.token, held.token):
        raise LeaseLost("The token is not the one of the lease that is live now. Nothing was changed.")
    return lease


def _completed_by(message: Message, held: Held) -> bool:
    token = message.closed_token
    return (
        message.status is Status.DONE
        and message.closed_by_session == held.session
        and token is not None
        and _same(token, held.token)
    )


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8"), other.encode("utf-8"))
