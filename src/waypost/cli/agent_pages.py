"""The page of each coding agent, written from what setup writes and hooks print: `python -m waypost.cli.agent_pages FOLDER`.

The picture of what the agent sees is the client's own shape around one example, so that it cannot drift from the code.
"""

from __future__ import annotations

import sys
from pathlib import Path

from waypost.agents.client import Client
from waypost.agents.files.edits import Block, Edit, Item, Member
from waypost.agents.install import Installer, Level, Where
from waypost.agents.known import INSTALLERS, client_named

__all__ = ["main", "write_index", "write_page"]

WHERE = Where(home=Path("~"), directory=Path(), environ={}, platform="linux")
PROGRAM = "/home/you/.local/bin/waypost"
HEAD = "<!-- Written by `python -m waypost.cli.agent_pages docs/agents`; edit what setup writes, not this page. -->"
INTRODUCTION = (
    "`waypost setup` shows what each agent that is here needs, and `waypost setup --write` writes it. It merges, never replaces, and"
    " `--remove` takes it back byte for byte. A hook that fails is silent: it never blocks an agent."
)
EXAMPLE = (
    'Waypost: 1 unread message waits in the inbox of default/api. message_list(project="default/api") shows it, …\n\n'
    "Waypost: this session is 3f6e, and its project is default/api. Waypost's tools that act for a session take session=3f6e."
)


def write_page(installer: Installer) -> str:
    """The page of one client."""
    client = client_named(installer.name)
    parts = [f"# {installer.title}", HEAD, _begin(installer), _files(installer), _boundaries(installer, client)]
    if client is not None:
        parts.append(_picture(client))
    parts.append(_care(installer))
    return "\n\n".join(parts) + "\n"


def write_index() -> str:
    """The page that leads to all."""
    lines = [
        "# Coding agents",
        HEAD,
        INTRODUCTION,
        "| agent | hears of mail by itself |\n| --- | --- |\n"
        + "\n".join(f"| [{one.title}]({one.name}.md) | {one.delivery} |" for one in INSTALLERS),
        "Any other MCP client: register `waypost mcp` as a stdio server.",
    ]
    return "\n\n".join(lines) + "\n"


def _begin(installer: Installer) -> str:
    words = f"```\nwaypost setup --write --client {installer.name}\n```"
    return f"{words}\n\n{installer.advice}" if installer.advice else words


def _files(installer: Installer) -> str:
    lines = ["## What is written"]
    for level in installer.levels:
        rows = [
            f"- `{one.path.as_posix()}`: {one.what}{_events(one.edits)}"
            for one in installer.wanted(WHERE, level, PROGRAM)
        ]
        lines += [f"{_level(level)}\n\n" + "\n".join(rows)]
    return "\n\n".join(lines)


def _level(level: Level) -> str:
    return "For all your repositories:" if level == "user" else "Or, with `--level project`, for this one alone:"


def _events(edits: tuple[Edit, ...]) -> str:
    names = [edit.path[-1] for edit in edits if isinstance(edit, Item)]
    names += [
        line.split('"')[1]
        for edit in edits
        if isinstance(edit, Block)
        for line in edit.lines.split("\n")
        if line.startswith("event")
    ]
    places = [".".join((*edit.path, edit.name)) for edit in edits if isinstance(edit, Member) and edit.ours]
    found = names or places
    return f" ({', '.join(f'`{name}`' for name in found)})" if found else ""


def _boundaries(installer: Installer, client: Client | None) -> str:
    words = f"## When it hears of mail\n\n{installer.delivery[0].upper()}{installer.delivery[1:]}."
    if client is None:
        return words
    silent = [f"`{event.name}`" for event in client.events if event.shape is None and event.installed]
    return (
        f"{words} {', '.join(silent)} only notes what happened; nothing that it prints reaches the model."
        if silent
        else words
    )


def _picture(client: Client) -> str:
    event = next(event for event in client.events if event.shape is not None)
    assert event.shape is not None
    return (
        f"## What the agent sees\n\nWhat the hook prints at `{event.name}`:\n\n```\n{event.shape(event.name, EXAMPLE)}\n```\n\n"
        f"and what reaches the model:\n\n```\n{EXAMPLE}\n```"
    )


def _care(installer: Installer) -> str:
    return (
        f"## If something is wrong\n\n`waypost doctor` names it, with the command that mends it; `waypost setup --remove --client "
        f"{installer.name}` takes all back. Hooks write one line to `hook.log` (see `waypost status` for the folder) when they could not"
        " speak."
    )


def main(arguments: list[str]) -> int:
    """Writes every page into a folder."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.md").write_text(write_index(), encoding="utf-8")
    for installer in INSTALLERS:
        (folder / f"{installer.name}.md").write_text(write_page(installer), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
