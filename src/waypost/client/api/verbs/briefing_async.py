"""The verbs on briefing, awaited. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from waypost.client.api.asked import Fields
from waypost.client.api.exchange_async import AsyncExchange
from waypost.operations.briefing import BriefingOutput, Occurrence, ShownOutput

__all__ = ["AsyncBriefing"]


class AsyncBriefing:
    """The verbs on briefing."""

    def __init__(self, exchange: AsyncExchange) -> None:
        self._exchange = exchange

    async def show(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        boundary: Literal["session_start", "prompt", "after_tool"] = "session_start",
        told: int | None = None,
    ) -> BriefingOutput:
        """Say what waits for a session: the count, a notice, and the text of what its own project wrote. Marks nothing.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        boundary: session_start shows every unread item that fits; prompt new ones, and the ids of older; after_tool new ones.
        told: The number that the last notice told this session; unchanged, it is said in one short line.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "boundary": boundary,
            "told": told,
        }
        return await self._exchange.read("briefing.show", BriefingOutput, fields)

    async def begin(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        boundary: Literal["session_start", "prompt", "after_tool"] = "session_start",
        told: int | None = None,
        session_continue: str | None = None,
        idempotency_key: str | None = None,
    ) -> BriefingOutput:
        """The same for a session that begins, noting which earlier session it continues.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        boundary: session_start shows every unread item that fits; prompt new ones, and the ids of older; after_tool new ones.
        told: The number that the last notice told this session; unchanged, it is said in one short line.
        session_continue: The earlier session that this one continues; its mail reaches this one too.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "boundary": boundary,
            "told": told,
            "session_continue": session_continue,
        }
        return await self._exchange.write("briefing.begin", BriefingOutput, fields, idempotency_key)

    async def shown(
        self,
        *,
        items: Sequence[Occurrence],
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> ShownOutput:
        """Note that a session was shown occurrences of messages. Not read, not acked.

        items: The occurrences that were printed.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"items": items, "workspace": workspace, "project": project, "session": session}
        return await self._exchange.write("briefing.shown", ShownOutput, fields, idempotency_key)
