"""What `waypost hook` does until the coding agents' hooks are built: nothing, which every agent accepts.

An unknown client or event must never block or break an agent, so that the answer is exit status 0 and no output; today
every client is unknown.
"""

from __future__ import annotations

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Prints nothing and answers 0, whatever the arguments."""
    del arguments
    return 0
