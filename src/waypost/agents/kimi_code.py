"""Kimi Code: what a prompt's hook prints becomes a message of the user, as it is; what a session-start hook prints is thrown away.
So the start is told at the first prompt. An empty object would be injected too: nothing is printed where there is nothing to say.
"""

from __future__ import annotations

import json
from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, plain
from waypost.agents.files.edits import Block
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

__all__ = ["INSTALL", "KIMI_CODE"]

KIMI_CODE = Client(
    name="kimi-code",
    title="Kimi Code",
    aliases=("kimi",),
    characters=10_000,
    events=(
        Event(name="SessionStart", boundary=Boundary.START),
        Event(name="UserPromptSubmit", boundary=Boundary.PROMPT, shape=plain),
        Event(name="PostCompact", boundary=Boundary.COMPACTED),
        Event(name="SessionEnd", boundary=Boundary.END, installed=False),
    ),
)


def _folder(where: Where) -> Path:
    return where.folder("KIMI_CODE_HOME", ".kimi-code")


def _hook(program: str, event: str) -> Block:
    """One entry; any other key than these breaks Kimi's whole file."""
    look = hook_program(KIMI_CODE.name, event)
    line = json.dumps(command_line(program, KIMI_CODE.name, event), ensure_ascii=False)
    return Block(
        lines=f'[[hooks]]\nevent = "{event}"\ncommand = {line}\ntimeout = {SECONDS}',
        program=program,
        present=lambda table: look(table.get("hooks")),
    )


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".kimi-code"
    hooks = tuple(_hook(program, event.name) for event in KIMI_CODE.events if event.installed)
    registry = Wanted(what="MCP server", path=folder / "mcp.json", edits=(mcp_member(server(program), "mcpServers"),))
    return [registry, *([Wanted(what="hooks", path=folder / "config.toml", edits=hooks)] if level == "user" else [])]


INSTALL = Installer(
    name=KIMI_CODE.name,
    title=KIMI_CODE.title,
    aliases=KIMI_CODE.aliases,
    programs=("kimi",),
    folder=_folder,
    wanted=_wanted,
    delivery="at prompts, the first of which is told what the others learn at session start",
    advice="Start Kimi Code anew.",
)
