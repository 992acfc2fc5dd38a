"""Where one stands in the feed: cursors, what the journal still holds, and gaps. Pure; knows no store.

A cursor is the text `<epoch>.<position>`: everything of that epoch up to the position has been read. Positions of different epochs
say nothing about each other, so that a cursor of another epoch is answered with a gap and all that is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from waypost.kernel.errors import Conflict, InvalidInput
from waypost.operations.inputs import Output
from waypost.store.interface import Transaction
from waypost.store.journal import bounds, epoch

__all__ = ["NOW", "Cursor", "GapRecord", "Kept", "Start", "begin", "check_given", "kept_by", "read_place"]

NOW = "now"
"""In the place of a cursor: after everything that there is."""
CURSOR = re.compile(r"([1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,17})", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cursor:
    """Everything of `epoch` up to `position` has been read."""

    epoch: int
    position: int

    def __str__(self) -> str:
        return f"{self.epoch}.{self.position}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """What a store's journal holds: its epoch, the position below the lowest entry kept, and the highest given."""

    epoch: int
    below: int
    head: int

    def at(self, position: int) -> Cursor:
        """The cursor of a position in this epoch."""
        return Cursor(epoch=self.epoch, position=position)


class GapRecord(Output):
    """Changes that are not told any more. `pruned`: they are older than what is kept. `epoch`: the store was restored or imported
    since, and positions from before say nothing about this one; all that is kept is told again."""

    reason: Literal["epoch", "pruned"]
    from_: str = Field(alias="from", description="The cursor that was read up to before the gap.")
    to: str | None = Field(description="The cursor of the last change that is missing; null where it is not known.")
    resumes_at: str = Field(description="The cursor after which reading goes on.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """Above which position reading goes on, and what lies between there and where the reader was."""

    position: int
    gap: GapRecord | None = None


def kept_by(tx: Transaction) -> Kept:
    """What the store's journal holds."""
    found = bounds(tx)
    return Kept(epoch=epoch(tx), below=max(found.first - 1, 0), head=found.head)


def read_place(text: str, kept: Kept, *, field: str) -> Cursor:
    """The cursor that a text names, or that of `now`. Refuses `invalid_input` for anything else."""
    if text == NOW:
        return kept.at(kept.head)
    found = CURSOR.fullmatch(text)
    if found is None:
        raise InvalidInput(
            f"{field} is not a cursor of the feed.", hint="Pass a next_cursor of the feed as it was given, or `now`."
        )
    return Cursor(epoch=int(found.group(1)), position=int(found.group(2)))


def begin(cursor: Cursor, kept: Kept) -> Start:
    """Where somebody who has read up to `cursor` goes on, and the gap where something in between is not kept. Refuses `conflict`
    for a cursor above the newest change, which this store cannot have given."""
    if cursor.epoch != kept.epoch:
        return Start(
            position=kept.below,
            gap=GapRecord(reason="epoch", from_=str(cursor), to=None, resumes_at=str(kept.at(kept.below))),
        )
    check_given(cursor, kept)
    if cursor.position < kept.below:
        last = str(kept.at(kept.below))
        return Start(position=kept.below, gap=GapRecord(reason="pruned", from_=str(cursor), to=last, resumes_at=last))
    return Start(position=cursor.position)


def check_given(cursor: Cursor, kept: Kept) -> None:
    """Refuses `conflict` for a cursor of this epoch above the newest change."""
    if cursor.position > kept.head:
        raise Conflict(
            f"The cursor {cursor} lies above the newest change, {kept.at(kept.head)}: this store did not give it, or its database"
            " was replaced by an older copy.",
            hint="Begin anew: leave the cursor out to read everything that is kept, or pass `now`; move a consumer with rewind=true.",
        )
