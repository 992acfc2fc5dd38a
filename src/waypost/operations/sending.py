"""send and reply: a message stored durably in a mailbox, or the first answer to the same send."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from waypost.identity.access import Right
from waypost.identity.models import Project
from waypost.identity.session_store import count_sessions
from waypost.identity.store import StoredDirectory, lock_mailbox
from waypost.kernel.addresses import parse_session_id
from waypost.kernel.errors import InvalidInput
from waypost.kernel.ids import parse_id
from waypost.kernel.time import DAY, format_instant
from waypost.mail.boxes import equal_send
from waypost.mail.errors import MessageNotFound, NotRecipient, UnknownRecipient
from waypost.mail.models import Message
from waypost.mail.rules import check_recipient, is_repeat
from waypost.mail.store import find_message, insert
from waypost.operations.bounds import check_rates, check_room
from waypost.operations.composing import Draft, ReplyInput, SendInput, compose
from waypost.operations.convention import Verdict, hold_answered, judge, settle
from waypost.operations.destination import check_still_there, in_project, named_destination
from waypost.operations.inputs import Output
from waypost.operations.records import AddressRecord, address_record
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import named_project
from waypost.operations.wall_time import local_time

__all__ = ["REPLY", "SEND", "Reach", "SendOutput", "reach_of", "store_draft"]

ACTIVE_FOR = DAY
"""A session counts as one that can be told while it spoke within a day."""


class Reach(Output):
    """Who can be told: sessions that spoke within a day, and how they learn of it. Null where the caller may not read there."""

    sessions: int | None
    how: str
    session_known: bool | None


class SendOutput(Output):
    """Confirms durable storage, never that anybody read it. `decision` says what a message of the convention's form became."""

    message_id: str
    status: Literal["open", "done", "cancelled", "expired"]
    version: int
    to: AddressRecord
    due_at: str
    due_local: str | None
    thread: str
    actionable: bool
    scrubbed: int
    truncated: bool
    original_length: int | None
    already_sent: bool
    reach: Reach
    decision: Verdict | None


def send(unit: Unit, given: SendInput) -> SendOutput:
    """Stores a message. Refuses `scope_guessed`, `unknown_recipient`, `inbox_full`, `rate_limited`, `loop_guard`."""
    own = unit.own_project()
    destination = named_destination(
        unit,
        own,
        project=named_project(given.to_workspace, given.to_project, prefix="to_"),
        user=given.to_user,
        session=given.to_session,
    )
    answered = None
    if given.reply_to is not None:
        answered = find_message(unit.tx, parse_id(given.reply_to, field="reply_to"))
        if answered is None or not _takes_part(unit, answered, own):
            raise MessageNotFound("reply_to names no message of this project's inbox or outbox. Nothing was sent.")
    about, turn = _about(given)
    draft = Draft(given=given, own=own, destination=destination, answered=answered, about=about, about_turn=turn)
    return store_draft(unit, draft)


def reply(unit: Unit, given: ReplyInput) -> SendOutput:
    """Answers a message, which may be read or popped already. Who was written to may answer, whether or not he may write to the
    sender otherwise. Refuses `message_not_found`, `not_recipient` and what send does."""
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
    destination = in_project(project, session=session)
    return store_draft(unit, Draft(given=given, own=own, destination=destination, answered=message, about=session))


def _takes_part(unit: Unit, message: Message, own: Project) -> bool:
    return own.id == message.sender.project_id or message.mailbox_id in unit.reader().mailboxes


def _about(given: SendInput) -> tuple[str | None, int | None]:
    """`about` defaults to the recipient session: mail to a session annotates it."""
    about = given.about if given.about is not None else given.to_session
    if about is None and given.about_turn is not None:
        raise InvalidInput("about_turn came without about or to_session.", hint="Pass the session too.")
    return (parse_session_id(about, field="about") if about is not None else None), given.about_turn


def store_draft(unit: Unit, draft: Draft) -> SendOutput:
    """Stores what a draft makes, and what it asks or answers where it is of the convention's form. Refuses what send does."""
    destination = draft.destination
    lock_mailbox(unit.tx, destination.mailbox_id)  # before the first `now`
    check_still_there(unit, destination)
    held = hold_answered(unit, draft.given.subject)  # before the first `now` as well
    if held is not None and draft.answered is None:
        draft = replace(draft, answered=held.message)
    message = compose(unit, draft)
    if not draft.given.repeat:
        earlier = equal_send(unit.tx, message.digest, since=unit.now - unit.limits.repeat_window)
        if earlier is not None and is_repeat(earlier, now=unit.now, limits=unit.limits):
            return _answer(unit, earlier, draft, already_sent=True)
    unit.introduce()
    check_rates(unit, message)
    check_room(unit, message, destination.address)
    judged = judge(unit, message, held)
    insert(unit.tx, judged.message, actor=unit.actor)
    settle(unit, judged)
    return _answer(unit, judged.message, draft, already_sent=False, verdict=judged.verdict)


def _answer(
    unit: Unit, message: Message, draft: Draft, *, already_sent: bool, verdict: Verdict | None = None
) -> SendOutput:
    destination = draft.destination
    truncated = unit.text.truncated
    return SendOutput(
        message_id=message.id,
        status=message.status_at(unit.now).value,
        version=message.version,
        to=address_record(
            unit.names([destination.mailbox_id]).get(destination.mailbox_id), destination.address.session
        ),
        due_at=format_instant(message.due_at),
        due_local=local_time(message.due_at, draft.given.timezone),
        thread=message.thread,
        actionable=message.actionable,
        scrubbed=unit.text.scrubbed,
        truncated=bool(truncated),
        original_length=truncated.get("body", truncated.get("subject")),
        already_sent=already_sent,
        reach=reach_of(unit, message),
        decision=verdict,
    )


def reach_of(unit: Unit, message: Message) -> Reach:
    """Who can be told of a message."""
    if not unit.may(Right.READ, message.mailbox_id):
        return Reach(sessions=None, how="not told, because you may not read there", session_known=None)
    known = None if message.to_session is None else unit.directory.session(message.to_session) is not None
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
