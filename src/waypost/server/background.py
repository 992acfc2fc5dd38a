"""Work that nobody waits for: expired mail is closed, old answers, journal entries and unused consumers go. In short units, so that the writer is
never held up; where nothing is due, nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass

from waypost.kernel.errors import WaypostError
from waypost.kernel.time import DAY
from waypost.mail.decision_rules import expire_decision
from waypost.mail.decision_store import change_decision, expired_decisions
from waypost.mail.handoff_store import change_handoff, expired_handoffs
from waypost.mail.handoffs import expire_handoff
from waypost.mail.rules import expire
from waypost.mail.store import change, expired_messages
from waypost.operations.consumers import CONSUMERS_KEPT_FOR
from waypost.server.context import ServerContext
from waypost.server.logs import describe_failure
from waypost.store.consumers import forget_consumers
from waypost.store.interface import Actor, Transaction
from waypost.store.journal import prune
from waypost.store.keys import forget_answers

__all__ = ["JOURNAL_KEPT_FOR", "SWEEP_SECONDS", "Swept", "keep_house", "sweep"]

SWEEP_SECONDS = 60.0
JOURNAL_KEPT_FOR = 90 * DAY
MESSAGES_AT_ONCE = 25
ROWS_AT_ONCE = 250
"""So many that a unit takes well below 50 ms."""
MOST_UNITS = 1_000
"""In one sweep; what is left has time until the next."""
ACTOR = Actor(door="server")


@dataclass(frozen=True, kw_only=True, slots=True)
class Swept:
    """How much one sweep did."""

    expired: int
    answers: int
    entries: int
    consumers: int


async def keep_house(context: ServerContext, *, pause: float = SWEEP_SECONDS) -> None:
    """Sweeps now and once a minute, until it is cancelled. A store that fails is tried again the next time."""
    while True:
        try:
            swept = await sweep(context)
        except WaypostError as failure:
            context.log.warning("sweep failed", code=failure.code, **describe_failure(failure))
        else:
            if any(astuple(swept)):
                context.log.info("swept", **asdict(swept))
        await asyncio.sleep(pause)


async def sweep(context: ServerContext) -> Swept:
    """Does what is due now. Refuses as the store does."""
    return Swept(
        expired=sum([await _repeat(context, close) for close in CLOSERS]),
        answers=await _repeat(context, lambda tx: forget_answers(tx, limit=ROWS_AT_ONCE)),
        entries=await _repeat(context, lambda tx: prune(tx, before=tx.now - JOURNAL_KEPT_FOR, limit=ROWS_AT_ONCE)),
        consumers=await _repeat(
            context, lambda tx: forget_consumers(tx, before=tx.now - CONSUMERS_KEPT_FOR, limit=ROWS_AT_ONCE)
        ),
    )


def close_expired(tx: Transaction) -> int:
    """Closes some of the mail that has expired, each as a change of its own, and answers how many."""
    found = expired_messages(tx, limit=MESSAGES_AT_ONCE)
    for message in found:
        change(tx, message, expire(message, now=tx.now), kind="message.expired", actor=ACTOR)
    return len(found)


def close_expired_questions(tx: Transaction) -> int:
    """Closes some of the questions that have expired, and answers how many."""
    found = expired_decisions(tx, limit=MESSAGES_AT_ONCE)
    for decision in found:
        change_decision(tx, expire_decision(decision, now=tx.now), kind="decision.expired", actor=ACTOR)
    return len(found)


def close_expired_handoffs(tx: Transaction) -> int:
    """Closes some of the handoffs that have expired, and answers how many."""
    found = expired_handoffs(tx, limit=MESSAGES_AT_ONCE)
    for handoff in found:
        change_handoff(tx, expire_handoff(handoff, door=ACTOR.door, now=tx.now), kind="handoff.expired", actor=ACTOR)
    return len(found)


CLOSERS = (close_expired, close_expired_questions, close_expired_handoffs)
"""What closes things whose time is over, each apart."""


async def _repeat(context: ServerContext, unit: Callable[[Transaction], int]) -> int:
    """Runs a unit, each time as a transaction of its own, until it finds nothing more."""
    total = 0
    for _ in range(MOST_UNITS):
        done = await asyncio.wrap_future(context.waypost.store.submit(unit))
        total += done
        if not done or context.changes.closed:
            break
    return total
