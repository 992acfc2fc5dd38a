"""Showing a session: its recorded reference, or that of one turn, and after it what was written about it, the oldest first.

No transcripts are kept, so the words of the turn itself are not repeated.
"""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import Field

from waypost.identity.models import Session
from waypost.mail.history import Written, notes_about, written
from waypost.mail.models import Message, Unreadable
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.inputs import ActingInput, Output
from waypost.operations.reading import UnreadableRecord, fitting
from waypost.operations.records import MessageRecord, notice_for, present_all
from waypost.operations.registry import Unit

__all__ = ["Annotations", "ShowInput", "annotations_of"]


class ShowInput(ActingInput):
    """One session by the client's own id, and perhaps one turn of it."""

    session_id: str = Field(description="The session's id.")
    turn: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = Field(
        None, description="Only what is about this turn."
    )
    limit: Annotated[int, Field(ge=1, le=500, description="How many annotations at most.")] = 50
    cursor: str | None = Field(None, description="next_cursor of the page before.")


class Annotations(Output):
    """A page of what was written about a session or a turn, the oldest first, whatever became of it: a withdrawn one has the status
    `cancelled`."""

    turn: int | None
    annotations: list[MessageRecord]
    unreadable: list[UnreadableRecord]
    next_cursor: str | None
    security_notice: str | None


def annotations_of(unit: Unit, session: Session, given: ShowInput) -> Annotations:
    """A page of annotations as far as the caller may read them. Refuses `invalid_input` for a foreign cursor."""
    kind = f"annotations-{given.turn}"
    after = cast("Written", read_cursor(kind, given.cursor, (int, str))) if given.cursor else None
    found = notes_about(
        unit.tx, session.id, turn=given.turn, readable=unit.readable, after=after, limit=given.limit + 1
    )
    page = fitting(found[: given.limit], unit.caller.door)
    messages = [record for record in page if isinstance(record, Message)]
    own = unit.scope.project.id if unit.scope.project else None
    return Annotations(
        turn=given.turn,
        annotations=present_all(unit, messages, reader_project=own),
        unreadable=[UnreadableRecord(id=one.id, format=one.format) for one in page if isinstance(one, Unreadable)],
        next_cursor=write_cursor(kind, written(page[-1])) if len(found) > len(page) else None,
        security_notice=notice_for(messages, own),
    )
