"""The change feed: pages of the journal in order, for hosts that follow what happens without loss.

Reading moves nothing. A page goes on where its cursor says, passes over what the caller may not read, and says where there is a gap.
What waits (`wait`) is the door's business: it looks again when the journal moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from waypost.identity.errors import ProjectNotFound
from waypost.kernel.errors import InvalidInput
from waypost.operations.consumers import the_consumer
from waypost.operations.entries import EntryRecord, entry_fields, is_readable
from waypost.operations.feed import Cursor, GapRecord, Kept, Start, begin, kept_by, read_place
from waypost.operations.inputs import Input, Output
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import named_project
from waypost.store.journal import Entry, entries_after

__all__ = ["CHANGES", "MOST_CHANGES", "MOST_WAIT_SECONDS", "ChangeRecord", "ChangesOutput", "PlaceInput"]

MOST_CHANGES = 1_000
"""The longest page."""
MOST_WAIT_SECONDS = 300
"""The longest wait of one request."""
LOOKED_AT_ONCE = 500
MOST_PASSED_OVER = 5_000
"""So many entries that the caller may not read are looked at for one page, which ends then, shorter or empty."""


class PlaceInput(Input):
    """Where to go on, and of what."""

    after: str | None = Field(
        None, description="The next_cursor to go on from, or `now`; left out, the oldest change kept is the first."
    )
    consumer: str | None = Field(None, description="Go on from this consumer's checkpoint, instead of after.")
    workspace: str | None = Field(None, description="The project's workspace, where project is a bare name.")
    project: str | None = Field(None, description="Only what concerns this project: a name, or workspace/project.")


class ChangesInput(PlaceInput):
    """Where to go on, and how much to answer."""

    limit: Annotated[int, Field(ge=1, le=MOST_CHANGES, description="How many changes at most.")] = 100
    wait: Annotated[
        int, Field(ge=0, le=MOST_WAIT_SECONDS, description="How many seconds to wait for a change at most.")
    ] = 0


class ChangeRecord(EntryRecord):
    """One change, and the cursor of those who have read up to it."""

    cursor: str


class ChangesOutput(Output):
    """A page of the feed, in order. Go on at `next_cursor`, which is always there; where it equals `head`, that is all for now."""

    items: list[ChangeRecord]
    next_cursor: str
    gap: GapRecord | None
    head: str


def list_(unit: Unit, given: ChangesInput) -> ChangesOutput:
    """A page of the feed. Refuses `not_found` for an unknown project or consumer, `invalid_input` for what is no cursor, and
    `conflict` for one above the newest change."""
    kept = kept_by(unit.tx)
    start = _start(unit, given, kept)
    mailbox = _mailbox(unit, given)
    found, reached = _read(unit, start.position, kept.head, limit=given.limit, mailbox=mailbox)
    return ChangesOutput(
        items=_present(unit, found, kept),
        next_cursor=str(kept.at(reached)),
        gap=start.gap,
        head=str(kept.at(kept.head)),
    )


def _start(unit: Unit, given: ChangesInput, kept: Kept) -> Start:
    if given.consumer is not None:
        if given.after is not None:
            raise InvalidInput("after and consumer exclude each other.", hint="Leave one of them out.")
        consumer = the_consumer(unit, given.consumer)
        return begin(Cursor(epoch=consumer.epoch, position=consumer.position), kept)
    if given.after is None:
        return Start(position=kept.below)
    return begin(read_place(given.after, kept, field="after"), kept)


def _mailbox(unit: Unit, given: ChangesInput) -> str | None:
    """The mailbox of the named project. One that the caller may not read is as unknown as one that does not exist."""
    label = named_project(given.workspace, given.project)
    if label is None:
        return None
    project = unit.project(label)
    if unit.readable is not None and project.id not in unit.readable:
        raise ProjectNotFound(f"There is no project '{label}'.")
    return project.id


def _read(unit: Unit, after: int, head: int, *, limit: int, mailbox: str | None) -> tuple[list[Entry], int]:
    """The next entries that the caller may read, and the position up to which all were looked at."""
    readable = unit.readable
    if mailbox is not None or readable is None:
        found = entries_after(unit.tx, after, limit=limit, mailbox=mailbox)
        return found, found[-1].position if len(found) == limit else head
    seen: list[Entry] = []
    at_once = min(max(limit, LOOKED_AT_ONCE), MOST_PASSED_OVER)  # a short page must not ask once for each entry
    reached, looked_at = after, 0
    while reached < head and looked_at < MOST_PASSED_OVER:
        batch = entries_after(unit.tx, reached, limit=at_once)
        for entry in batch:
            reached = entry.position
            looked_at += 1
            if is_readable(entry, readable):
                seen.append(entry)
                if len(seen) == limit:
                    return seen, reached
        if len(batch) < at_once:
            return seen, head
    return seen, reached


def _present(unit: Unit, found: Sequence[Entry], kept: Kept) -> list[ChangeRecord]:
    fields = entry_fields(unit.tx, found, readable=unit.readable)
    return [ChangeRecord(**one, cursor=f"{kept.epoch}.{one['position']}") for one in fields]


CHANGES = Operation(
    name="changes.list",
    summary="List what changed, in order, from a cursor or a consumer's checkpoint on. Entries carry no text.",
    input=ChangesInput,
    output=ChangesOutput,
    run=list_,
    writes=False,
)
