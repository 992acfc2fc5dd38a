"""What setup puts where for one client: the interface that each client's module fills, and the forms that several share.

The command lines are written once and never change over upgrades: the absolute path of the `waypost` program, and `|| true` where a
shell runs the line, so that even a removed package fails no hook. No secret is in any of them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from waypost.agents.client import Client
from waypost.agents.files.edits import Block, Edit, Item, Member

__all__ = [
    "SECONDS",
    "Installer",
    "Level",
    "Wanted",
    "Where",
    "command_line",
    "grouped_hooks",
    "hook_program",
    "mcp_block",
    "mcp_member",
    "mcp_program",
    "server",
]

Level = Literal["user", "project"]
SECONDS = 5
"""What clients are told to wait at most. A hook ends by itself long before."""
NAME = "waypost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """On which account, in which environment and for which repository setup works."""

    home: Path
    directory: Path
    environ: Mapping[str, str]
    platform: str

    def folder(self, variable: str, *parts: str) -> Path:
        """The folder that a variable names, else one below the home folder."""
        named = self.environ.get(variable, "")
        return Path(named) if Path(named).is_absolute() else self.home.joinpath(*parts)

    def config(self, *parts: str) -> Path:
        """A folder below XDG's folder of configuration."""
        return self.folder("XDG_CONFIG_HOME", ".config").joinpath(*parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What is to stand in one file."""

    what: str
    path: Path
    edits: tuple[Edit, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Installer:
    """How one client is set up. `folder` is what shows that it is there, beside its `programs` on the path; `wanted` answers what
    goes into which files, for the program at a path; `advice` is what its user must do once."""

    name: str
    title: str
    folder: Callable[[Where], Path]
    wanted: Callable[[Where, Level, str], list[Wanted]]
    programs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ("user", "project")
    delivery: str = ""
    advice: str = ""
    untrusted: Callable[[Where, Level], list[str]] | None = None
    """For a client that runs no hook before its user trusted it: which events' hooks are not trusted yet."""


def command_line(program: str, client: str, event: str) -> str:
    """The line that a client's shell runs."""
    return f"{shlex.quote(program)} hook {client} {event} || true"


def hook_program(client: str, event: str) -> Callable[[Any], str | None]:
    """Tells our hook for an event: the program that its line names."""
    line = re.compile(
        rf"(?P<program>'[^']*waypost'|[^\s'\"]*waypost)(?:\.exe)?['\"]?\s+hook\s+{client}\s+{event}(?!\S)"
    )

    def look(value: Any) -> str | None:
        for text in _texts(value):
            found = line.search(text)
            if found:
                return found["program"].strip("'")
        return None

    return look


def mcp_program(value: Any) -> str | None:
    """Tells an MCP entry of the name `waypost`, which is ours in whatever form: the program that it starts, if it starts one."""
    command = value.get("command") if isinstance(value, dict) else None
    if isinstance(command, list):
        command = command[0] if command else None
    return command if isinstance(command, str) else ""


def server(program: str, **more: Any) -> dict[str, Any]:
    """An MCP server that is started by a command."""
    return {**more, "command": program, "args": ["mcp"]}


def mcp_member(value: Mapping[str, Any], *path: str) -> Member:
    """The MCP entry in the object at `path`."""
    return Member(path=path, name=NAME, value=dict(value), ours=mcp_program)


def mcp_block(program: str, table: str) -> Block:
    """The MCP entry as lines of a TOML file. A path is written as a JSON text, which TOML reads the same."""

    def present(found: dict[str, Any]) -> str | None:
        servers = found.get(table)
        return mcp_program(servers[NAME]) if isinstance(servers, dict) and NAME in servers else None

    command = json.dumps(program, ensure_ascii=False)
    return Block(lines=f'[{table}.{NAME}]\ncommand = {command}\nargs = ["mcp"]', program=program, present=present)


def grouped_hooks(client: Client, program: str, timeout: int = SECONDS, **more: Any) -> tuple[Item, ...]:
    """Hooks in Claude Code's form: for each event a list of groups, each with a list of commands."""
    return tuple(
        Item(
            path=("hooks", event.name),
            value={
                "hooks": [
                    {
                        **{name: value.format(event=event.name) for name, value in more.items()},
                        "type": "command",
                        "command": command_line(program, client.name, event.name),
                        "timeout": timeout,
                    }
                ]
            },
            ours=hook_program(client.name, event.name),
        )
        for event in client.events
        if event.installed
    )


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
