"""A short kill campaign of the feed's consumers, and its checker. The long one is `python -m tests.crash.feed_campaign`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.crash.feed_campaign import FeedCampaign, FeedPlan
from tests.crash.feed_checker import Change, judge_checkpoint, judge_own_cursor
from tests.crash.nodes import Engine
from tests.postgres_cluster import find_binaries
from tests.promises.marks import promise

FEED: list[Change] = [(f"1.{position}", "session.registered", f"s{position}") for position in range(1, 7)]
BEGAN = {"kind": "began"}


def page(first: int, last: int, *, gap: object = None) -> dict[str, Any]:
    return {"kind": "page", "cursor": f"1.{last}", "gap": gap, "seen": [list(one) for one in FEED[first - 1 : last]]}


def committed(cursor: int) -> dict[str, Any]:
    return {"kind": "committed", "cursor": f"1.{cursor}"}


@pytest.mark.slow
@pytest.mark.timeout(600)  # starts some twenty processes; a slow machine is no failure
@promise("feed.consumer.exactly_once", "feed.consumer.at_least_once", "feed.consumer.durable")
@pytest.mark.parametrize(("engine", "nodes"), [("sqlite", 1), ("postgres", 2)])
def test_consumers_killed_under_load_see_each_change_once_and_in_order(
    engine: Engine, nodes: int, tmp_path: Path
) -> None:
    if engine == "postgres" and find_binaries() is None:
        pytest.skip("no Postgres of our own can be started and stopped")
    plan = FeedPlan(kills=5, seed=20_261_201, engine=engine, nodes=nodes, server_every=3)
    report = FeedCampaign(plan, tmp_path).run()
    assert report.violations == [], "\n".join(report.lines())
    assert report.findings["own"].seen == report.changes > 0
    assert report.server_kills == 1


def test_the_checker_takes_each_change_once_and_in_order_for_a_cursor_of_its_own() -> None:
    assert judge_own_cursor([page(1, 2), page(3, 6)], FEED).violations == []
    for wrong in ([page(1, 2), page(4, 6)], [page(1, 3), page(3, 6)], [page(3, 6), page(1, 2)], [page(1, 5)]):
        assert judge_own_cursor(wrong, FEED).violations
    assert judge_own_cursor([page(1, 2), page(3, 6, gap={"reason": "pruned"})], FEED).violations


@pytest.mark.parametrize(
    "lines",
    [
        [BEGAN, page(1, 3), committed(3), page(4, 6), committed(6)],
        [BEGAN, page(1, 3), BEGAN, page(1, 3), committed(3), page(4, 6)],
        [BEGAN, page(1, 3), BEGAN, page(4, 6)],
        [BEGAN, page(1, 3), BEGAN, page(4, 5), BEGAN, page(4, 6)],
    ],
    ids=[
        "undisturbed",
        "killed before the commit",
        "killed after the commit",
        "killed after the commit, then before it",
    ],
)
def test_the_checker_takes_what_a_kill_around_a_commit_may_leave(lines: list[dict[str, Any]]) -> None:
    assert judge_checkpoint(lines, FEED).violations == []


@pytest.mark.parametrize(
    "lines",
    [
        [BEGAN, page(1, 3), committed(3), BEGAN, page(5, 6)],
        [BEGAN, page(1, 3), committed(3), BEGAN, page(2, 6)],
        [BEGAN, page(1, 3), page(5, 6)],
        [BEGAN, page(1, 3), page(3, 6)],
        [BEGAN, page(1, 5), committed(5)],
    ],
    ids=["lost after a start", "back before the checkpoint", "lost", "again without a kill", "the last one missed"],
)
def test_the_checker_finds_what_is_lost_or_told_again_without_need(lines: list[dict[str, Any]]) -> None:
    assert judge_checkpoint(lines, FEED).violations
