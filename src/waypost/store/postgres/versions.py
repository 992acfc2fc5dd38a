"""Nodes of several versions beside each other: how a unit begins, and which nodes may go on after a migration.

A migration that older nodes cannot live with raises the oldest schema that is served, under a lock that every writing unit shares.
So a unit of an older node either committed before such a migration or finds the number and is refused; none runs across it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from waypost.kernel.errors import SchemaNewer
from waypost.store.postgres.dialect import Statement
from waypost.store.postgres.wire import Result

__all__ = ["OLDEST_KEY", "SCHEMA_LOCK", "SERVED", "Opening", "opening_to_read", "opening_to_write", "refuse_older"]

SCHEMA_LOCK: Final = 0x57505354_0004
"""The key of the advisory lock that writing units share, and that such a migration has alone."""
OLDEST_KEY: Final = "oldest_schema"
SERVED: Final = f"coalesce((select cast(value as bigint) from store_info where key = '{OLDEST_KEY}'), 0)"  # noqa: S608 - constants
"""The oldest schema whose nodes are still served, as an expression."""


def _statement(name: str, sql: str, *, holds: bool = False) -> Statement:
    return Statement(name=f"waypost_{name}".encode(), sql=sql.encode(), parameters=(), holds=holds)


BEGIN_WRITE: Final = _statement("begin_write", "begin isolation level read committed")
BEGIN_READ: Final = _statement("begin_read", "begin isolation level repeatable read read only")
SHARE: Final = _statement("share", f"select pg_advisory_xact_lock_shared({SCHEMA_LOCK})")
SEEN: Final = _statement(
    "seen",
    f"select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now, {SERVED} as oldest",  # noqa: S608 - constants
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """The statements that begin a transaction of a node that knows `schema`. The last one looks at the clock and at what is served:
    after the lock, so that what it sees is from after whatever migration was waited for."""

    statements: Sequence[Statement]
    schema: int

    def read(self, seen: Result) -> int:
        """The database's clock, from the last statement's answer. Refuses `schema_newer`."""
        row = seen.rows[0]
        refuse_older(int(str(row["oldest"])), self.schema)
        return int(str(row["now"]))


def opening_to_write(schema: int) -> Opening:
    """How a unit that may write begins."""
    return Opening(statements=(BEGIN_WRITE, SHARE, SEEN), schema=schema)


def opening_to_read(schema: int) -> Opening:
    """How a unit that only reads begins."""
    return Opening(statements=(BEGIN_READ, SEEN), schema=schema)


def refuse_older(oldest: int, schema: int) -> None:
    """Refuses `schema_newer` where the oldest schema that is served lies above `schema`."""
    if schema < oldest:
        raise SchemaNewer(
            f"A newer Waypost has migrated the database, which serves schema {oldest} and later now; this node knows schema "
            f"{schema}. Nothing was changed.",
            hint="Upgrade this node and start it again; the others go on.",
        )
