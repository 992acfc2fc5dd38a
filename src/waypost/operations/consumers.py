"""Named consumers of the feed: a checkpoint that the server keeps for a host, moved only by the host's word.

Whoever commits after its own work gets each change at least once; whoever keeps the cursor together with its work gets the effect
of each exactly once and needs no consumer. A checkpoint never goes back unless it is told to. Nothing here is journalled.
"""

from __future__ import annotations

from pydantic import Field

from waypost.kernel.addresses import parse_name
from waypost.kernel.errors import Conflict, NotFound
from waypost.kernel.time import DAY, format_instant
from waypost.operations.feed import Cursor, GapRecord, Kept, begin, check_given, kept_by, read_place
from waypost.operations.inputs import Input, Output
from waypost.operations.registry import Operation, Unit
from waypost.store.consumers import (
    Consumer,
    add_consumer,
    count_consumers,
    drop_consumer,
    find_consumer,
    move_consumer,
)

__all__ = ["CONSUMERS_KEPT_FOR", "CONSUMER_OPERATIONS", "the_consumer"]

CONSUMERS_KEPT_FOR = 90 * DAY
"""A consumer that commits nothing for so long may be forgotten; as long as entries are kept."""
MOST_CONSUMERS = 1_000
"""Of one principal."""


class ConsumerInput(Input):
    """One consumer of the caller's."""

    name: str = Field(description="The consumer's name.")


class PutInput(ConsumerInput):
    """Where its checkpoint shall stand."""

    cursor: str | None = Field(
        None,
        description="The next_cursor that was worked off, or `now`; left out, a new consumer begins at the oldest change kept and "
        "an old one stays where it is.",
    )
    rewind: bool = Field(False, description="Also go back.")


class ConsumerRecord(Output):
    """A consumer, its checkpoint, and what reading from there will say of a gap. `head` is the cursor of the newest change."""

    name: str
    cursor: str
    gap: GapRecord | None
    head: str
    created_at: str
    moved_at: str
    used_at: str
    version: int


class ConsumerOutput(Output):
    """The consumer and its version."""

    consumer: ConsumerRecord
    version: int


class PutOutput(ConsumerOutput):
    """The consumer, its version, and whether it was made now."""

    created: bool


class DroppedOutput(Output):
    """The consumer that is forgotten, and its last version."""

    name: str
    cursor: str
    version: int


def the_consumer(unit: Unit, name: str) -> Consumer:
    """The caller's consumer of that name. Refuses `not_found`, and `invalid_input` for what is no name."""
    name = parse_name(name, field="consumer")
    found = find_consumer(unit.tx, unit.caller.principal, name)
    if found is None:
        raise NotFound(
            f"There is no consumer '{name}'. It was never made, was deleted, or committed nothing for 90 days.",
            hint=f"Make it with PUT /v1/changes/consumers/{name}, or `waypost changes --consumer {name}`.",
        )
    return found


def show(unit: Unit, given: ConsumerInput) -> ConsumerOutput:
    """A consumer and its checkpoint."""
    found = the_consumer(unit, given.name)
    return ConsumerOutput(consumer=_record(found, kept_by(unit.tx)), version=found.version)


def put(unit: Unit, given: PutInput) -> PutOutput:
    """Makes a consumer or moves its checkpoint. Refuses `conflict` for a cursor before the checkpoint without `rewind`, of another
    epoch, or above the newest change."""
    name = parse_name(given.name, field="name")
    kept = kept_by(unit.tx)
    old = find_consumer(unit.tx, unit.caller.principal, name)
    if old is None:
        _check_room(unit)
        to = _destination(given.cursor, kept) or kept.at(kept.below)
        made = add_consumer(unit.tx, unit.caller.principal, name, epoch=to.epoch, position=to.position)
        return PutOutput(consumer=_record(made, kept), version=made.version, created=True)
    at = Cursor(epoch=old.epoch, position=old.position)
    to = _destination(given.cursor, kept) or at
    if to.epoch == at.epoch and to.position < at.position and not given.rewind:
        raise Conflict(
            f"The checkpoint of '{name}' stands at {at}, and {to} lies before it. Nothing was changed.",
            hint="Go on from the checkpoint; pass rewind=true to go back on purpose.",
        )
    moved = move_consumer(unit.tx, old, epoch=to.epoch, position=to.position)
    return PutOutput(consumer=_record(moved, kept), version=moved.version, created=False)


def delete(unit: Unit, given: ConsumerInput) -> DroppedOutput:
    """Forgets a consumer."""
    found = the_consumer(unit, given.name)
    drop_consumer(unit.tx, found.principal, found.name)
    return DroppedOutput(name=found.name, cursor=_text(found), version=found.version)


def _destination(cursor: str | None, kept: Kept) -> Cursor | None:
    """Where a checkpoint shall stand. Refuses `conflict` for a cursor that this epoch cannot have given."""
    if cursor is None:
        return None
    to = read_place(cursor, kept, field="cursor")
    if to.epoch != kept.epoch:
        raise Conflict(
            f"The cursor {to} is of another epoch than the store's, {kept.epoch}: the store was restored or imported since. Nothing"
            " was changed.",
            hint="Read from the checkpoint; the answer says where the gap is, and its next_cursor can be committed.",
        )
    check_given(to, kept)
    return to


def _check_room(unit: Unit) -> None:
    if count_consumers(unit.tx, unit.caller.principal) >= MOST_CONSUMERS:
        raise Conflict(
            f"There are {MOST_CONSUMERS} consumers already. Nothing was changed.", hint="Delete those no longer used."
        )


def _record(consumer: Consumer, kept: Kept) -> ConsumerRecord:
    at = Cursor(epoch=consumer.epoch, position=consumer.position)
    lost = at.epoch == kept.epoch and at.position > kept.head  # reading refuses it and says what to do
    return ConsumerRecord(
        name=consumer.name,
        cursor=str(at),
        gap=None if lost else begin(at, kept).gap,
        head=str(kept.at(kept.head)),
        created_at=format_instant(consumer.created_at),
        moved_at=format_instant(consumer.moved_at),
        used_at=format_instant(consumer.used_at),
        version=consumer.version,
    )


def _text(consumer: Consumer) -> str:
    return str(Cursor(epoch=consumer.epoch, position=consumer.position))


CONSUMER_OPERATIONS = (
    Operation(
        name="consumer.show",
        summary="Show a consumer of the feed and its checkpoint.",
        input=ConsumerInput,
        output=ConsumerOutput,
        run=show,
        writes=False,
    ),
    Operation(
        name="consumer.put",
        summary="Make a consumer of the feed, or move its checkpoint. It goes back only with rewind.",
        input=PutInput,
        output=PutOutput,
        run=put,
        writes=True,
        idempotent=True,
    ),
    Operation(
        name="consumer.delete",
        summary="Forget a consumer of the feed.",
        input=ConsumerInput,
        output=DroppedOutput,
        run=delete,
        writes=True,
        destructive=True,
    ),
)
