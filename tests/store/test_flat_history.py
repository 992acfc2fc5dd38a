"""Closed mail costs nothing: each hot operation takes SQLite as many steps over a million closed messages as over a thousand."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.history import LIMIT, LONG, OPERATIONS, SHORT, Desk, Steps
from tests.promises.marks import promise


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, Desk]]:
    """The same open mail with a short and a long history behind it."""
    folder = tmp_path_factory.mktemp("history")
    with Steps() as steps:
        short, long = (Desk(Path(folder, f"{closed}.db"), steps, closed=closed) for closed in (SHORT, LONG))
        yield short, long
        short.close()
        long.close()
    shutil.rmtree(folder)  # the long one is a third of a gigabyte


@pytest.mark.slow
@pytest.mark.timeout(240)
@promise("store.speed.flat_history")
def test_a_million_closed_messages_cost_no_hot_operation_a_tenth_more_steps_than_a_thousand(
    desks: tuple[Desk, Desk],
) -> None:
    grown = {}
    for name, work in OPERATIONS.items():
        short, long = (desk.cost(work).steps for desk in desks)
        assert short > 0, f"nothing was counted for {name}"
        if long > short * LIMIT:
            grown[name] = (short, long)
    assert grown == {}


@promise("store.speed.flat_history")
def test_no_statement_of_a_hot_operation_is_planned_anew_when_its_parameters_change(tmp_path: Path) -> None:
    with Steps() as steps:
        desk = Desk(tmp_path / "waypost.db", steps, closed=SHORT)
        for work in [*OPERATIONS.values()] * 2:
            desk.cost(work)
        planned = [name for name, work in OPERATIONS.items() if desk.cost(work).planned]
        desk.close()
    assert planned == []
