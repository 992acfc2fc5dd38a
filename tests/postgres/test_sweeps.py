"""A sweep that waits for a row judges it again by what it is then: what was renewed meanwhile stays."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.postgres.conftest import Nodes, Raw
from tests.postgres.row_waits import wait_until_one_waits
from tests.promises.marks import promise
from tests.store.stores import WAIT_SECONDS, TickingClock
from waypost.kernel.time import DAY
from waypost.store.consumers import forget_consumers
from waypost.store.interface import Transaction
from waypost.store.keys import forget_answers

NOW = 400 * DAY
LONG_AGO = NOW - 100 * DAY
KEY = """
insert into idempotency_keys (principal, project, operation, key, fingerprint, answer, created_at)
values ('local', 'p', 'message.send', 'k', 'f', '{}', %s)
"""
CONSUMER = """
insert into feed_consumers (principal, name, epoch, position, created_at, moved_at, used_at, version)
values ('local', 'mirror', 1, 0, 0, 0, %s, 1)
"""


@promise("idempotency.key.kept_a_day", "feed.consumer.durable")
@pytest.mark.parametrize(
    ("made", "renewed", "sweep"),
    [
        (KEY, "update idempotency_keys set created_at = %s", lambda tx: forget_answers(tx, limit=10)),
        (
            CONSUMER,
            "update feed_consumers set used_at = %s",
            lambda tx: forget_consumers(tx, before=NOW - 90 * DAY, limit=10),
        ),
    ],
    ids=["an answer", "a consumer"],
)
def test_what_was_renewed_while_the_sweep_waited_for_it_stays(
    node: Nodes, raw: Raw, made: str, renewed: str, sweep: Callable[[Transaction], int]
) -> None:
    store, holder = node(clock=TickingClock(NOW)), raw()
    holder.execute(made, (LONG_AGO,))
    holder.commit()
    holder.execute(renewed, (NOW,))
    with ThreadPoolExecutor(1) as threads:
        swept = threads.submit(store.write, sweep)
        wait_until_one_waits(raw)
        holder.commit()
        assert swept.result(WAIT_SECONDS) == 0
