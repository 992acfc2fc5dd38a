"""What only the store itself can tell after a campaign: SQLite's check, and a journal with dense positions and one entry for each change.

`python -m tests.crash.aftermath DATABASE` prints one JSON object; the store must be stopped. A Postgres database may be given by
its URL; its journal is judged once every entry has its position.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.crash.waiting import wait_until
from waypost.store.interface import Query, Store, Transaction
from waypost.store.journal import bounds
from waypost.store.postgres import PostgresStore
from waypost.store.sqlite.backup import check
from waypost.store.sqlite.engine import SqliteStore

__all__ = ["problems_of"]

COUNT = Query(name="count", text="select count(*) as entries, count(distinct position) as positions from journal")
WAITING = Query(name="waiting", text="select count(*) as entries from journal where position is null")
UNMATCHED = Query(
    name="unmatched",
    text="""
    with changed as (
      select subject_id, max(version) as head, sum(case when kind = 'message.sent' then 1 else 0 end) as sent
      from journal group by subject_id
    ), kept as (select message_id, count(*) as versions from message_versions group by message_id)
    select m.id from messages m
    left join changed c on c.subject_id = m.id left join kept k on k.message_id = m.id
    where coalesce(c.sent, 0) <> 1 or c.head <> m.version or coalesce(k.versions, 0) <> m.version - 1
    limit 5""",
)


def problems_of(database: Path | str) -> list[str]:
    """One sentence for each thing that is wrong with a stopped store (a file, or a database's URL); empty where all is well."""
    store: Store = PostgresStore.open(database) if isinstance(database, str) else SqliteStore.open(database)
    try:
        pages = check(store) if isinstance(store, SqliteStore) else []
        wait_until(lambda: store.read(_is_settled), "a position for every entry of the journal")
        return [f"quick_check: {problem}" for problem in pages] + store.read(_journal_problems)
    finally:
        store.close()


def _is_settled(tx: Transaction) -> bool:
    waiting = tx.row(WAITING)
    assert waiting is not None
    return waiting["entries"] == 0


def _journal_problems(tx: Transaction) -> list[str]:
    found = bounds(tx)
    counted = tx.row(COUNT)
    assert counted is not None
    problems = []
    if not counted["entries"] == counted["positions"] == found.head - found.first + 1:
        problems.append(f"the journal holds {counted['entries']!r} entries between {found.first} and {found.head}")
    problems += [f"the history of {row['id']!r} is not whole" for row in tx.rows(UNMATCHED)]
    return problems


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"problems": problems_of(sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1]))}))
