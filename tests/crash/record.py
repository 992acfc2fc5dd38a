"""What a client writes down: what it is about to ask and what was acknowledged, one line of JSON each, before its next call.

A line is one write to a file opened for appending, so that a killed client leaves whole lines and at most one torn at the end.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["Record", "read_lines"]


class Record:
    """The file of one client process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("ab", buffering=0)

    def write(self, kind: str, **facts: object) -> None:
        """Appends one line. It reached the operating system when this returns."""
        self._file.write(json.dumps({"kind": kind, **facts}).encode("ascii") + b"\n")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file, without one that was torn by a kill."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
