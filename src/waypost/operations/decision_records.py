"""How a decision looks at every door: names for ids, foreign text in frames, who may answer and who did.

A comment is nobody's own: whoever answered wrote it, so it always stands in a frame. Option ids are plain by their alphabet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import Field

from waypost.identity.models import MailboxName
from waypost.identity.store import mailbox_names
from waypost.kernel.text import SECURITY_NOTICE, frame, frame_line
from waypost.kernel.time import format_instant, format_maybe
from waypost.mail.decision_models import Answer, Decision, Option
from waypost.mail.models import Sender
from waypost.operations.inputs import Output
from waypost.operations.records import (
    UNREADABLE_NAME,
    AddressRecord,
    SenderRecord,
    address_record,
    is_foreign,
    sender_record,
)
from waypost.operations.registry import Unit

__all__ = [
    "AnswerRecord",
    "DecisionRecord",
    "decision_notice",
    "decision_size",
    "name_of_answerer",
    "present_decision",
    "present_decisions",
    "visible_names",
]


class OptionRecord(Output):
    """One option. Where the decision is `foreign`, label and description stand in frames."""

    id: str
    label: str
    description: str
    recommended: bool


class AnswerRecord(Output):
    """The accepted answer. `comment` stands in a frame; `message_id` is the reply in the asker's inbox."""

    option: str
    comment: str
    at: str
    by: SenderRecord
    message_id: str


class DecisionRecord(Output):
    """One question to a person. Where `foreign` is true, its texts and links stand in frames."""

    id: str
    to: AddressRecord
    from_: SenderRecord = Field(alias="from")
    foreign: bool
    question: str
    options: list[OptionRecord]
    requires_root: bool
    details: str
    links: list[str]
    asked_at: str
    expires_at: str | None
    state: Literal["open", "answered", "cancelled", "expired"]
    version: int
    closed_at: str | None
    redacted_at: str | None
    answer: AnswerRecord | None


def visible_names(unit: Unit, ids: Iterable[str]) -> dict[str, MailboxName]:
    """The names of the mailboxes that the caller may read; the others are left out."""
    readable = unit.readable
    return mailbox_names(unit.tx, (one for one in ids if readable is None or one in readable))


def present_decision(unit: Unit, decision: Decision) -> DecisionRecord:
    """One decision as a record, for the caller's project."""
    return present_decisions(unit, [decision])[0]


def present_decisions(unit: Unit, decisions: Sequence[Decision]) -> list[DecisionRecord]:
    """Decisions as records, with one look for all names."""
    names = visible_names(unit, _mentioned(decisions))
    return [_record(decision, names, unit.now, foreign=is_foreign(decision, _own(unit))) for decision in decisions]


def decision_notice(unit: Unit, decisions: Sequence[Decision]) -> str | None:
    """The security notice where any of the decisions' text stands in a frame."""
    own = _own(unit)
    framed = any(is_foreign(one, own) or (one.answer is not None and one.answer.comment) for one in decisions)
    return SECURITY_NOTICE if framed else None


def decision_size(decision: Decision) -> int:
    """How many characters of text a decision holds."""
    question = decision.question
    texts = [question.question, question.details, *question.links, decision.answer.comment if decision.answer else ""]
    return sum(map(len, texts)) + sum(len(option.label) + len(option.description) for option in question.options)


def name_of_answerer(unit: Unit, answer: Answer) -> str:
    """Who answered, in words that carry a name only where the caller may read that project; a person is named by his credential."""
    by = answer.by
    if by.user is not None:
        return f"~{by.user}"
    name = visible_names(unit, [by.project_id]).get(by.project_id)
    if name is None:
        return UNREADABLE_NAME
    return f"a session of {name.workspace}/{name.name}"


def _own(unit: Unit) -> str | None:
    return unit.scope.project.id if unit.scope.project else None


def _mentioned(decisions: Iterable[Decision]) -> Iterable[str]:
    for decision in decisions:
        yield decision.mailbox_id
        yield decision.sender.project_id
        if decision.answer is not None:
            yield decision.answer.by.project_id


def _record(decision: Decision, names: Mapping[str, MailboxName], now: int, *, foreign: bool) -> DecisionRecord:
    question = decision.question

    def line(text: str) -> str:
        return frame_line(text) if foreign and text else text

    return DecisionRecord(
        id=decision.id,
        to=address_record(names.get(decision.mailbox_id), decision.to_session),
        from_=_party(decision.sender, names),
        foreign=foreign,
        question=line(question.question),
        options=[_option(option, foreign=foreign) for option in question.options],
        requires_root=question.requires_root,
        details=frame(question.details, origin="details").text if foreign and question.details else question.details,
        links=[line(link) for link in question.links],
        asked_at=format_instant(decision.asked_at),
        expires_at=format_maybe(decision.expires_at),
        state=decision.state_at(now).value,
        version=decision.version,
        closed_at=format_maybe(decision.closed_at),
        redacted_at=format_maybe(decision.redacted_at),
        answer=_answer(decision.answer, names) if decision.answer else None,
    )


def _option(option: Option, *, foreign: bool) -> OptionRecord:
    description = option.description
    return OptionRecord(
        id=option.id,
        label=frame_line(option.label) if foreign else option.label,
        description=frame(description, origin="description").text if foreign and description else description,
        recommended=option.recommended,
    )


def _answer(answer: Answer, names: Mapping[str, MailboxName]) -> AnswerRecord:
    return AnswerRecord(
        option=answer.option,
        comment=frame(answer.comment, origin="comment").text if answer.comment else "",
        at=format_instant(answer.at),
        by=_party(answer.by, names),
        message_id=answer.message_id,
    )


def _party(sender: Sender, names: Mapping[str, MailboxName]) -> SenderRecord:
    return sender_record(sender, names.get(sender.project_id))
