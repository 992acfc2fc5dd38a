"""How a handoff looks at every door. Its texts stand in frames unless a door vouches that the reader's own project wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from waypost.kernel.text import SECURITY_NOTICE, frame, frame_line
from waypost.kernel.time import format_instant, format_maybe
from waypost.mail.handoffs import Handoff
from waypost.operations.decision_records import visible_names
from waypost.operations.inputs import Output
from waypost.operations.records import SenderRecord, is_foreign, sender_record
from waypost.operations.registry import Unit

__all__ = ["HandoffRecord", "handoff_notice", "present_handoff"]


class HandoffRecord(Output):
    """One note to the next session. Where `foreign` is true, its texts stand in frames."""

    id: str
    from_: SenderRecord = Field(alias="from")
    foreign: bool
    automatic: bool
    summary: str
    open_questions: list[str]
    next_steps: list[str]
    files_touched: list[str]
    created_at: str
    expires_at: str
    state: Literal["open", "accepted", "cancelled", "expired"]
    version: int
    closed_at: str | None
    closed_by_session: str | None


def present_handoff(unit: Unit, handoff: Handoff) -> HandoffRecord:
    """One note as a record, for the caller's project."""
    foreign = _foreign(unit, handoff)
    names = visible_names(unit, [handoff.project_id])

    def lines(texts: Sequence[str]) -> list[str]:
        return [frame_line(text) if foreign else text for text in texts]

    return HandoffRecord(
        id=handoff.id,
        from_=sender_record(handoff.sender, names.get(handoff.project_id)),
        foreign=foreign,
        automatic=handoff.automatic,
        summary=frame(handoff.summary, origin="handoff").text if foreign else handoff.summary,
        open_questions=lines(handoff.open_questions),
        next_steps=lines(handoff.next_steps),
        files_touched=lines(handoff.files_touched),
        created_at=format_instant(handoff.created_at),
        expires_at=format_instant(handoff.expires_at),
        state=handoff.state_at(unit.now).value,
        version=handoff.version,
        closed_at=format_maybe(handoff.closed_at),
        closed_by_session=handoff.closed_by_session,
    )


def handoff_notice(unit: Unit, handoffs: Sequence[Handoff]) -> str | None:
    """The security notice where any of the notes' text stands in a frame."""
    return SECURITY_NOTICE if any(_foreign(unit, handoff) for handoff in handoffs) else None


def _foreign(unit: Unit, handoff: Handoff) -> bool:
    return is_foreign(handoff, unit.scope.project.id if unit.scope.project else None)
