"""Waking: one attached receiver at a time is given an occurrence, starts a turn for it or gives it back (contracts/mail.md, wake).

A started turn is no reading: whether anybody read the message is the receipts' business. One turn for each occurrence, and one more
each time that a lease ran out unfinished since the last, at most three in all. Pure.
"""

from __future__ import annotations

import hmac
from dataclasses import replace

from waypost.kernel.time import MINUTE, SECOND
from waypost.mail.errors import AlreadyClaimed, LeaseLost
from waypost.mail.models import Delivery, Message, Reader, Status, Wake
from waypost.mail.rules import check_due, check_occurrence, check_open, check_recipient

__all__ = ["MOST_WAKES", "accept", "asks_for_turn", "give_back", "reserve"]

RESERVED_FOR = 1 * MINUTE
PAUSE = 5 * SECOND
"""After a receiver gave a wake back, nobody is given it for so long: as often as receivers poll."""
MOST_WAKES = 3
"""Turns for one occurrence."""


def asks_for_turn(message: Message, now: int) -> bool:
    """Whether a receiver may be given the message now: it is wake mail, open and due, nobody holds or was given it, and no turn was
    started for this occurrence, or none since its lease ran out."""
    if message.delivery is not Delivery.WAKE or message.status_at(now) is not Status.OPEN or message.due_at > now:
        return False
    wake = message.wake
    if message.lease_at(now) is not None:
        return False
    if wake is None:
        return True
    if wake.count >= MOST_WAKES:
        return False
    if not wake.accepted:
        return wake.until <= now
    lapsed = message.lapsed_at(now)
    return lapsed is not None and lapsed > wake.until


def reserve(message: Message, reader: Reader, *, session: str, token: str, now: int) -> Message:
    """The message given to one receiver for 60 seconds. Refuses `not_recipient`, `already_closed`, `not_due`, `already_claimed`."""
    check_recipient(message, reader)
    check_open(message, now)
    check_due(message, now)
    if not asks_for_turn(message, now):
        raise AlreadyClaimed(
            "The message asks for no turn now: one was started for it, or another receiver was given it. Nothing was changed.",
            hint="Reserve without message_id to get one that does.",
        )
    count = message.wake.count if message.wake else 0
    wake = Wake(owner=session, token=token, until=now + RESERVED_FOR, accepted=False, count=count)
    return replace(message, wake=wake)


def accept(message: Message, *, occurrence: int, session: str, token: str, now: int) -> Message:
    """The message after its receiver saw a turn start for it; read by nobody. A repeat is answered unchanged, and so is a word that
    comes late, as long as no other receiver was given it. Refuses `stale_occurrence`, `lease_lost`."""
    wake = _check_given(message, occurrence, session, token)
    if wake.accepted:
        return message
    accepted = replace(wake, accepted=True, until=now, count=wake.count + 1)
    return replace(message, wake=accepted, version=message.version + 1)


def give_back(message: Message, *, occurrence: int, session: str, token: str, now: int) -> Message:
    """The message after its receiver could start no turn: any receiver may be given it again in five seconds. Refuses
    `stale_occurrence`, `lease_lost`, and that too where a turn was started."""
    wake = _check_given(message, occurrence, session, token)
    if wake.accepted:
        raise LeaseLost("A turn was started for this occurrence already. Nothing was changed.")
    return replace(message, wake=replace(wake, until=now + PAUSE))


def _check_given(message: Message, occurrence: int, session: str, token: str) -> Wake:
    check_occurrence(message, occurrence)
    wake = message.wake
    if wake is None or wake.owner != session or not hmac.compare_digest(wake.token.encode(), token.encode("utf-8")):
        raise LeaseLost(
            "This wake was not given to this session by that token, or it was given to another one since. Nothing was changed.",
            hint="Reserve again.",
        )
    return wake
