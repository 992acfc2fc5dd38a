"""The official suite passes but for what the baseline names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conformance.runner import REVISIONS, run_suite
from tests.end_to_end.server_process import ServerProcess
from tests.node.programs import conformance
from tests.promises.marks import promise

pytestmark = [pytest.mark.node, pytest.mark.slow]


@promise("mcp.conformance.baseline")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_official_suite_finds_only_what_the_baseline_names(home: Path, tmp_path: Path, revision: str) -> None:
    command = conformance()
    if command is None and not os.environ.get("CI"):
        pytest.skip("the suite is not installed: make node")
    assert command is not None
    with ServerProcess(home) as server:
        outcome = run_suite(command, f"{server.url}/mcp", revision, tmp_path / "results")
    assert outcome.as_expected, outcome.output
    assert outcome.checks["SUCCESS"] >= {"2025-11-25": 35, "2026-07-28": 96}[revision], outcome.line
