"""send and reply: a message stored durably in a mailbox, or the first answer to the same send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from waypost.identity.models import Project
from waypost.identity.session_store import count_sessions, find_session
from waypost.identity.store import StoredDirectory, lock_mailbox, near_names, user_named
from waypost.kernel.addresses import Address, parse_name, parse_session_id
from waypost.kernel.errors import InvalidInput
from waypost.kernel.ids import new_id, parse_id
from waypost.kernel.time import DAY, MINUTE, format_instant
from waypost.mail.boxes import count_replies, count_scheduled, count_sends, count_untouched, equal_send
from waypost.mail.errors import InboxFull, LoopGuard, MessageNotFound, NotRecipient, SendRateLimited, UnknownRecipient
from waypost.mail.models import Delivery, Message, Sender, Status
from waypost.mail.rules import check_recipient, content_digest, is_repeat, plan_timing
from waypost.mail.store import find_message, insert
from waypost.operations.inputs import ActingInput, Input, Output, Text
from waypost.operations.records import AddressRecord
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import named_project

__all__ = ["REPLY", "SEND", "ReplyInput", "SendInput", "SendOutput"]

ACTIVE_FOR = DAY
"""A session counts as one that can be told while it spoke within a day."""


class Content(Input):
    """What both send and reply carry."""

    subject: Annotated[str, Text(limit="subject", single_line=True)] = Field(
        "", description="One line, at most 200 characters."
    )
    body: Annotated[str, Text(limit="body", minimum=1)] = Field(
        description="A complete request, 1 to 8,000 characters; the reader knows nothing of your project."
    )
    actionable: bool = Field(False, description="Whether it asks for work; a due time makes it so.")
    delivery: Literal["next_activity", "wake"] = Field(
        "next_activity", description="wake also asks an attached receiver for a turn."
    )
    due_at: str | None = Field(None, description="ISO 8601 time with offset, from when the message may be read.")
    delay_seconds: int | None = Field(None, description="Instead of due_at: seconds from now.")
    expires_at: str | None = Field(None, description="ISO 8601 time after which nobody needs it.")
    repeat: bool = Field(False, description="Send although an equal message was sent just now.")
    truncate: bool = Field(False, description="Cut over-long text with a visible mark instead of refusing.")
    repair: bool = Field(False, description="Store invalid characters repaired instead of refusing.")


class SendInput(Content, ActingInput):
    """A message to a project, a session or a user; without a destination, to the own project."""

    to_workspace: str | None = Field(None, description="Recipient's workspace, where to_project is a bare name.")
    to_project: str | None = Field(None, description="Recipient project: a name, or workspace/project.")
    to_session: str | None = Field(None, description="One session there and those that continue it.")
    to_user: str | None = Field(None, description="A person's sessions, instead of a project.")
    from_workspace: str | None = Field(None, description="The own workspace, where from_project is a bare name.")
    from_project: str | None = Field(None, description="The own project, by the name that the server knows.")
    reply_to: str | None = Field(None, description="The id of the message that this answers.")
    about: str | None = Field(None, description="The session that this annotates.")
    about_turn: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = Field(None, description="The turn there.")


class ReplyInput(Content, ActingInput):
    """An answer to a received message, to the sender's project."""

    message_id: str = Field(description="The id of the message that is answered.")
    to_sender_session: bool = Field(False, description="Address the sender's session instead of its whole project.")


class Reach(Output):
    """Who can be told: sessions that spoke within a day, and how they learn of it."""

    sessions: int
    how: str
    session_known: bool | None


class SendOutput(Output):
    """Confirms durable storage, never that anybody read it."""

    message_id: str
    status: Literal["open", "done", "cancelled", "expired"]
    version: int
    to: AddressRecord
    due_at: str
    thread: str
    actionable: bool
    scrubbed: int
    truncated: bool
    original_length: int | None
    already_sent: bool
    reach: Reach


@dataclass(frozen=True, kw_only=True, slots=True)
class Destination:
    """A mailbox that exists, its name, and perhaps one session there."""

    mailbox_id: str
    workspace: str
    address: Address


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A message about to be written: its content, where it comes from and goes to, and what it answers or annotates."""

    given: SendInput | ReplyInput
    own: Project
    destination: Destination
    answered: Message | None
    about: str | None
    about_turn: int | None = None


def send(unit: Unit, given: SendInput) -> SendOutput:
    """Stores a message. Refuses `scope_guessed`, `unknown_recipient`, `inbox_full`, `rate_limited`, `loop_guard`."""
    own = unit.own_project()
    destination = _destination(unit, given, own)
    answered = None
    if given.reply_to is not None:
        answered = find_message(unit.tx, parse_id(given.reply_to, field="reply_to"))
        if answered is None or not _takes_part(unit, answered, own):
            raise MessageNotFound("reply_to names no message of this project's inbox or outbox. Nothing was sent.")
    about, turn = _about(given)
    draft = Draft(given=given, own=own, destination=destination, answered=answered, about=about, about_turn=turn)
    return _store(unit, draft)


def reply(unit: Unit, given: ReplyInput) -> SendOutput:
    """Answers a message, which may be read or popped already. Refuses `message_not_found`, `not_recipient` and what send does."""
    own = unit.own_project()
    message = unit.message(given.message_id)
    check_recipient(message, unit.reader())
    project = StoredDirectory(unit.tx).project_by_id(message.sender.project_id)
    if project is None:
        raise UnknownRecipient("The sender's project is gone. Nothing was sent.")
    session = message.sender.session if given.to_sender_session else None
    if given.to_sender_session and session is None:
        raise NotRecipient(
            "The sender named no session. Nothing was sent.", hint="Reply without to_sender_session, to its project."
        )
    destination = Destination(
        mailbox_id=project.id,
        workspace=project.workspace,
        address=Address(project=project.label, session=session),
    )
    return _store(unit, Draft(given=given, own=own, destination=destination, answered=message, about=session))


def _destination(unit: Unit, given: SendInput, own: Project) -> Destination:
    session = parse_session_id(given.to_session, field="to_session") if given.to_session is not None else None
    name = named_project(given.to_workspace, given.to_project, prefix="to_")
    if given.to_user is not None:
        if name is not None:
            raise InvalidInput("to_user and to_project exclude each other.", hint="Pass one of them.")
        user_name = parse_name(given.to_user.removeprefix("~"), field="to_user")
        user = user_named(unit.tx, user_name)
        if user is None:
            raise UnknownRecipient(f"There is no user '~{user_name}'. Nothing was sent.")
        return Destination(
            mailbox_id=user.id, workspace=own.workspace, address=Address(user=user.name, session=session)
        )
    if name is None:
        project: Project | None = own
    else:
        project = StoredDirectory(unit.tx).project_named(name)
    if project is None:
        near = near_names(unit.tx, name) if name else []
        hint = f"Did you mean {' or '.join(near)}?" if near else "See `waypost project list` for the names that exist."
        raise UnknownRecipient(f"There is no project '{name}'. Nothing was sent.", hint=hint)
    return Destination(
        mailbox_id=project.id,
        workspace=project.workspace,
        address=Address(project=project.label, session=session),
    )


def _takes_part(unit: Unit, message: Message, own: Project) -> bool:
    return own.id == message.sender.project_id or message.mailbox_id in unit.reader().mailboxes


def _about(given: SendInput) -> tuple[str | None, int | None]:
    """`about` defaults to the recipient session: mail to a session annotates it."""
    about = given.about if given.about is not None else given.to_session
    if about is None and given.about_turn is not None:
        raise InvalidInput("about_turn came without about or to_session.", hint="Pass the session too.")
    return (parse_session_id(about, field="about") if about is not None else None), given.about_turn


def _store(unit: Unit, draft: Draft) -> SendOutput:
    lock_mailbox(unit.tx, draft.destination.mailbox_id)  # before the first `now`
    message = _compose(unit, draft)
    destination = draft.destination
    if not draft.given.repeat:
        earlier = equal_send(unit.tx, message.digest, since=unit.now - unit.limits.repeat_window)
        if earlier is not None and is_repeat(earlier, now=unit.now, limits=unit.limits):
            return _answer(unit, earlier, destination, already_sent=True)
    unit.introduce()
    _check_rates(unit, message)
    _check_room(unit, message, destination.address)
    insert(unit.tx, message, actor=unit.actor)
    return _answer(unit, message, destination, already_sent=False)


def _compose(unit: Unit, draft: Draft) -> Message:
    given, destination, answered = draft.given, draft.destination, draft.answered
    timing = plan_timing(
        due_at=given.due_at, delay_seconds=given.delay_seconds, expires_at=given.expires_at, now=unit.now
    )
    sender = Sender(
        project_id=draft.own.id,
        session=unit.scope.session,
        client=unit.caller.client,
        user=unit.caller.user,
        door=unit.caller.door,
        source=unit.scope.source.value,
    )
    message_id = new_id()
    return Message(
        id=message_id,
        workspace=destination.workspace,
        mailbox_id=destination.mailbox_id,
        to_session=destination.address.session,
        sender=sender,
        subject=given.subject,
        body=given.body,
        actionable=given.actionable or timing.reminder,
        reminder=timing.reminder,
        delivery=Delivery(given.delivery),
        created_at=unit.now,
        due_at=timing.due_at,
        expires_at=timing.expires_at,
        occurrence=1,
        status=Status.OPEN,
        version=1,
        lease=None,
        generation=0,
        wake_owner=None,
        wake_until=None,
        wake_accepted=False,
        outcome=None,
        closed_at=None,
        closed_by_session=None,
        closed_by_project=None,
        reply_to=answered.id if answered else None,
        thread=answered.thread if answered else message_id,
        about_session=draft.about,
        about_turn=draft.about_turn,
        first_read_at=None,
        digest=content_digest(sender, destination.mailbox_id, _sameness(draft)),
    )


def _sameness(draft: Draft) -> dict[str, str | int | bool | None]:
    """All content and timing fields as given, which make two sends the same one."""
    return {
        "subject": draft.given.subject,
        "body": draft.given.body,
        "actionable": draft.given.actionable,
        "delivery": draft.given.delivery,
        "due_at": draft.given.due_at,
        "delay_seconds": draft.given.delay_seconds,
        "expires_at": draft.given.expires_at,
        "to_session": draft.destination.address.session,
        "reply_to": draft.answered.id if draft.answered else None,
        "about": draft.about,
        "about_turn": draft.about_turn,
    }


def _check_rates(unit: Unit, message: Message) -> None:
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


def _check_room(unit: Unit, message: Message, address: Address) -> None:
    """The recipient's bounds, exact because the mailbox's row is held while they are counted."""
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
        raise InboxFull(
            f"The inbox of '{address}' holds {waiting} {kind} messages, as many as it may. Nothing was sent.",
            hint="Wait until somebody there reads or pops mail, or cancel what is no longer needed.",
        )


def _answer(unit: Unit, message: Message, destination: Destination, *, already_sent: bool) -> SendOutput:
    address = destination.address
    truncated = unit.text.truncated
    return SendOutput(
        message_id=message.id,
        status=message.status_at(unit.now).value,
        version=message.version,
        to=AddressRecord(
            workspace=address.project.workspace if address.project else None,
            project=address.project.project if address.project else None,
            user=address.user,
            session=address.session,
        ),
        due_at=format_instant(message.due_at),
        thread=message.thread,
        actionable=message.actionable,
        scrubbed=unit.text.scrubbed,
        truncated=bool(truncated),
        original_length=truncated.get("body", truncated.get("subject")),
        already_sent=already_sent,
        reach=_reach(unit, message),
    )


def _reach(unit: Unit, message: Message) -> Reach:
    known = None if message.to_session is None else find_session(unit.tx, message.to_session) is not None
    sessions = count_sessions(unit.tx, message.mailbox_id, since=unit.now - ACTIVE_FOR)
    how = "when they ask for it" if sessions or known else "when a session starts there and asks for it"
    return Reach(sessions=sessions, how=how, session_known=known)


SEND = Operation(
    name="message.send",
    summary="Leave a message for another project, a session, a user, or the own project. Confirms storage, not reading.",
    input=SendInput,
    output=SendOutput,
    run=send,
    writes=True,
    sender=True,
)
REPLY = Operation(
    name="message.reply",
    summary="Answer a received message; the answer goes to the sender's project.",
    input=ReplyInput,
    output=SendOutput,
    run=reply,
    writes=True,
)
