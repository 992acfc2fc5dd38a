"""Every kind of entry that the journal holds, with one sentence each: the event table of docs/changes.md, which a test compares.

Whoever journals a new kind names it here and in that table; another test finds every kind that the code journals.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["EVENTS"]

EVENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "message.sent": "A message or reminder was stored.",
        "message.acked": "A session said that it has read it; its version stays.",
        "message.popped": "Somebody took it off the queue.",
        "message.claimed": "A session owns it until its lease runs out.",
        "message.renewed": "Its lease counts anew.",
        "message.released": "Its holder gave it back; it is unread again.",
        "message.completed": "Its holder finished it.",
        "message.snoozed": "Its holder put it off to its next occurrence.",
        "message.woken": "A receiver started a turn for it; nobody has read it by that.",
        "message.closed": "Information was acknowledged by its reader, or a question was answered.",
        "message.cancelled": "It was withdrawn.",
        "message.expired": "It was closed, because its time was over.",
        "message.redacted": "Its words were blanked, in every version; an open one was withdrawn with them.",
        "decision.asked": "A message asks a person to decide; it has the message's id.",
        "decision.answered": "One answer was accepted.",
        "decision.cancelled": "The question was withdrawn.",
        "decision.expired": "The question was closed, because its time was over.",
        "decision.redacted": "The words of the question, or the comment of its answer, were blanked.",
        "handoff.begun": "A session left a note for the next one.",
        "handoff.accepted": "A session claimed it.",
        "handoff.cancelled": "It was withdrawn.",
        "handoff.expired": "It was closed, because its time was over or a later automatic one took its place.",
        "project.added": "A project got its mailbox.",
        "project.renamed": "It has another name.",
        "project.moved": "It is in another workspace.",
        "project.allowed": "Checkouts of another repository may use it.",
        "project.deleted": "It was deleted.",
        "session.registered": "A session of a client was first heard of.",
        "session.continued": "A session said which earlier one it continues.",
        "user.added": "A person got a mailbox, or came back to it.",
        "user.removed": "A person was taken out of use.",
        "token.created": "A token was made.",
        "token.revoked": "A token was taken back.",
        "grant.set": "A person was given other rights on a project.",
        "grant.removed": "A person's rights on a project were taken back.",
    }
)
