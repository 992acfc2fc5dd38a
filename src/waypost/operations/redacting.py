"""redact: the operator takes a message's words away, wherever Waypost keeps them; what happened, when and by whom stays.

Words stand in the message, in its earlier versions, in the question that it asked or whose answer's comment it carried, and in
answers that are kept for idempotency keys. Copies that left the store (backups, exports, what somebody was shown) are out of reach.
"""

from __future__ import annotations

from pydantic import Field

from waypost.kernel.time import format_instant
from waypost.mail.decision_store import hold_decision, save_redacted
from waypost.mail.models import Message
from waypost.mail.redaction import answered_by, blank_comment, redact, redact_question
from waypost.mail.store import answers_to, change, redact_texts
from waypost.operations.call import Rights
from waypost.operations.inputs import ActingInput
from waypost.operations.kept_words import blank_kept_comments, blank_kept_words
from waypost.operations.registry import Operation, Unit
from waypost.operations.taking import ChangeOutput

__all__ = ["REDACT", "RedactInput", "RedactOutput"]

MOST_REPLIES = 50


class RedactInput(ActingInput):
    """One message whose words go."""

    message_id: str = Field(description="The message's id.")


class RedactOutput(ChangeOutput):
    """When its words went; `repeated` says that this was so already. `replies` are the messages that answer it, at most 50: they may
    repeat its words and are redacted by themselves."""

    redacted_at: str
    repeated: bool
    replies: list[str]


def redact_message(unit: Unit, given: RedactInput) -> RedactOutput:
    """Blanks the words of a message and of all that repeats them here. Harmless to repeat. Refuses `message_not_found`, and
    `forbidden` for whoever is not the operator."""
    message = unit.message(given.message_id, held=True)  # before the first `now`
    blank = redact(message, now=unit.now)
    if blank is not message:
        change(unit.tx, message, blank, kind="message.redacted", actor=unit.actor)
        redact_texts(unit.tx, blank)
        _redact_decisions(unit, message)
        blank_kept_words(unit.tx, message.id, redacted_at=format_instant(unit.now))
    assert blank.redacted_at is not None
    return RedactOutput(
        message_id=blank.id,
        status=blank.status.value,
        occurrence=blank.occurrence,
        version=blank.version,
        redacted_at=format_instant(blank.redacted_at),
        repeated=blank is message,
        replies=answers_to(unit.tx, message, limit=MOST_REPLIES),
    )


def _redact_decisions(unit: Unit, message: Message) -> None:
    """The question that a message asked, and the comment of the answer that it was."""
    asked = hold_decision(unit.tx, message.id)
    if asked is not None:
        save_redacted(unit.tx, asked, redact_question(asked, now=unit.now), actor=unit.actor)
    question_id = answered_by(message)
    answered = hold_decision(unit.tx, question_id) if question_id is not None else None
    if answered is None or answered.answer is None or answered.answer.message_id != message.id:
        return
    silent = blank_comment(answered)
    if silent is not answered:
        save_redacted(unit.tx, answered, silent, actor=unit.actor)
    blank_kept_comments(unit.tx, answered.id)


REDACT = Operation(
    name="message.redact",
    summary="Blank the words of a message in every version, as the operator. Ids, times and actors stay. Cannot be taken back.",
    input=RedactInput,
    output=RedactOutput,
    run=redact_message,
    writes=True,
    needs=Rights.OPERATOR,
    idempotent=True,
    destructive=True,
)
