"""wait: answers as soon as something unread is due. The operation looks once; a door looks again when the journal moved, when the
next message comes due, or when time is up."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from waypost.kernel.time import format_maybe
from waypost.mail.boxes import Filters, list_box, next_due
from waypost.mail.models import Box, Message, View
from waypost.operations.inputs import ActingInput, Output
from waypost.operations.reading import fitting
from waypost.operations.records import MessageRecord, notice_for, present_all
from waypost.operations.registry import Operation, Unit
from waypost.operations.resolved import ResolvedScope, resolved, scope_hint

__all__ = ["MOST_SECONDS", "WAIT", "WaitInput", "WaitOutput"]

SHOWN = 50
MOST_SECONDS = 300
"""The longest wait of one request."""


class WaitInput(ActingInput):
    """Until something unread is due."""

    timeout_seconds: Annotated[int, Field(ge=0, le=MOST_SECONDS)] = Field(
        MOST_SECONDS, description=f"How long at most, up to {MOST_SECONDS}."
    )


class WaitOutput(Output):
    """What is unread and due, oldest first; empty with `retry` where the time was up. Marks nothing."""

    items: list[MessageRecord]
    retry: bool
    next_due_at: str | None
    resolved_scope: ResolvedScope
    scope_source: str
    hint: str | None
    security_notice: str | None


def look(unit: Unit, given: WaitInput) -> WaitOutput:  # noqa: ARG001 - the timeout is the door's business
    """What is unread now. Marks nothing."""
    reader = unit.reader()
    records = list_box(unit.tx, reader, box=Box.INBOX, view=View.UNREAD, filters=Filters(), after=None, limit=SHOWN)
    found = [record for record in fitting(records, unit.caller.door) if isinstance(record, Message)]
    due = None if found else next_due(unit.tx, reader)
    return WaitOutput(
        items=present_all(unit, found, reader_project=reader.project_id),
        retry=not found,
        next_due_at=format_maybe(due),
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        hint=scope_hint(unit),
        security_notice=notice_for(found, reader.project_id),
    )


WAIT = Operation(
    name="message.wait",
    summary="Wait until something unread is due, at most timeout_seconds. Marks nothing; where retry is true, ask again.",
    input=WaitInput,
    output=WaitOutput,
    run=look,
    writes=False,
)
