"""The command line: `waypost`. Commands are imported only when they run, because a command's start is part of its cost."""

from __future__ import annotations

__all__ = ["main"]


def main() -> int:
    """Runs the command that the arguments name and answers the exit status: 0 done, 1 refused, 2 bad usage, 130 interrupted."""
    try:
        from waypost.cli.program import run  # noqa: PLC0415 - an interrupt while importing ends as any other

        return run()
    except KeyboardInterrupt:
        return 130
