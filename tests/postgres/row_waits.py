"""Waits until a unit of some node waits for a row that another transaction holds."""

from __future__ import annotations

from tests.crash.waiting import wait_until
from tests.postgres.conftest import Raw

__all__ = ["wait_until_one_waits"]

WAITS = """
select exists (select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')
"""


def wait_until_one_waits(raw: Raw) -> None:
    """Until some unit waits for a row that another one holds."""
    connection = raw()
    connection.autocommit = True

    def one_waits() -> bool:
        found = connection.execute(WAITS).fetchone()
        return found is not None and bool(found[0])

    wait_until(one_waits, "a unit that waits for a row")
