"""How much mail there may be: a session's rate, a chain of replies, a recipient's room. Judged within the unit that sends, after the
mailbox's row is held."""

from __future__ import annotations

from waypost.identity.access import Right
from waypost.kernel.addresses import Address
from waypost.kernel.time import MINUTE
from waypost.mail.boxes import count_replies, count_scheduled, count_sends, count_untouched
from waypost.mail.errors import InboxFull, LoopGuard, SendRateLimited
from waypost.mail.models import Message
from waypost.operations.records import UNREADABLE_NAME
from waypost.operations.registry import Unit

__all__ = ["check_rates", "check_room"]


def check_rates(unit: Unit, message: Message) -> None:
    """The sender's rate, and chains of replies between agents. Refuses `rate_limited`, `loop_guard`."""
    limits, session = unit.limits, message.sender.session
    if session is not None:
        sent = count_sends(unit.tx, session, since=unit.now - MINUTE, most=limits.sends_a_minute)
        if sent >= limits.sends_a_minute:
            raise SendRateLimited(
                f"This session sent {sent} messages in the last minute, as many as it may. Nothing was sent.",
                hint="Wait a minute, or put several points into one message.",
            )
    if message.reply_to is not None and message.sender.user is None:
        replies = count_replies(unit.tx, message.thread, since=unit.now - limits.loop_window, most=limits.loop_replies)
        if replies >= limits.loop_replies:
            minutes = limits.loop_window // MINUTE
            raise LoopGuard(
                f"This thread holds {replies} replies between agents in {minutes} minutes and no person's. Nothing was sent."
            )


def check_room(unit: Unit, message: Message, address: Address) -> None:
    """The recipient's bounds (`inbox_full`), exact because the mailbox's row is held while they are counted."""
    limits = unit.limits
    if message.due_at > unit.now:
        waiting, most, kind = (
            count_scheduled(unit.tx, message.mailbox_id, most=limits.scheduled),
            limits.scheduled,
            "scheduled",
        )
    else:
        waiting, most, kind = count_untouched(unit.tx, message.mailbox_id, most=limits.inbox), limits.inbox, "unread"
    if waiting >= most:
        held = f"{waiting} {kind} messages, as" if unit.may(Right.READ, message.mailbox_id) else "as"
        named = f"'{address}'" if unit.names([message.mailbox_id]) else UNREADABLE_NAME
        raise InboxFull(
            f"The inbox of {named} holds {held} many as it may. Nothing was sent.",
            hint="Wait until somebody there reads or pops mail, or cancel what is no longer needed.",
        )
