"""The verbs on decisions. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.listing import Listing
from waypost.operations.deciding import AskOutput, DecidedOutput, OptionInput
from waypost.operations.decision_records import DecisionRecord
from waypost.operations.decisions import ListDecisionsOutput, ViewDecisionOutput, WaitDecisionOutput

__all__ = ["Decisions"]


class Decisions:
    """The verbs on decisions."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def ask(
        self,
        *,
        question: str,
        options: Sequence[OptionInput],
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        requires_root: bool = False,
        details: str = "",
        links: Sequence[str] = (),
        to_workspace: str | None = None,
        to_project: str | None = None,
        to_user: str | None = None,
        from_workspace: str | None = None,
        from_project: str | None = None,
        repeat: bool = False,
        truncate: bool = False,
        repair: bool = False,
        idempotency_key: str | None = None,
    ) -> AskOutput:
        """Ask a person to decide between options. The answer goes to the own project.

        question: One line, at most 190 characters.
        options: 2 to 9 options.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        requires_root: Only the operator may answer: for what merges, deploys or deletes.
        details: All that the person needs to decide; he knows nothing of your project.
        links: Addresses to look at, at most 10.
        to_workspace: Recipient's workspace, where to_project is a bare name.
        to_project: The project where the person reads mail; else the own one.
        to_user: A person's mailbox, instead of a project.
        from_workspace: The own workspace, where from_project is a bare name.
        from_project: The own project, by the name that the server knows.
        repeat: Ask although an equal question was asked just now.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "question": question,
            "options": options,
            "workspace": workspace,
            "project": project,
            "session": session,
            "requires_root": requires_root,
            "details": details,
            "links": links,
            "to_workspace": to_workspace,
            "to_project": to_project,
            "to_user": to_user,
            "from_workspace": from_workspace,
            "from_project": from_project,
            "repeat": repeat,
            "truncate": truncate,
            "repair": repair,
        }
        return self._exchange.write("decision.ask", AskOutput, fields, idempotency_key)

    def answer(
        self,
        decision_id: str,
        *,
        option: str,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        comment: str = "",
        truncate: bool = False,
        repair: bool = False,
        idempotency_key: str | None = None,
    ) -> DecidedOutput:
        """Answer a question with one of its options. One answer is accepted.

        decision_id: The question's id.
        option: The id of the option that is chosen.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        comment: What the asker should know besides.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "decision_id": decision_id,
            "option": option,
            "workspace": workspace,
            "project": project,
            "session": session,
            "comment": comment,
            "truncate": truncate,
            "repair": repair,
        }
        return self._exchange.write("decision.answer", DecidedOutput, fields, idempotency_key)

    def cancel(
        self,
        decision_id: str,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        outcome: str | None = None,
        truncate: bool = False,
        repair: bool = False,
        idempotency_key: str | None = None,
    ) -> DecidedOutput:
        """Withdraw a question that the own project asked. An answer that was sent stays.

        decision_id: The question's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        outcome: Why, for the record.
        truncate: Cut over-long text with a visible mark instead of refusing.
        repair: Store invalid characters repaired instead of refusing.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "decision_id": decision_id,
            "workspace": workspace,
            "project": project,
            "session": session,
            "outcome": outcome,
            "truncate": truncate,
            "repair": repair,
        }
        return self._exchange.write("decision.cancel", DecidedOutput, fields, idempotency_key)

    def list(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        box: Literal["inbox", "outbox"] | None = None,
        state: Literal["open", "answered", "cancelled", "expired"] | None = None,
        all: bool = False,
    ) -> Listing[ListDecisionsOutput, DecisionRecord]:
        """List questions to the own project and those that it asked, the open ones first. Marks nothing.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        limit: How many items one page holds at most; iterating goes on through all pages.
        cursor: Begin where the page before ended, instead of at the beginning.
        box: Only those to the own project, or only those that it asked; else both.
        state: Only in this state.
        all: Of every project that you may read.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "limit": limit,
            "cursor": cursor,
            "box": box,
            "state": state,
            "all": all,
        }
        return self._exchange.pages("decision.list", ListDecisionsOutput, fields, lambda page: page.items)

    def view(
        self, decision_id: str, *, workspace: str | None = None, project: str | None = None, session: str | None = None
    ) -> ViewDecisionOutput:
        """Show one question with its answer and the replies to it. Marks nothing.

        decision_id: The question's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        """
        fields: Fields = {"decision_id": decision_id, "workspace": workspace, "project": project, "session": session}
        return self._exchange.read("decision.view", ViewDecisionOutput, fields)

    def wait(
        self,
        decision_id: str,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        timeout_seconds: int = 300,
    ) -> WaitDecisionOutput:
        """Wait until a question is answered, at most timeout_seconds. Marks nothing; where retry is true, ask again.

        decision_id: The question's id.
        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        timeout_seconds: How long at most, in seconds; longer than one request may last is asked again.
        """
        fields: Fields = {
            "decision_id": decision_id,
            "workspace": workspace,
            "project": project,
            "session": session,
            "timeout_seconds": timeout_seconds,
        }
        return self._exchange.wait("decision.wait", WaitDecisionOutput, fields)
