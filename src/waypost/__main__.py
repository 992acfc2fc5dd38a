"""The entry point: looks for `hook` and `mcp` before it imports anything else, because agents wait for both."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Runs the command that the arguments name and answers its exit status."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["mcp"]:
        from waypost.bridge.main import main as run  # noqa: PLC0415 - see the module's docstring

        return run(arguments[1:])
    if arguments[:1] == ["hook"]:
        from waypost.hook.main import main as run  # noqa: PLC0415 - see the module's docstring

        return run(arguments[1:])
    from waypost.cli import main as command_line  # noqa: PLC0415 - see the module's docstring

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
