"""The verbs on wakes. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.receiving import Receiving
from waypost.operations.waking import LookOutput, ReserveOutput, WakeOutput

__all__ = ["Wakes"]


class Wakes(Receiving):
    """The verbs on wakes."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__(exchange)

    def look(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        timeout_seconds: int = 0,
    ) -> LookOutput:
        """Say whether mail asks a session for a turn, or wait until it does. Reserves and marks nothing.

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
        return self._exchange.wait("wake.look", LookOutput, fields)

    def reserve(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        message_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> ReserveOutput:
        """Give an attached receiver the next wake of its session for 60 seconds.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        message_id: This message instead of the oldest that asks for a turn.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"workspace": workspace, "project": project, "session": session, "message_id": message_id}
        return self._exchange.write("wake.reserve", ReserveOutput, fields, idempotency_key)

    def accepted(
        self,
        message_id: str,
        *,
        occurrence: int,
        token: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> WakeOutput:
        """Note that a receiver saw a turn start. The message stays unread.

        message_id: The message's id.
        occurrence: The occurrence that was reserved.
        token: The token that reserve answered.
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
        return self._exchange.write("wake.accepted", WakeOutput, fields, idempotency_key)

    def retry(
        self,
        message_id: str,
        *,
        occurrence: int,
        token: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> WakeOutput:
        """Note that a receiver could start no turn, so that it is tried again.

        message_id: The message's id.
        occurrence: The occurrence that was reserved.
        token: The token that reserve answered.
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
        return self._exchange.write("wake.retry", WakeOutput, fields, idempotency_key)
