"""The official suite passes but for what the baseline names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conformance.runner import RUNS, run_suite
from tests.end_to_end.server_process import ServerProcess
from tests.node.programs import conformance
from tests.promises.marks import promise

pytestmark = [pytest.mark.node, pytest.mark.slow]


@promise("mcp.conformance.baseline")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", RUNS)
def test_the_official_suite_finds_only_what_the_baseline_names(home: Path, tmp_path: Path, name: str) -> None:
    command, run = conformance(), RUNS[name]
    if command is None and not os.environ.get("CI"):
        pytest.skip("the suite is not installed: make node")
    assert command is not None
    with ServerProcess(home, module=run.server) as server:
        outcome = run_suite(command, run, f"{server.url}/mcp", tmp_path / "results")
    assert outcome.as_expected, outcome.output
    assert outcome.checks["SUCCESS"] >= run.passing, outcome.line
