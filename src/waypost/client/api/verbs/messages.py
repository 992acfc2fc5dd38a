"""The verbs on messages. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.listing import Listing
from waypost.operations.leasing import ClaimOutput, FinishOutput, RenewOutput, SnoozeOutput
from waypost.operations.reading import ListOutput, ViewOutput
from waypost.operations.records import MessageRecord
from waypost.operations.redacting import RedactOutput
from waypost.operations.sending import SendOutput
from waypost.operations.taking import CancelOutput, ChangeOutput, PopOutput
from waypost.operations.waiting import WaitOutput

__all__ = ["Messages"]


class Messages:
    """The verbs on messages."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def send(
        self,
        *,
        body: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        subject: str = "",
        actionable: bool = False,
        delivery: Literal["next_activity", "wake"] = "next_activity",
        due_at: str | datetime | None = None,
        delay_seconds: int | None = None,
        timezone: str | None = None,
        expires_at: str | datetime | None = None,
        repeat: bool = False,
        truncate: bool = False,
        repair: bool = False,
        to_workspace: str | None = None,
        to_project: str | None = None,
        to_session: str | None = None,
        to_user: str | None = None,
        from_workspace: str | None = None,
        from_project: str | None = None,
        reply_to: str | None = None,
        about: str | None = None,
        about_turn: int | None = None,
        idempotency_key: str | None = None,
    ) -> SendOutput:
        """Leave a message for another project, a session, a user, or the own project. Confirms storage, not reading.

        body: A complete request, 1 to 8,000 characters; the reader knows nothing of your project.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        subject: One line, at most 200 characters.
        actionable: Whether it asks for work; a due time makes it so.
        delivery: wake also asks an attached receiver for a turn.
        due_at: ISO 8601 time with offset, from when the message may be read.
        delay_seconds: Instead of due_at: seconds from now.
        timezone: For a due_at without offset: its zone, like Europe/Berlin.
        expires_at: ISO 8601 time after which nobody needs it.
        repeat: Send although an equal message was sent just now.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        to_workspace: Recipient's workspace, where to_project is a bare name.
        to_project: Recipient project: a name, or workspace/project.
        to_session: One session there and those that continue it.
        to_user: A person's sessions, instead of a project.
        from_workspace: The own workspace, where from_project is a bare name.
        from_project: The own project, by the name that the server knows.
        reply_to: The id of the message that this answers.
        about: The session that this annotates.
        about_turn: The turn there.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "body": body,
            "workspace": workspace,
            "project": project,
            "session": session,
            "subject": subject,
            "actionable": actionable,
            "delivery": delivery,
            "due_at": due_at,
            "delay_seconds": delay_seconds,
            "timezone": timezone,
            "expires_at": expires_at,
            "repeat": repeat,
            "truncate": truncate,
            "repair": repair,
            "to_workspace": to_workspace,
            "to_project": to_project,
            "to_session": to_session,
            "to_user": to_user,
            "from_workspace": from_workspace,
            "from_project": from_project,
            "reply_to": reply_to,
            "about": about,
            "about_turn": about_turn,
        }
        return self._exchange.write("message.send", SendOutput, fields, idempotency_key)

    def list(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        box: Literal["inbox", "outbox", "both"] = "inbox",
        status: Literal["unread", "open", "scheduled", "closed", "all"] | None = None,
        user: str | None = None,
        thread: str | None = None,
        from_: str | None = None,
        query: str | None = None,
    ) -> Listing[ListOutput, MessageRecord]:
        """List mail of the inbox (default) or the outbox. Reads nothing, marks nothing.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        limit: How many items one page holds at most; iterating goes on through all pages.
        cursor: Begin where the page before ended, instead of at the beginning.
        box: Mail received, mail sent, or both of one thread as it was written.
        status: Default: unread for the inbox, open for the outbox.
        user: A person's inbox instead of the project's.
        thread: Only this thread.
        from_: Only from this project: a name, or workspace/project.
        query: Only where subject or body holds these words.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "limit": limit,
            "cursor": cursor,
            "box": box,
            "status": status,
            "user": user,
            "thread": thread,
            "from": from_,
            "query": query,
        }
        return self._exchange.pages("message.list", ListOutput, fields, lambda page: page.items)

    def view(
        self, message_id: str, *, workspace: str | None = None, project: str | None = None, session: str | None = None
    ) -> ViewOutput:
        """Show one message with its history. Marks nothing.

        message_id: The message's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        """
        fields: Fields = {"message_id": message_id, "workspace": workspace, "project": project, "session": session}
        return self._exchange.read("message.view", ViewOutput, fields)

    def pop(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        message_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> PopOutput:
        """Take the oldest due message, or the one named, off the queue exactly once. If the answer was lost, pop that id again.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        message_id: This message instead of the oldest.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"workspace": workspace, "project": project, "session": session, "message_id": message_id}
        return self._exchange.write("message.pop", PopOutput, fields, idempotency_key)

    def ack(
        self,
        message_id: str,
        *,
        occurrence: int,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> ChangeOutput:
        """Say that the acting session has read this occurrence of a message. Harmless to repeat.

        message_id: The message's id.
        occurrence: The occurrence that was read, as list showed it.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "message_id": message_id,
            "occurrence": occurrence,
            "workspace": workspace,
            "project": project,
            "session": session,
        }
        return self._exchange.write("message.ack", ChangeOutput, fields, idempotency_key)

    def claim(
        self,
        message_id: str,
        *,
        occurrence: int,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> ClaimOutput:
        """Own an actionable message for a time, and get the token that finishes it. The holder gets the same token again.

        message_id: The message's id.
        occurrence: The occurrence to work on, as list showed it.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "message_id": message_id,
            "occurrence": occurrence,
            "workspace": workspace,
            "project": project,
            "session": session,
        }
        return self._exchange.write("message.claim", ClaimOutput, fields, idempotency_key)

    def renew(
        self,
        message_id: str,
        *,
        occurrence: int,
        token: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> RenewOutput:
        """Count the lease of a claimed message anew from now.

        message_id: The message's id.
        occurrence: The occurrence that was claimed.
        token: The token that claim answered.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "message_id": message_id,
            "occurrence": occurrence,
            "token": token,
            "workspace": workspace,
            "project": project,
            "session": session,
        }
        return self._exchange.write("message.renew", RenewOutput, fields, idempotency_key)

    def release(
        self,
        message_id: str,
        *,
        occurrence: int,
        token: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> ChangeOutput:
        """Give a claimed message back; it is unread and claimable at once.

        message_id: The message's id.
        occurrence: The occurrence that was claimed.
        token: The token that claim answered.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "message_id": message_id,
            "occurrence": occurrence,
            "token": token,
            "workspace": workspace,
            "project": project,
            "session": session,
        }
        return self._exchange.write("message.release", ChangeOutput, fields, idempotency_key)

    def complete(
        self,
        message_id: str,
        *,
        occurrence: int,
        token: str,
        outcome: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        truncate: bool = False,
        repair: bool = False,
        idempotency_key: str | None = None,
    ) -> FinishOutput:
        """Finish a claimed message with its outcome. Harmless to repeat with the same token.

        message_id: The message's id.
        occurrence: The occurrence that was claimed.
        token: The token that claim answered.
        outcome: What was found or done, for the record.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "message_id": message_id,
            "occurrence": occurrence,
            "token": token,
            "outcome": outcome,
            "workspace": workspace,
            "project": project,
            "session": session,
            "truncate": truncate,
            "repair": repair,
        }
        return self._exchange.write("message.complete", FinishOutput, fields, idempotency_key)

    def snooze(
        self,
        message_id: str,
        *,
        occurrence: int,
        token: str,
        outcome: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        truncate: bool = False,
        repair: bool = False,
        due_at: str | datetime | None = None,
        delay_seconds: int | None = None,
        timezone: str | None = None,
        idempotency_key: str | None = None,
    ) -> SnoozeOutput:
        """Let a claimed message come due again later, with what was found so far. It keeps its id and history.

        message_id: The message's id.
        occurrence: The occurrence that was claimed.
        token: The token that claim answered.
        outcome: What was found or done, for the record.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        due_at: When it comes due again: ISO 8601 time with offset.
        delay_seconds: Instead of due_at: seconds from now.
        timezone: For a due_at without offset: its zone, like Europe/Berlin.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "message_id": message_id,
            "occurrence": occurrence,
            "token": token,
            "outcome": outcome,
            "workspace": workspace,
            "project": project,
            "session": session,
            "truncate": truncate,
            "repair": repair,
            "due_at": due_at,
            "delay_seconds": delay_seconds,
            "timezone": timezone,
        }
        return self._exchange.write("message.snooze", SnoozeOutput, fields, idempotency_key)

    def cancel(
        self,
        message_id: str,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        occurrence: int | None = None,
        outcome: str | None = None,
        truncate: bool = False,
        repair: bool = False,
        idempotency_key: str | None = None,
    ) -> CancelOutput:
        """Withdraw one message that the own project sent, or an unclaimed one that it received.

        message_id: The message's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        occurrence: Checked where it is given.
        outcome: Why, for the record.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "message_id": message_id,
            "workspace": workspace,
            "project": project,
            "session": session,
            "occurrence": occurrence,
            "outcome": outcome,
            "truncate": truncate,
            "repair": repair,
        }
        return self._exchange.write("message.cancel", CancelOutput, fields, idempotency_key)

    def cancel_all(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        message_id: str | None = None,
        all: bool = False,
        occurrence: int | None = None,
        outcome: str | None = None,
        truncate: bool = False,
        repair: bool = False,
        idempotency_key: str | None = None,
    ) -> CancelOutput:
        """Withdraw one message by id, or with all=true every open message that the own project sent.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        message_id: One message.
        all: Every open message of the own outbox.
        occurrence: Checked where it is given.
        outcome: Why, for the record.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "message_id": message_id,
            "all": all,
            "occurrence": occurrence,
            "outcome": outcome,
            "truncate": truncate,
            "repair": repair,
        }
        return self._exchange.write("message.cancel_all", CancelOutput, fields, idempotency_key)

    def reply(
        self,
        message_id: str,
        *,
        body: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        subject: str = "",
        actionable: bool = False,
        delivery: Literal["next_activity", "wake"] = "next_activity",
        due_at: str | datetime | None = None,
        delay_seconds: int | None = None,
        timezone: str | None = None,
        expires_at: str | datetime | None = None,
        repeat: bool = False,
        truncate: bool = False,
        repair: bool = False,
        to_sender_session: bool = False,
        idempotency_key: str | None = None,
    ) -> SendOutput:
        """Answer a received message; the answer goes to the sender's project.

        message_id: The id of the message that is answered.
        body: A complete request, 1 to 8,000 characters; the reader knows nothing of your project.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        subject: One line, at most 200 characters.
        actionable: Whether it asks for work; a due time makes it so.
        delivery: wake also asks an attached receiver for a turn.
        due_at: ISO 8601 time with offset, from when the message may be read.
        delay_seconds: Instead of due_at: seconds from now.
        timezone: For a due_at without offset: its zone, like Europe/Berlin.
        expires_at: ISO 8601 time after which nobody needs it.
        repeat: Send although an equal message was sent just now.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        to_sender_session: Address the sender's session instead of its whole project.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "message_id": message_id,
            "body": body,
            "workspace": workspace,
            "project": project,
            "session": session,
            "subject": subject,
            "actionable": actionable,
            "delivery": delivery,
            "due_at": due_at,
            "delay_seconds": delay_seconds,
            "timezone": timezone,
            "expires_at": expires_at,
            "repeat": repeat,
            "truncate": truncate,
            "repair": repair,
            "to_sender_session": to_sender_session,
        }
        return self._exchange.write("message.reply", SendOutput, fields, idempotency_key)

    def wait(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        timeout_seconds: int = 300,
    ) -> WaitOutput:
        """Wait until something unread is due, at most timeout_seconds. Marks nothing; where retry is true, ask again.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        timeout_seconds: How long at most, in seconds; longer than one request may last is asked again.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "timeout_seconds": timeout_seconds,
        }
        return self._exchange.wait("message.wait", WaitOutput, fields)

    def redact(
        self,
        message_id: str,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> RedactOutput:
        """Blank the words of a message in every version, as the operator. Ids, times and actors stay. Cannot be taken back.

        message_id: The message's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"message_id": message_id, "workspace": workspace, "project": project, "session": session}
        return self._exchange.write("message.redact", RedactOutput, fields, idempotency_key)
