"""The refusals of mail. Each changes nothing."""

from __future__ import annotations

from waypost.kernel.errors import NotFound, RateLimited, WaypostError

__all__ = [
    "AlreadyAnswered",
    "AlreadyClaimed",
    "AlreadyClosed",
    "DecisionNotFound",
    "HandoffNotFound",
    "InboxFull",
    "LeaseLost",
    "LoopGuard",
    "MessageNotFound",
    "NotActionable",
    "NotDue",
    "NotPermittedToAnswer",
    "NotRecipient",
    "SendRateLimited",
    "StaleOccurrence",
    "UnknownRecipient",
]


class UnknownRecipient(NotFound):
    """Mail to a project or user that does not exist. The message names near ones that the caller may read."""

    code = "unknown_recipient"
    title = "Unknown recipient"
    hint_by_default = "See `waypost project list` for the names that exist."


class InboxFull(WaypostError):
    """The recipient's inbox holds as much unread or scheduled mail as it may."""

    code = "inbox_full"
    status = 409
    title = "The inbox is full"
    hint_by_default = "Wait until somebody there reads or pops mail."
    retryable = True


class MessageNotFound(NotFound):
    """No such message, or not one that the caller may see."""

    code = "message_not_found"
    title = "Unknown message"
    hint_by_default = "Pass message_id exactly as send or list gave it."


class NotRecipient(WaypostError):
    """The caller is neither a recipient nor, where the verb allows it, the sender."""

    code = "not_recipient"
    status = 403
    title = "Not a recipient"
    hint_by_default = "Act for the project and session that the message is addressed to; a view shows them."


class StaleOccurrence(WaypostError):
    """The message came due again since the caller saw it."""

    code = "stale_occurrence"
    status = 409
    title = "The occurrence is stale"
    hint_by_default = "View the message and use the occurrence it shows now."


class NotDue(WaypostError):
    """The message is not due yet."""

    code = "not_due"
    status = 409
    title = "Not due yet"
    hint_by_default = "Come back when it is due, or wait for it."


class AlreadyClosed(WaypostError):
    """The message is done, cancelled or expired."""

    code = "already_closed"
    status = 409
    title = "The message is closed"
    hint_by_default = "Nothing is left to do with it; a view shows what became of it."


class AlreadyClaimed(WaypostError):
    """Another session holds the lease."""

    code = "already_claimed"
    status = 409
    title = "Another session holds the message"
    hint_by_default = "Leave it to that session, or repeat once its lease has run out."
    retryable = True


class NotActionable(WaypostError):
    """The message informs and asks for no work, so that there is nothing to own."""

    code = "not_actionable"
    status = 409
    title = "The message asks for no work"
    hint_by_default = "Acknowledge it with ack, or take it off the queue with pop."


class LeaseLost(WaypostError):
    """The caller does not hold the lease: it ran out, was given back, belongs to another session, or the token is an old one."""

    code = "lease_lost"
    status = 409
    title = "The lease is lost"
    hint_by_default = "Stop this work. View the message; if it is still open and nobody holds it, claim it again."


class LoopGuard(WaypostError):
    """Agents answer each other without a person; the chain is cut."""

    code = "loop_guard"
    status = 429
    title = "A chain of replies was stopped"
    hint_by_default = "Stop replying and ask a person how to go on."


class SendRateLimited(RateLimited):
    """One session sent more than its share in a minute."""


class DecisionNotFound(NotFound):
    """No such question, or not one that the caller may see."""

    title = "Unknown question"
    hint_by_default = "Pass decision_id exactly as ask or list gave it."


class AlreadyAnswered(WaypostError):
    """One answer was accepted; there is no second."""

    code = "already_answered"
    status = 409
    title = "The question is answered"
    hint_by_default = "Leave it; a view shows the answer. Ask anew where the matter has changed."


class NotPermittedToAnswer(WaypostError):
    """The caller may not answer this question; the message names what is missing."""

    code = "not_permitted_to_answer"
    status = 403
    title = "Not permitted to answer"
    hint_by_default = "Leave the answer to somebody who may give it; a view shows who that is."


class HandoffNotFound(NotFound):
    """No such handoff in the caller's project."""

    title = "Unknown handoff"
    hint_by_default = "Pass handoff_id exactly as begin, offer or list gave it."
