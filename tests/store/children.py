"""Starts the child processes of the store's tests and ends them the hard way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.store.stores import WAIT_SECONDS

ROOT = Path(__file__).parents[2]


@contextmanager
def child(module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A running child with pipes; whatever happens, it is killed and waited for at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"tests.store.{module}", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=WAIT_SECONDS)


def output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    """What the child prints."""
    assert process.stdout is not None
    return process.stdout
