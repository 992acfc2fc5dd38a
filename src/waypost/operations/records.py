"""How a message looks at every door: the record of contracts/mail.md, with names for ids and foreign text in frames.

The one place that decides whether text is foreign to the reader. Text is the reader's own only where sender and reader are the
same project and the sender's project came from the door, not from the caller's words. An outcome is nobody's own: whoever closed
the message wrote it, and that may be another project than the one that sent it, so it always stands in a frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from pydantic import Field

from waypost.identity.access import Right
from waypost.identity.models import MailboxName, ScopeSource
from waypost.kernel.text import SECURITY_NOTICE, frame, frame_line
from waypost.kernel.time import SECOND, format_instant, format_maybe
from waypost.mail.decision_models import Decision
from waypost.mail.models import Lease, Message, Receipt, Sender, Status, Wake
from waypost.mail.redaction import OWN_WORDS
from waypost.mail.store import ask_receipts
from waypost.operations.inputs import Output
from waypost.operations.registry import Unit

__all__ = [
    "UNREADABLE_NAME",
    "AddressRecord",
    "LeaseRecord",
    "MessageRecord",
    "SenderRecord",
    "address_record",
    "framed_outcome",
    "holds_foreign_text",
    "is_foreign",
    "lease_record",
    "notice_for",
    "present",
    "present_all",
    "sender_record",
]

UNREADABLE_NAME = "a project you cannot read"
UNREADABLE_SESSION = "a session you cannot read"


class Sent(Protocol):
    """What somebody sent."""

    @property
    def sender(self) -> Sender:
        """Who sent it."""
        ...


class AddressRecord(Output):
    """Where a message goes."""

    workspace: str | None
    project: str | None
    user: str | None
    session: str | None


class ViaRecord(Output):
    """Through which door a message came, and how its sender's project was found."""

    door: str
    scope_source: str


class SenderRecord(Output):
    """Who sent it. `user` only from a credential; `declared` names the fields that are only the caller's word."""

    workspace: str | None
    project: str | None
    session: str | None
    client: str | None
    user: str | None
    declared: list[str]
    via: ViaRecord


class LeaseRecord(Output):
    """Who holds the message, until when, and the generation that only rises."""

    holder: str
    until: str
    generation: int


class WakeRecord(Output):
    """The receiver that was given the wake, until when (or when it accepted), and whether it started a turn; that reads nothing."""

    owner: str
    until: str
    accepted: bool


class AboutRecord(Output):
    """The session, and perhaps turn, that a message annotates."""

    session: str
    turn: int | None


class ReceiptRecord(Output):
    """What one session knows of one occurrence. None of the three times implies the next."""

    session: str
    occurrence: int
    notified_at: str | None
    returned_at: str | None
    acked_at: str | None


class MessageRecord(Output):
    """One message. Where `foreign` is true, subject and body stand in frames; an outcome that somebody wrote always does.
    `late_seconds` says how long ago an open reminder came due; `receipts` are those of this occurrence. Of a redacted one the words are
    gone, in every version."""

    format: int
    id: str
    to: AddressRecord
    from_: SenderRecord = Field(alias="from")
    foreign: bool
    subject: str
    body: str
    actionable: bool
    delivery: Literal["next_activity", "wake"]
    created_at: str
    due_at: str
    expires_at: str | None
    occurrence: int
    status: Literal["open", "done", "cancelled", "expired"]
    version: int
    lease: LeaseRecord | None
    wake: WakeRecord | None
    late_seconds: int | None
    outcome: str | None
    reply_to: str | None
    thread: str
    about: AboutRecord | None
    context: None = None
    redacted_at: str | None
    receipts: list[ReceiptRecord]


def is_foreign(message: Sent, reader_project: str | None) -> bool:
    """Whether a message's text was written elsewhere than in the reader's project, as far as the door can vouch for it. Where it was
    redacted there is no text."""
    if isinstance(message, Message | Decision) and message.redacted_at is not None:
        return False
    own = message.sender.project_id == reader_project
    return not (own and ScopeSource(message.sender.source).certain)


def framed_outcome(outcome: str | None) -> str | None:
    """An outcome as it is shown: Waypost's own words as they are, everybody else's in a frame."""
    return frame(outcome, origin="outcome").text if outcome and outcome not in OWN_WORDS else outcome


def holds_foreign_text(message: Message, reader_project: str | None) -> bool:
    """Whether any of the message's texts stands in a frame."""
    return is_foreign(message, reader_project) or framed_outcome(message.outcome) != message.outcome


def notice_for(messages: Sequence[Message], reader_project: str | None) -> str | None:
    """The security notice where any of the messages' text is foreign."""
    return SECURITY_NOTICE if any(holds_foreign_text(message, reader_project) for message in messages) else None


def present(unit: Unit, message: Message, *, reader_project: str | None) -> MessageRecord:
    """One message as a record."""
    return present_all(unit, [message], reader_project=reader_project)[0]


def present_all(unit: Unit, messages: Sequence[Message], *, reader_project: str | None) -> list[MessageRecord]:
    """Messages as records, with one look for all names and one for all receipts. A mailbox that the caller may not know, and a
    sender whose project it may not read, are said to be one and not named; nor is the session there."""
    asked = ask_receipts(unit.tx, messages)  # travels with the question for the names
    names, receipts = unit.names(_mentioned(messages)), asked()
    return [
        _record(
            message,
            Names(
                recipient=names.get(message.mailbox_id),
                sender=names.get(message.sender.project_id),
                may_read_sender=unit.may(Right.READ, message.sender.project_id),
                may_read_recipient=unit.may(Right.READ, message.mailbox_id),
            ),
            receipts[message.id],
            unit.now,
            foreign=is_foreign(message, reader_project),
        )
        for message in messages
    ]


class Names(NamedTuple):
    """What of a message's two ends the caller may be told."""

    recipient: MailboxName | None
    sender: MailboxName | None
    may_read_sender: bool
    may_read_recipient: bool


def _mentioned(messages: Iterable[Message]) -> Iterable[str]:
    for message in messages:
        yield message.mailbox_id
        yield message.sender.project_id


def _record(message: Message, names: Names, receipts: Sequence[Receipt], now: int, *, foreign: bool) -> MessageRecord:
    lease = message.lease_at(now)
    about, wake = message.about_session, message.wake
    return MessageRecord(
        format=message.format,
        id=message.id,
        to=address_record(names.recipient, message.to_session),
        from_=sender_record(message.sender, names.sender if names.may_read_sender else None),
        foreign=foreign,
        subject=frame_line(message.subject) if foreign and message.subject else message.subject,
        body=frame(message.body, origin="message body").text if foreign else message.body,
        actionable=message.actionable,
        delivery=message.delivery.value,
        created_at=format_instant(message.created_at),
        due_at=format_instant(message.due_at),
        expires_at=format_maybe(message.expires_at),
        occurrence=message.occurrence,
        status=message.status_at(now).value,
        version=message.version,
        lease=_shown_lease(message, lease, names) if lease else None,
        wake=_shown_wake(wake, names) if wake else None,
        late_seconds=_late(message, now),
        outcome=framed_outcome(message.outcome),
        reply_to=message.reply_to,
        thread=message.thread,
        about=AboutRecord(session=about, turn=message.about_turn)
        if about is not None and names.may_read_recipient
        else None,
        redacted_at=format_maybe(message.redacted_at),
        receipts=[
            _receipt(receipt)
            for receipt in receipts
            if receipt.occurrence == message.occurrence and names.may_read_recipient
        ],
    )


def address_record(name: MailboxName | None, session: str | None) -> AddressRecord:
    """A recipient by name; a mailbox that the caller may not see is said to be one, and nothing is told of a session there."""
    if name is None:
        return AddressRecord(workspace=None, project=UNREADABLE_NAME, user=None, session=None)
    if name.kind == "user":
        return AddressRecord(workspace=None, project=None, user=name.name, session=session)
    return AddressRecord(workspace=name.workspace, project=name.name, user=None, session=session)


def lease_record(message: Message, lease: Lease) -> LeaseRecord:
    """A lease as everybody may see it, without its token."""
    return LeaseRecord(holder=lease.holder, until=format_instant(lease.until), generation=message.generation)


def _shown_lease(message: Message, lease: Lease, names: Names) -> LeaseRecord:
    """The lease, whose holder is named to who reads the mailbox that he works in."""
    shown = lease_record(message, lease)
    return shown if names.may_read_recipient else shown.model_copy(update={"holder": UNREADABLE_SESSION})


def _shown_wake(wake: Wake, names: Names) -> WakeRecord:
    """The wake, whose receiver is named to who reads the mailbox that it works in."""
    owner = wake.owner if names.may_read_recipient else UNREADABLE_SESSION
    return WakeRecord(owner=owner, until=format_instant(wake.until), accepted=wake.accepted)


def _late(message: Message, now: int) -> int | None:
    """How many seconds ago an open reminder came due, for whoever was not there at its time, the server included."""
    if not message.reminder or message.status_at(now) is not Status.OPEN or message.due_at > now:
        return None
    return (now - message.due_at) // SECOND


def sender_record(sender: Sender, name: MailboxName | None) -> SenderRecord:
    """A sender by name; a project that the caller may not see is said to be one."""
    certain = ScopeSource(sender.source).certain
    session = sender.session if name is not None else None
    claimed = {"client": sender.client, "session": session if sender.source != "session" else None}
    return SenderRecord(
        workspace=name.workspace if name else None,
        project=name.name if name else UNREADABLE_NAME,
        session=session,
        client=sender.client,
        user=sender.user,
        declared=[
            *([] if certain else ["project"]),
            *(field for field, value in claimed.items() if value is not None),
        ],
        via=ViaRecord(door=sender.door, scope_source=sender.source),
    )


def _receipt(receipt: Receipt) -> ReceiptRecord:
    return ReceiptRecord(
        session=receipt.session,
        occurrence=receipt.occurrence,
        notified_at=format_maybe(receipt.notified_at),
        returned_at=format_maybe(receipt.returned_at),
        acked_at=format_maybe(receipt.acked_at),
    )
