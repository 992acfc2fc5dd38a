"""The checkpoints of the feed's named consumers: find, add, move, drop, forget.

A consumer is one row for (principal, name). Its checkpoint moves only by `move`, one version at a time, so that of two processes
that commit under one name the later one sees what the earlier one did. What may be moved where is not decided here. Nothing of
it is journalled. Knows no engine.
"""

from __future__ import annotations

from dataclasses import dataclass

from waypost.store.interface import Fields, Overtaken, Row, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import number, text

__all__ = [
    "Consumer",
    "add_consumer",
    "count_consumers",
    "drop_consumer",
    "find_consumer",
    "forget_consumers",
    "move_consumer",
]

_queries = load_queries("waypost.store")


@dataclass(frozen=True, kw_only=True, slots=True)
class Consumer:
    """A named consumer: all entries of `epoch` up to `position` are behind it. `used_at` is when it last committed, moved or not."""

    principal: str
    name: str
    epoch: int
    position: int
    created_at: int
    moved_at: int
    used_at: int
    version: int


def find_consumer(tx: Transaction, principal: str, name: str) -> Consumer | None:
    """The principal's consumer of that name."""
    row = tx.row(_queries.find_consumer, {"principal": principal, "name": name})
    return _consumer(row) if row else None


def add_consumer(tx: Transaction, principal: str, name: str, *, epoch: int, position: int) -> Consumer:
    """A new consumer. Where another unit added it meanwhile, this one is overtaken and runs again."""
    place: Fields = {"principal": principal, "name": name, "epoch": epoch, "position": position}
    if tx.execute(_queries.add_consumer, {**place, "now": tx.now}) != 1:
        raise Overtaken("The consumer is being made right now. Nothing was changed.")
    return Consumer(
        principal=principal,
        name=name,
        epoch=epoch,
        position=position,
        created_at=tx.now,
        moved_at=tx.now,
        used_at=tx.now,
        version=1,
    )


def move_consumer(tx: Transaction, old: Consumer, *, epoch: int, position: int) -> Consumer:
    """The consumer with its checkpoint there, which may be where it was. Where another unit moved it meanwhile, this one is
    overtaken and runs again."""
    moved_at = old.moved_at if (epoch, position) == (old.epoch, old.position) else tx.now
    new = Consumer(
        principal=old.principal,
        name=old.name,
        epoch=epoch,
        position=position,
        created_at=old.created_at,
        moved_at=moved_at,
        used_at=tx.now,
        version=old.version + 1,
    )
    fields: Fields = {
        "principal": new.principal,
        "name": new.name,
        "epoch": new.epoch,
        "position": new.position,
        "moved_at": new.moved_at,
        "now": tx.now,
        "version": old.version,
    }
    if tx.execute(_queries.move_consumer, fields) != 1:
        raise Overtaken("The consumer was moved meanwhile. Nothing was changed.")
    return new


def drop_consumer(tx: Transaction, principal: str, name: str) -> bool:
    """Drops the consumer and answers whether there was one."""
    return tx.execute(_queries.drop_consumer, {"principal": principal, "name": name}) == 1


def count_consumers(tx: Transaction, principal: str) -> int:
    """How many consumers the principal has."""
    row = tx.row(_queries.count_consumers, {"principal": principal})
    assert row is not None
    return number(row, "consumers")


def forget_consumers(tx: Transaction, *, before: int, limit: int) -> int:
    """Drops at most `limit` consumers that were last used before the time `before` and answers how many."""
    return tx.execute(_queries.forget_consumers, {"before": before, "most": limit})


def _consumer(row: Row) -> Consumer:
    return Consumer(
        principal=text(row, "principal"),
        name=text(row, "name"),
        epoch=number(row, "epoch"),
        position=number(row, "position"),
        created_at=number(row, "created_at"),
        moved_at=number(row, "moved_at"),
        used_at=number(row, "used_at"),
        version=number(row, "version"),
    )
