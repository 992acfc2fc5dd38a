"""The sequencer: gives the journal's committed entries dense positions, in the order in which they became visible.

An entry is committed without a position. Under an advisory lock, which one node at a time has, the entries that are visible and
have none get the next ones, and the notification goes out with them. Lock, positions and notification are one transaction of
one message to the server, so a node that dies or stops in the middle leaves nothing half done and holds nothing up. Positions
are counted from the highest one given, never from transaction ids or sequences, so that neither a late committer nor a restore
into another cluster matters.
"""

from __future__ import annotations

from typing import Any, Final

from waypost.store.postgres.versions import SERVED
from waypost.store.postgres.wire import Connection

__all__ = ["CHANNEL", "MOST_AT_ONCE", "SEQUENCER_LOCK", "give_positions", "look_at_journal"]

SEQUENCER_LOCK: Final = 0x57505354_0002
"""The key of the advisory lock under which positions are given."""
CHANNEL: Final = "waypost_journal"
MOST_AT_ONCE: Final = 2_000

LOCK: Final = f"select pg_advisory_xact_lock({SEQUENCER_LOCK})"
GIVE: Final = f"""
with waiting as materialized (
  select entry, row_number() over (order by entry) as step from (
    select entry from journal where position is null and {SERVED} <= {{schema}} order by entry limit {MOST_AT_ONCE}
  ) as first_ones
), given as (
  update journal set position = head.position + waiting.step
  from waiting, (select coalesce(max(position), 0) as position from journal) as head
  where journal.entry = waiting.entry
  returning journal.position
)
select count(*) as given, max(position) as head, pg_notify('{CHANNEL}', max(position)::text) as told
from given having count(*) > 0
"""  # noqa: S608 - nothing but this file's constants is in it
LOOK: Final = f"""
select coalesce(max(position), 0) as head,
  exists (select 1 from journal where position is null) and {SERVED} <= {{schema}} as waiting
from journal
"""  # noqa: S608 - as above


def give_positions(connection: Connection, *, schema: int) -> tuple[int, bool]:
    """Gives positions to what is committed without one, on a connection in autocommit. Answers the new head, or 0 where nothing
    waited or a migration left nodes of this `schema` behind, and whether more may wait."""
    cursor = connection.execute(
        f"{LOCK}; {GIVE.format(schema=schema)}".encode()
    )  # one message, two snapshots: the second is from after the lock
    cursor.nextset()
    row: Any = cursor.fetchone()
    return (int(row["head"]), row["given"] == MOST_AT_ONCE) if row else (0, False)


def look_at_journal(connection: Connection, *, schema: int) -> tuple[int, bool]:
    """The highest position given, and whether entries wait for theirs from a node of this schema."""
    row: Any = connection.execute(LOOK.format(schema=schema).encode()).fetchone()
    return int(row["head"]), bool(row["waiting"])
