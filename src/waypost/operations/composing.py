"""A message before it is stored: what send and reply take, and the record that a draft makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from waypost.identity.models import Project
from waypost.kernel.ids import new_id
from waypost.mail.models import Delivery, Message, Sender, Status
from waypost.mail.rules import content_digest, plan_timing
from waypost.operations.destination import Destination
from waypost.operations.inputs import ActingInput, Input, Text
from waypost.operations.registry import Unit
from waypost.operations.wall_time import read_due

__all__ = ["Draft", "ReplyInput", "SendInput", "compose"]


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
    timezone: str | None = Field(None, description="For a due_at without offset: its zone, like Europe/Berlin.")
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A message about to be written: its content, where it comes from and goes to, and what it answers or annotates."""

    given: SendInput | ReplyInput
    own: Project
    destination: Destination
    answered: Message | None
    about: str | None
    about_turn: int | None = None


def compose(unit: Unit, draft: Draft) -> Message:
    """The message that a draft makes at this instant, not yet stored. Refuses `invalid_input` for times that cannot be."""
    given, destination, answered = draft.given, draft.destination, draft.answered
    due = read_due(given.due_at, given.timezone)
    timing = plan_timing(due_at=due, delay_seconds=given.delay_seconds, expires_at=given.expires_at, now=unit.now)
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
        wake=None,
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
        "timezone": draft.given.timezone,
        "expires_at": draft.given.expires_at,
        "to_session": draft.destination.address.session,
        "reply_to": draft.answered.id if draft.answered else None,
        "about": draft.about,
        "about_turn": draft.about_turn,
    }
