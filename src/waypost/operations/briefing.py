"""briefing: what waits for a session, as it may be told unasked; and the word that it was shown.

Text stands here only where the reader's own project surely wrote it; all other mail is a number (contracts/mail.md, What reaches an
agent by itself). Answers a guessed scope with the count alone. Marks nothing as read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from waypost.identity.models import CERTAIN, Project
from waypost.identity.session_store import continue_session, find_session
from waypost.kernel.addresses import parse_session_id
from waypost.kernel.errors import InvalidInput
from waypost.kernel.ids import parse_id
from waypost.kernel.text import SECURITY_NOTICE
from waypost.mail.inbox_block import BlockItem, InboxBlock, inbox_block
from waypost.mail.models import Message
from waypost.mail.notice import mail_notice, mail_notice_repeated
from waypost.mail.rules import check_recipient
from waypost.mail.store import find_message
from waypost.mail.telling import Waiting, mark_shown, waiting_for
from waypost.operations.inputs import ActingInput, Input, Output
from waypost.operations.registry import Operation, Unit
from waypost.operations.resolved import ResolvedScope, resolved, scope_hint

__all__ = [
    "BRIEFING_OPERATIONS",
    "BriefingInput",
    "BriefingOutput",
    "Occurrence",
    "brief",
    "note_shown",
    "waiting_here",
]

MOST_SHOWN = 100
NOTHING = InboxBlock(text="", shown=(), left_out=0)


class BriefingInput(ActingInput):
    """Whose briefing, and at which boundary of the session's work."""

    boundary: Literal["session_start", "prompt", "after_tool"] = Field(
        "session_start",
        description="session_start shows every unread item that fits; prompt new ones, and the ids of older; after_tool new ones.",
    )
    told: Annotated[int, Field(ge=0)] | None = Field(
        None, description="The number that the last notice told this session; unchanged, it is said in one short line."
    )


class BeginInput(BriefingInput):
    """The same, with what the session continues."""

    session_continue: str | None = Field(
        None, description="The earlier session that this one continues; its mail reaches this one too."
    )


class ShownRecord(Output):
    """One occurrence of a message."""

    message_id: str
    occurrence: int


class BriefingOutput(Output):
    """What waits. `pending_message_count` counts all that is due and unread; null where no project was found. `shown` names what the
    block shows with its text: tell `briefing.shown` once it was printed."""

    pending_message_count: int | None
    scope: ResolvedScope
    scope_source: str
    hint: str | None
    notice: str | None
    inbox_block: str | None
    shown: list[ShownRecord]
    left_out: int
    only_counted: int
    session: str | None
    session_known: bool
    security_notice: str | None


class Occurrence(Input):
    """One occurrence of a message."""

    message_id: str = Field(description="The message's id.")
    occurrence: Annotated[int, Field(ge=1)] = Field(description="Which occurrence was shown.")


class ShownInput(ActingInput):
    """What a session was shown."""

    items: Annotated[list[Occurrence], Field(min_length=1, max_length=MOST_SHOWN)] = Field(
        description="The occurrences that were printed."
    )


class ShownOutput(Output):
    """How many receipts say so now; occurrences that went by meanwhile are left out."""

    noted: int


def show(unit: Unit, given: BriefingInput) -> BriefingOutput:
    """What waits for the caller. Marks nothing; answers a guess with the count alone."""
    return brief(unit, given, waiting_here(unit))


def waiting_here(unit: Unit) -> Waiting:
    """What is due and unread for the caller."""
    reader = unit.reader()
    return waiting_for(unit.tx, reader, certain_sources=[source.value for source in CERTAIN])


def brief(unit: Unit, given: BriefingInput, waiting: Waiting) -> BriefingOutput:
    """What of it may be told, at the boundary that was given."""
    scope = unit.scope
    project = scope.project
    reader = unit.reader()
    sure = project is not None and not scope.source.guessed
    block = _block(unit, waiting, project, given.boundary) if project is not None and sure else NOTHING
    counted = waiting.only_counted if sure else waiting.unread
    say = mail_notice_repeated if given.told == counted else mail_notice
    return BriefingOutput(
        pending_message_count=waiting.unread if reader.mailboxes else None,
        scope=resolved(scope),
        scope_source=scope.source.value,
        hint=scope_hint(unit),
        notice=say(counted, project.label if project else None) or None,
        inbox_block=block.text or None,
        shown=[ShownRecord(message_id=message_id, occurrence=occurrence) for message_id, occurrence in block.shown],
        left_out=block.left_out,
        only_counted=counted,
        session=scope.session,
        session_known=scope.session_known,
        security_notice=SECURITY_NOTICE if block.shown else None,
    )


def begin(unit: Unit, given: BeginInput) -> BriefingOutput:
    """The same, after the session was made known where the call may do so, and what it continues was noted. Refuses
    `scope_guessed`, `session_required` and `not_found` where it should note a continuation and cannot."""
    if given.session_continue is not None:
        continues = parse_session_id(given.session_continue, field="session_continue")
        own = unit.own_project()
        session = find_session(unit.tx, unit.acting_session())
        assert session is not None
        if continues == session.id:
            raise InvalidInput(
                "session_continue names the session itself. Nothing was changed.", hint="Name an earlier session."
            )
        continue_session(unit.tx, session, own, continues, actor=unit.actor)
    return show(unit, given)


def shown(unit: Unit, given: ShownInput) -> ShownOutput:
    """Notes that the acting session was shown these occurrences, so that they are not shown to it in full again. Not read, not
    acked. Refuses `scope_guessed`, `session_required`, `not_recipient`; harmless to repeat."""
    return ShownOutput(noted=note_shown(unit, given.items))


def note_shown(unit: Unit, items: Sequence[Occurrence]) -> int:
    """How many of these occurrences the acting session was noted to have been shown. Refuses as `shown` does."""
    session = unit.acting_session()
    reader = unit.reader()
    noted = 0
    for item in items:
        message = find_message(unit.tx, parse_id(item.message_id, field="message_id"))
        if message is None or not unit.sees(message) or message.occurrence != item.occurrence:
            continue  # it was redacted, may not be known, or came due again while the hook printed: the new occurrence is news
        check_recipient(message, reader)
        mark_shown(unit.tx, message, session)
        noted += 1
    return noted


def _block(unit: Unit, waiting: Waiting, project: Project, boundary: str) -> InboxBlock:
    at_start = boundary == "session_start"
    full = [*waiting.shown_before, *waiting.new] if at_start else list(waiting.new)
    listed = waiting.shown_before if boundary == "prompt" else ()
    if not full and not listed:
        return NOTHING
    taken = len(waiting.new) + len(waiting.shown_before)
    return inbox_block(
        [_item(message, project) for message in sorted(full, key=lambda one: (one.due_at, one.created_at, one.id))],
        listed=[_item(message, project) for message in listed],
        uncounted=waiting.own - taken + (len(waiting.shown_before) if boundary == "after_tool" else 0),
        now=unit.now,
    )


def _item(message: Message, project: Project) -> BlockItem:
    session = f"#{message.sender.session}" if message.sender.session else ""
    return BlockItem(
        message_id=message.id,
        occurrence=message.occurrence,
        sender=f"{project.label}{session}",
        due_at=message.due_at,
        actionable=message.actionable,
        reminder=message.reminder,
        subject=message.subject,
        body=message.body,
    )


BRIEFING_OPERATIONS = (
    Operation(
        name="briefing.show",
        summary="Say what waits for a session: the count, a notice, and the text of what its own project wrote. Marks nothing.",
        input=BriefingInput,
        output=BriefingOutput,
        run=show,
        writes=False,
    ),
    Operation(
        name="briefing.begin",
        summary="The same for a session that begins, noting which earlier session it continues.",
        input=BeginInput,
        output=BriefingOutput,
        run=begin,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="briefing.shown",
        summary="Note that a session was shown occurrences of messages. Not read, not acked.",
        input=ShownInput,
        output=ShownOutput,
        run=shown,
        writes=True,
        idempotent=True,
    ),
)
