"""The verbs on handoffs. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.listing import Listing
from waypost.operations.handoff_records import HandoffRecord
from waypost.operations.handoffs import BeginOutput, HandoffOutput, ListHandoffsOutput, OfferOutput

__all__ = ["Handoffs"]


class Handoffs:
    """The verbs on handoffs."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def begin(
        self,
        *,
        summary: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        open_questions: Sequence[str] = (),
        next_steps: Sequence[str] = (),
        files_touched: Sequence[str] = (),
        automatic: bool = False,
        truncate: bool = False,
        repair: bool = False,
        idempotency_key: str | None = None,
    ) -> BeginOutput:
        """Leave a single-use note for the next session of the own project.

        summary: What was done and how things stand; all texts together at most 8,000 characters.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        open_questions: What is not decided yet.
        next_steps: What to do next, in order.
        files_touched: Paths that matter.
        automatic: Made by a hook at a session's end; stored only where the setting says so.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "summary": summary,
            "workspace": workspace,
            "project": project,
            "session": session,
            "open_questions": open_questions,
            "next_steps": next_steps,
            "files_touched": files_touched,
            "automatic": automatic,
            "truncate": truncate,
            "repair": repair,
        }
        return self._exchange.write("handoff.begin", BeginOutput, fields, idempotency_key)

    def offer(
        self, *, workspace: str | None = None, project: str | None = None, session: str | None = None
    ) -> OfferOutput:
        """Show the note that is offered to a session that starts. Marks nothing.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        """
        fields: Fields = {"workspace": workspace, "project": project, "session": session}
        return self._exchange.read("handoff.offer", OfferOutput, fields)

    def list(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        state: Literal["open", "accepted", "cancelled", "expired", "all"] = "open",
    ) -> Listing[ListHandoffsOutput, HandoffRecord]:
        """List the own project's handoffs, the latest first. Marks nothing.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        limit: How many items one page holds at most; iterating goes on through all pages.
        cursor: Begin where the page before ended, instead of at the beginning.
        state: Only in this state.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "limit": limit,
            "cursor": cursor,
            "state": state,
        }
        return self._exchange.pages("handoff.list", ListHandoffsOutput, fields, lambda page: page.items)

    def accept(
        self,
        handoff_id: str,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> HandoffOutput:
        """Claim a handoff, exactly once. If the answer was lost, accept that id again.

        handoff_id: The handoff's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"handoff_id": handoff_id, "workspace": workspace, "project": project, "session": session}
        return self._exchange.write("handoff.accept", HandoffOutput, fields, idempotency_key)

    def cancel(
        self,
        handoff_id: str,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> HandoffOutput:
        """Withdraw a handoff of the own project.

        handoff_id: The handoff's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"handoff_id": handoff_id, "workspace": workspace, "project": project, "session": session}
        return self._exchange.write("handoff.cancel", HandoffOutput, fields, idempotency_key)
