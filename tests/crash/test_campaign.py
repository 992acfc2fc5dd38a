"""A short kill campaign through the real server and the real command line. The long one is `python -m tests.crash.campaign`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.campaign import Campaign
from tests.crash.plan import SHORT, Plan
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
