"""The long fuzz: `python -m tests.agents.campaign [--seed N] [--each 10000] [--real 300]`.

`--each` payloads for each client through the renderer, `--real` in all through the real command and a real server. Prints what broke,
with what reproduces it, and ends with 1 then.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
import tempfile
from pathlib import Path

from tests.agents.fuzzing import broken_output, payloads, render
from tests.agents.payloads import EVENTS
from tests.doors.command_line import CommandLine
from waypost.agents.known import client_named

__all__ = ["main", "through_command", "through_renderer"]

WORDS = "Waypost: \x1b[31m \u202e // \x7f words"


def through_renderer(seed: int, each: int) -> list[str]:
    """What broke among `each` payloads of every client."""
    broken: list[str] = []
    for name in EVENTS:
        client = client_named(name)
        assert client is not None
        for number, (event, raw) in enumerate(payloads(seed, name, each)):
            try:
                wrong = broken_output(name, event, render(client, event, raw, WORDS))
            except Exception as error:
                wrong = repr(error)
            if wrong:
                broken.append(f"{name} {event} number {number} of seed {seed}: {wrong}: {raw!r}")
    return broken


def through_command(line: CommandLine, seed: int, count: int) -> list[str]:
    """What broke among `count` payloads in all through the real command; a server may run or not."""
    broken: list[str] = []
    each = {name: payloads(seed, name, count) for name in EVENTS}
    for number, name in enumerate(itertools.islice(itertools.cycle(EVENTS), count)):
        event, raw = next(each[name])
        result = line.finish("hook", name, event, given=raw, variables={"WAYPOST_HOOK_START_SERVER": "0"})
        wrong = broken_output(name, event, result.out.encode())
        if result.status or result.err or wrong:
            broken.append(f"{name} {event} number {number}: {result.status} {result.err!r} {wrong}: {raw!r}")
    return broken


def main(arguments: list[str]) -> int:
    """Runs the campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.agents.campaign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=10_000)
    parser.add_argument("--real", type=int, default=300)
    given = parser.parse_args(arguments)
    broken = through_renderer(given.seed, given.each)
    line = CommandLine(Path(tempfile.mkdtemp(prefix="wp-")))
    try:
        with line.serving():
            broken += through_command(line, given.seed, given.real)
    finally:
        shutil.rmtree(line.home)
    for words in broken[:20]:
        print(words)  # noqa: T201 - a command that prints what it found
    print(f"{given.each} payloads for each of {len(EVENTS)} clients, {given.real} real ones: {len(broken)} broke")  # noqa: T201 - as above
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
