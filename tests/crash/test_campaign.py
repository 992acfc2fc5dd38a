"""A short kill campaign through the real server and the real command line. The long one is `python -m tests.crash.campaign`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.campaign import Campaign
from tests.crash.plan import SHORT, SHORT_NODES, Plan
from tests.postgres_cluster import find_binaries
from tests.promises.marks import promise


@pytest.mark.slow
@pytest.mark.timeout(600)  # starts some forty processes; a slow machine is no failure
@promise(
    "store.crash.nothing_lost",
    "mail.send.durable_before_answer",
    "mail.pop.exactly_once",
    "mail.pop.replayed",
    "idempotency.key.first_answer",
    "store.lock.released_by_death",
    "store.pipeline.without_server",
)
def test_servers_clients_and_commands_killed_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    plan = Plan(seed=20_261_130, **SHORT)
    report = Campaign(plan, tmp_path).run()
    assert report.verdict.violations == [], "\n".join(report.lines())
    assert report.verdict.counts["acknowledged sends"] >= plan.sends
    assert report.kills["server"] >= 3
    assert report.kills.total() >= 8


@pytest.mark.slow
@pytest.mark.timeout(600)  # as above
@promise(
    "postgres.nodes.one_dies",
    "postgres.restart.reconnects",
    "store.crash.nothing_lost",
    "mail.pop.exactly_once",
    "idempotency.key.first_answer",
)
def test_three_nodes_on_one_database_lose_nothing_while_nodes_and_database_are_killed(tmp_path: Path) -> None:
    if find_binaries() is None:
        pytest.skip("no Postgres of our own can be started and stopped")
    plan = Plan(seed=20_261_131, engine="postgres", **{**SHORT, **SHORT_NODES})
    report = Campaign(plan, tmp_path).run()
    assert report.verdict.violations == [], "\n".join(report.lines())
    assert report.verdict.counts["acknowledged sends"] >= plan.sends
    assert report.kills["server"] >= 3
    assert {name for name, count in report.kills.items() if count} >= {"database, fast", "database, immediate"}
