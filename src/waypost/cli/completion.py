"""`waypost completion`: the lines that a shell loads, by click."""

from __future__ import annotations

import click

from waypost.cli.command import write_help

__all__ = ["completion"]

SHELLS = ("bash", "zsh", "fish")


def _completion(shell: str) -> int:
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - only here

    from waypost.cli.program import program  # noqa: PLC0415 - the program imports this module

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(program, {}, "waypost", "_WAYPOST_COMPLETE").source())
    return 0


completion = click.Command(
    "completion",
    params=[click.Argument(["shell"], type=click.Choice(SHELLS))],
    callback=_completion,
    help=write_help("Print completion for a shell.", 'eval "$(waypost completion bash)"'),
    short_help="Print completion for a shell.",
)
