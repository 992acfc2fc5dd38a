"""Copilot CLI: `additionalContext` at the top of the object, and nowhere else. Its payloads are in camel case."""

from __future__ import annotations

from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, context_object
from waypost.agents.files.edits import Edit, Item, Member
from waypost.agents.install import (
    SECONDS,
    Installer,
    Level,
    Wanted,
    Where,
    command_line,
    hook_program,
    mcp_member,
    server,
)

__all__ = ["COPILOT_CLI", "INSTALL"]

COPILOT_CLI = Client(
    name="copilot-cli",
    title="Copilot CLI",
    aliases=("copilot",),
    characters=10_000,
    events=(
        Event(name="sessionStart", boundary=Boundary.START, shape=context_object),
        Event(name="userPromptSubmitted", boundary=Boundary.PROMPT, shape=context_object),
        Event(name="postToolUse", boundary=Boundary.AFTER_TOOL, shape=context_object),
        Event(name="preCompact", boundary=Boundary.COMPACTED),
        Event(name="sessionEnd", boundary=Boundary.END, installed=False),
    ),
)


def _folder(where: Where) -> Path:
    return where.folder("COPILOT_HOME", ".copilot")


def _hooks(program: str) -> tuple[Edit, ...]:
    events = [event.name for event in COPILOT_CLI.events if event.installed]
    return (
        Member(path=(), name="version", value=1),
        *(
            Item(
                path=("hooks", event),
                value={
                    "type": "command",
                    "bash": command_line(program, COPILOT_CLI.name, event),
                    "timeoutSec": SECONDS,
                },
                ours=hook_program(COPILOT_CLI.name, event),
            )
            for event in events
        ),
    )


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".github"
    registry = folder / ("mcp-config.json" if level == "user" else "mcp.json")
    value = server(program, type="local", tools=["*"])
    return [
        Wanted(what="MCP server", path=registry, edits=(mcp_member(value, "mcpServers"),)),
        Wanted(what="hooks", path=folder / "hooks" / "waypost.json", edits=_hooks(program)),
    ]


INSTALL = Installer(
    name=COPILOT_CLI.name,
    title=COPILOT_CLI.title,
    aliases=COPILOT_CLI.aliases,
    programs=("copilot",),
    folder=_folder,
    wanted=_wanted,
    delivery="session start, prompt and after a tool",
    advice="Start Copilot CLI anew.",
)
