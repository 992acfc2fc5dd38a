"""Which promises the tests name, found by collecting the whole tree in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["named_by_all_tests"]

ROOT = Path(__file__).resolve().parents[2]


def named_by_all_tests() -> dict[str, list[str]]:
    """For each promise that a test names, those tests. Raises RuntimeError with pytest's words where collection fails."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "named.json")
        command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:xdist", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, f"--named-promises={record}", "tests"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=250,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        named: dict[str, list[str]] = json.loads(record.read_text(encoding="utf-8"))
        return named
