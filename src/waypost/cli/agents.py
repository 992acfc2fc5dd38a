"""`mcp` and `hook` for help alone: the entry point runs both before the command line is imported, because agents wait for them."""

from __future__ import annotations

import click

__all__ = ["hook", "mcp"]


def _make(name: str, arguments: str, summary: str) -> click.Command:
    def misplaced(rest: tuple[str, ...]) -> None:  # noqa: ARG001 - what follows cannot be run from here
        raise click.UsageError(f"`{name}` must be the first argument: waypost {name} {arguments}")

    return click.Command(
        name,
        params=[click.Argument(["rest"], nargs=-1, type=click.UNPROCESSED, metavar=arguments)],
        callback=misplaced,
        help=summary,
        context_settings={"ignore_unknown_options": True},
    )


mcp = _make(
    "mcp", "[OPTIONS]", "Speak MCP on standard input and output for one client; joins or starts the local server."
)
hook = _make(
    "hook", "CLIENT EVENT", "Read a coding agent's event on standard input and answer in that agent's own form."
)
