"""The tree of commands: groups that know the names and summaries of their commands and build one only when it is asked for.

Knows no command and no operation.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from waypost.cli.verb import Verb

__all__ = ["Place", "Tree", "VerbTree"]


class Place(NamedTuple):
    """Where a command is found (`module:attribute`), under which heading help lists it, and its summary."""

    section: str
    target: str
    summary: str


class Tree(click.Group):
    """A group whose commands stand in modules that are imported when the command runs or is asked for its help."""

    def __init__(self, *, name: str, places: Mapping[str, Place], help: str, params: list[click.Parameter]) -> None:  # noqa: A002 - click's name
        super().__init__(name=name, help=help, params=params)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's shape
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's shape
        place = self.places.get(cmd_name)
        if place is None:
            return None
        module, _, attribute = place.target.partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's shape
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, place in self.places.items():
            sections.setdefault(place.section, []).append((name, place.summary))
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl(rows)


class VerbTree(click.Group):
    """A group of operations, declared as a table of verbs."""

    def __init__(self, *, name: str, verbs: Mapping[str, Verb], help: str) -> None:  # noqa: A002 - click's name
        super().__init__(name=name, help=help)
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's shape
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's shape
        verb = self.verbs.get(cmd_name)
        return verb.command(cmd_name) if verb is not None else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's shape
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.summary) for name, verb in self.verbs.items()])
