"""`waypost logs`: the end of the server's log, and its new lines as they come, also over a rotation of the file."""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path
from typing import BinaryIO

from waypost.cli.command import make_command
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.client.folders import log_path
from waypost.kernel.errors import NotFound

__all__ = ["logs"]

LINES = 50
LOOK_SECONDS = 0.5


def _logs(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    place = Path(log_path("server.log"))
    count = params["lines"]
    most = count if isinstance(count, int) else LINES
    try:
        file = place.open("rb")
    except OSError as error:
        raise NotFound(
            f"{place} cannot be read: {error.strerror}.", hint="Start a server with `waypost serve`."
        ) from None
    with file:
        for line in deque(file, maxlen=max(most, 0)):
            _show(line, output)
        if params["follow"]:
            _follow(place, file, output)
    return 0


def _follow(place: Path, file: BinaryIO, output: Output) -> None:
    """Shows what is added until it is interrupted. Where the file was rotated, what stands under its name is read from its start."""
    rest = b""
    while True:
        for line in file:
            rest += line
            if rest.endswith(b"\n"):
                _show(rest, output)
                rest = b""
        output.flush()
        if _rotated(place, file):
            file.close()
            file, rest = place.open("rb"), b""
            continue
        time.sleep(LOOK_SECONDS)


def _rotated(place: Path, file: BinaryIO) -> bool:
    try:
        there, open_ = place.stat(), os.fstat(file.fileno())
    except OSError:
        return False
    return not os.path.samestat(there, open_) or there.st_size < file.tell()


def _show(line: bytes, output: Output) -> None:
    output.line(line.decode("utf-8", "replace").rstrip("\n"))


logs = make_command(
    "logs",
    _logs,
    summary="Show what the server wrote to its log.",
    example="waypost logs -f -n 100",
    options=("follow", "lines"),
)
