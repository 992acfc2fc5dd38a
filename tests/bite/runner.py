"""Runs one guard: copies the source, takes the guard out, runs its tests against the copy and says what came of it.

Never touches the real tree. A run that did not test anything is an error, never a bite.
"""

from __future__ import annotations

import enum
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bite.model import Guard

__all__ = ["ROOT", "Outcome", "Result", "bite", "run_tests"]

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
"""How long the tests of one guard may take before the run is given up."""


class Outcome(enum.Enum):
    """What became of a guard that was taken out."""

    BITTEN = "bitten"
    SURVIVED = "survived"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """A guard and its outcome; `words` explain an error."""

    guard: Guard
    outcome: Outcome
    words: str = ""


def run_tests(source: Path, tests: Sequence[str], record: Path) -> subprocess.CompletedProcess[str]:
    """Runs tests with the package taken from `source`; the promises that they name are written to `record`."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command += ["-o", f"pythonpath={source} .", f"--named-promises={record}", *tests]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )


def bite(guard: Guard, source: Path = ROOT / "src") -> Result:
    """Takes one guard out of a copy of `source` and runs its tests."""
    with tempfile.TemporaryDirectory(prefix="waypost-bite-") as folder:
        copy = Path(folder, "src")
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        target = copy / "waypost" / guard.file
        try:
            target.write_text(guard.take_out(target.read_text(encoding="utf-8")), encoding="utf-8")
            done = run_tests(copy, guard.tests, Path(folder, "named.json"))
        except (ValueError, FileNotFoundError) as error:
            return Result(guard=guard, outcome=Outcome.ERROR, words=str(error))
        except subprocess.TimeoutExpired:
            return Result(guard=guard, outcome=Outcome.ERROR, words=f"its tests took over {SECONDS} s")
        return judge(guard, done, Path(folder, "named.json"))


def judge(guard: Guard, done: subprocess.CompletedProcess[str], record: Path) -> Result:
    """Bitten where a test failed, survived where all passed, an error where nothing that names the promise was run."""
    named = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    if done.returncode not in {0, 1}:
        return Result(guard=guard, outcome=Outcome.ERROR, words=done.stdout[-2000:] + done.stderr[-2000:])
    if guard.promise not in named:
        return Result(guard=guard, outcome=Outcome.ERROR, words="none of its tests names the promise")
    return Result(guard=guard, outcome=Outcome.BITTEN if done.returncode else Outcome.SURVIVED)
