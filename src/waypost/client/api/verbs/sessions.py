"""The verbs on sessions. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.listing import Listing
from waypost.operations.sessions import SessionOutput, SessionRecord, SessionsOutput, ShowOutput

__all__ = ["Sessions"]


class Sessions:
    """The verbs on sessions."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def list(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Listing[SessionsOutput, SessionRecord]:
        """List sessions, the latest first.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        limit: How many items one page holds at most; iterating goes on through all pages.
        cursor: Begin where the page before ended, instead of at the beginning.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "limit": limit,
            "cursor": cursor,
        }
        return self._exchange.pages("session.list", SessionsOutput, fields, lambda page: page.items)

    def show(
        self,
        session_id: str,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        turn: int | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> ShowOutput:
        """Show one session, what it continues, and what was written about it or one turn of it.

        session_id: The session's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        turn: Only what is about this turn.
        limit: How many annotations at most.
        cursor: next_cursor of the page before.
        """
        fields: Fields = {
            "session_id": session_id,
            "workspace": workspace,
            "project": project,
            "session": session,
            "turn": turn,
            "limit": limit,
            "cursor": cursor,
        }
        return self._exchange.read("session.show", ShowOutput, fields)

    def put(
        self,
        session_id: str,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        client: str | None = None,
        continues: str | None = None,
        idempotency_key: str | None = None,
    ) -> SessionOutput:
        """Register a session in the own project.

        session_id: The session's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        client: The client's name: visible ASCII without blanks, at most 128.
        continues: The session that it continues.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "session_id": session_id,
            "workspace": workspace,
            "project": project,
            "session": session,
            "client": client,
            "continues": continues,
        }
        return self._exchange.write("session.put", SessionOutput, fields, idempotency_key)

    def continue_(
        self,
        session_id: str,
        *,
        continues: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> SessionOutput:
        """Declare that a session continues another, so that its mail reaches it.

        session_id: The session's id.
        continues: The session that it continues; it need not be known.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "session_id": session_id,
            "continues": continues,
            "workspace": workspace,
            "project": project,
            "session": session,
        }
        return self._exchange.write("session.continue", SessionOutput, fields, idempotency_key)
