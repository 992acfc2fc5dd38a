"""The command line. Its commands come with the operations they call; until then it says so."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Refuses every command: exit status 2, as for any unknown one."""
    sys.stderr.write("waypost: the only command so far is `waypost mcp`.\n")
    return 2
