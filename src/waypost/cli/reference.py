"""The reference page of the command line, written from the commands themselves: `python -m waypost.cli.reference [FILE]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from waypost.cli.options import COMMON, make_options
from waypost.cli.program import program

__all__ = ["main", "write_reference"]

HEAD = """# Command line

<!-- Written by `python -m waypost.cli.reference docs/reference/cli.md`; edit the commands, not this page. -->

`waypost COMMAND --help` says the same in a terminal. Exit status: 0 done (also where there is nothing), 1 refused, 2 bad usage,
130 interrupted. With `--json` a command prints one JSON object on standard output, refusals included.
"""


def write_reference() -> str:
    """The page."""
    shared = [_row(option) for option in make_options(COMMON) if isinstance(option, click.Option)]
    parts = [HEAD, "## Common options", "", "| option | |", "| --- | --- |", *shared, ""]
    for path, command in _commands(program, "waypost"):
        parts.append(_section(path, command))
    return "\n".join(parts)


def _commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def _section(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path)
    summary, _, example = (command.help or "").partition("\b\nExample:\n")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {path}", "", summary.strip(), "", "```text", f"{path} {usage}", "```", ""]
    if example:
        lines += ["```sh", example.strip(), "```", ""]
    options = [option for option in command.params if isinstance(option, click.Option)]
    own = [_row(option) for option in options if option.name not in COMMON]
    if own:
        lines += ["| option | |", "| --- | --- |", *own, ""]
    common = [f"`{option.opts[-1]}`" for option in options if option.name in COMMON]
    if common:
        lines += [f"Common options: {', '.join(common)}.", ""]
    return "\n".join(lines)


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in option.opts)
    if isinstance(option.type, click.Choice):
        names += f" {' '.join(f'`{choice}`' for choice in option.type.choices)}"
    variable = f" Environment: `{option.envvar}`." if option.envvar else ""
    required = " Required." if option.required else ""
    return f"| {names} | {option.help}{required}{variable} |"


def main(arguments: list[str]) -> int:
    """Writes the page to the file named, or to standard output."""
    page = write_reference()
    if arguments:
        Path(arguments[0]).write_text(page, encoding="utf-8")
    else:
        sys.stdout.write(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
