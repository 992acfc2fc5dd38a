"""Runs the official suite for each revision that it has requirements for, against one server, with the committed baseline.

The suite itself judges: a failure that the baseline does not name is a regression, and a named one that passes is stale.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

__all__ = ["RUNS", "Outcome", "Run", "run_suite"]

HERE = Path(__file__).parent
WAIT_SECONDS = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One run: against which server, for which revision, with which baseline, and how many checks pass at least."""

    server: str
    revision: str
    baseline: Path
    passing: int


RUNS = {
    f"{name} {revision}": Run(server=server, revision=revision, baseline=HERE / baseline, passing=passing)
    for name, server, baseline, counts in (
        ("waypost", "waypost.server", "baseline.yml", {"2025-11-25": 35, "2026-07-28": 96}),
        (
            "fixtures",
            "tests.conformance.fixture_server",
            "baseline-fixtures.yml",
            {"2025-11-25": 60, "2026-07-28": 158},
        ),
    )
    for revision, passing in counts.items()
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What one run found: how many checks had which status, whether the baseline holds, and what the suite printed."""

    checks: Counter[str]
    as_expected: bool
    output: str

    @property
    def line(self) -> str:
        """The counts in one line."""
        counts = ", ".join(f"{count} {status.lower()}" for status, count in sorted(self.checks.items()))
        return f"{counts}; {'as the baseline says' if self.as_expected else 'NOT as the baseline says'}"


def run_suite(command: list[str], run: Run, url: str, folder: Path) -> Outcome:
    """Runs what the revision requires against `url`; the results of each check are left in `folder`."""
    done = subprocess.run(
        [
            *command,
            "server",
            *("--url", url),
            *("--requirements", run.revision),
            *("--expected-failures", str(run.baseline)),
            *("-o", str(folder)),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=WAIT_SECONDS,
        check=False,
    )
    checks: Counter[str] = Counter()
    for file in folder.glob("*/checks.json"):
        checks.update(check["status"] for check in json.loads(file.read_text(encoding="utf-8")))
    return Outcome(checks=checks, as_expected=done.returncode == 0, output=f"{done.stdout}{done.stderr}")
