"""Commands that are no operation: the same options, help and ends as the verbs, around a function of their own."""

from __future__ import annotations

from collections.abc import Callable

import click

from waypost.cli.options import SPEECH, How, make_argument, make_options, take_how
from waypost.cli.output import Output

__all__ = ["Run", "make_command", "write_help"]

Run = Callable[[How, Output, dict[str, object]], int]
"""What a command does: how it was asked, where it speaks, and its own parameters. Answers the exit status."""


def make_command(
    name: str,
    run: Run,
    *,
    summary: str,
    example: str,
    arguments: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
) -> click.Command:
    """A command with `--database` and the options of speech beside its own."""

    def callback(**params: object) -> int:
        how = take_how(params)
        return run(how, Output(how), params)

    return click.Command(
        name,
        params=[*(make_argument(argument) for argument in arguments), *make_options((*options, "database", *SPEECH))],
        callback=callback,
        help=write_help(summary, example),
        short_help=summary,
    )


def write_help(summary: str, example: str) -> str:
    """The words of a command's help: what it does, and one example that stays on its line."""
    return f"{summary}\n\n\b\nExample:\n  {example}"
