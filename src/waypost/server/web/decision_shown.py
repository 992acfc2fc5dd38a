"""What a page shows of a question: plain values for the templates, with foreign text out of its frame and made visible.

The templates escape; nothing here is markup. A link is one only where its address is of the web; it is shown and never fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from waypost.kernel.text import unframe, unframe_line, visible
from waypost.server.web.moments import Moment, moment
from waypost.server.web.shown import Party, mailbox_label, sender_of

__all__ = ["Choice", "Link", "Matter", "Said", "decision_path", "matter", "said"]

Record = Mapping[str, Any]
STATES = {"open": "open", "answered": "answered", "cancelled": "withdrawn", "expired": "expired"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One option. `is_chosen` says that it is the accepted answer."""

    id: str
    label: str
    description: str
    recommended: bool
    is_chosen: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """One link as text; `href` is None where it is no address of the web."""

    text: str
    href: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Matter:
    """One question."""

    id: str
    href: str
    question: str
    choices: list[Choice]
    requires_root: bool
    details: str
    links: list[Link]
    asker: Party
    to: str
    asked: Moment
    state: str
    state_word: str
    closed: Moment | None
    chosen: str
    answered_by: Party | None
    comment: str

    @property
    def is_open(self) -> bool:
        """Whether it waits for its answer."""
        return self.state == "open"


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A message that was sent in answer to a question."""

    message_id: str
    sender: Party
    at: Moment
    accepted: bool
    subject: str
    body: str


def decision_path(decision_id: str) -> str:
    """Where a question's page is."""
    return f"/web/decisions/{quote(decision_id, safe='')}"


def matter(record: Record, now: int) -> Matter:
    """A question as `decision.view` and `decision.list` answer it."""
    foreign: bool = record["foreign"]
    answer = record["answer"]
    chosen = answer["option"] if answer else None
    choices = [_choice(option, foreign=foreign, chosen=chosen) for option in record["options"]]
    return Matter(
        id=record["id"],
        href=decision_path(record["id"]),
        question="(redacted)" if record["redacted_at"] else _line(record["question"], foreign=foreign),
        choices=choices,
        requires_root=record["requires_root"],
        details=_text(record["details"], foreign=foreign),
        links=[_link(_line(link, foreign=foreign)) for link in record["links"]],
        asker=sender_of(record["from"]),
        to=mailbox_label(record["to"]),
        asked=moment(record["asked_at"], now),
        state=record["state"],
        state_word=STATES[record["state"]],
        closed=moment(record["closed_at"], now) if record["closed_at"] else None,
        chosen=next((choice.label for choice in choices if choice.is_chosen), ""),
        answered_by=sender_of(answer["by"]) if answer else None,
        comment=unframe(answer["comment"]) if answer and answer["comment"] else "",
    )


def said(record: Record, now: int) -> Said:
    """A reply as `decision.view` answers it."""
    return Said(
        message_id=record["message_id"],
        sender=sender_of(record["from"]),
        at=moment(record["at"], now),
        accepted=record["accepted"],
        subject=_line(record["subject"], foreign=record["foreign"]),
        body=_text(record["body"], foreign=record["foreign"]),
    )


def _choice(option: Record, *, foreign: bool, chosen: str | None) -> Choice:
    return Choice(
        id=option["id"],
        label=_line(option["label"], foreign=foreign),
        description=_text(option["description"], foreign=foreign),
        recommended=option["recommended"],
        is_chosen=option["id"] == chosen,
    )


def _link(text: str) -> Link:
    try:
        parts = urlsplit(text)
    except ValueError:
        return Link(text=text, href=None)
    is_web = parts.scheme in {"http", "https"} and bool(parts.netloc) and len(text.split()) == 1
    return Link(text=text, href=text if is_web else None)


def _line(text: str, *, foreign: bool) -> str:
    return unframe_line(text) if foreign and text else visible(text)


def _text(text: str, *, foreign: bool) -> str:
    return unframe(text) if foreign and text else visible(text)
