"""Runs the official suite for each revision that it has requirements for, against one server, with the committed baseline.

The suite itself judges: a failure that the baseline does not name is a regression, and a named one that passes is stale.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BASELINE", "REVISIONS", "Outcome", "run_suite"]

BASELINE = Path(__file__).with_name("baseline.yml")
REVISIONS = ("2025-11-25", "2026-07-28")
WAIT_SECONDS = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What one run found: how many checks had which status, whether the baseline holds, and what the suite printed."""

    revision: str
    checks: Counter[str]
    as_expected: bool
    output: str

    @property
    def line(self) -> str:
        """The counts in one line."""
        counts = ", ".join(f"{count} {status.lower()}" for status, count in sorted(self.checks.items()))
        return (
            f"{self.revision}: {counts}; {'as the baseline says' if self.as_expected else 'NOT as the baseline says'}"
        )


def run_suite(command: list[str], url: str, revision: str, folder: Path) -> Outcome:
    """Runs what `revision` requires against `url`; the results of each check are left in `folder`."""
    done = subprocess.run(
        [
            *command,
            "server",
            *("--url", url),
            *("--requirements", revision),
            *("--expected-failures", str(BASELINE)),
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
    return Outcome(
        revision=revision, checks=checks, as_expected=done.returncode == 0, output=f"{done.stdout}{done.stderr}"
    )
