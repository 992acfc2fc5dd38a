"""The examples of the Python page run as they stand, each as a program of its own, on a store of the test's own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.bridge_process import SOURCES
from tests.doors.python.served import fresh_home, served
from tests.promises.marks import promise

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def examples() -> list[str]:
    """The Python blocks of the page."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def run(example: str) -> str:
    """What a program prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        env={**os.environ, "PYTHONPATH": SOURCES},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@promise("day_one.docs.python")
@pytest.mark.timeout(120)
def test_the_examples_of_the_python_page_work_word_by_word() -> None:
    first, follow, refused = examples()
    with fresh_home():
        assert "nothing was sent" in run(refused)
        with served():
            assert re.search(r"Export.*web", run(first), re.DOTALL)
            assert "message_not_found" in run(refused)
            assert run(follow).startswith("project.added")
