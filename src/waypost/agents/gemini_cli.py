"""Gemini CLI: one JSON object or nothing, because anything else becomes a message to the person. Its timeouts are milliseconds."""

from __future__ import annotations

from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, hook_specific
from waypost.agents.install import Installer, Level, Wanted, Where, grouped_hooks, mcp_member, server
from waypost.agents.skills import skills

__all__ = ["GEMINI_CLI", "INSTALL"]

GEMINI_CLI = Client(
    name="gemini-cli",
    title="Gemini CLI",
    aliases=("gemini",),
    characters=10_000,
    events=(
        Event(name="SessionStart", boundary=Boundary.START, shape=hook_specific),
        Event(name="BeforeAgent", boundary=Boundary.PROMPT, shape=hook_specific),
        Event(name="AfterTool", boundary=Boundary.AFTER_TOOL, shape=hook_specific),
        Event(name="PreCompress", boundary=Boundary.COMPACTED),
        Event(name="SessionEnd", boundary=Boundary.END, installed=False),
    ),
)


MILLISECONDS = 5_000


def _folder(where: Where) -> Path:
    return where.home / ".gemini"


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".gemini"
    settings = folder / "settings.json"
    hooks = grouped_hooks(GEMINI_CLI, program, MILLISECONDS, name="waypost-{event}")
    return [
        Wanted(what="MCP server", path=settings, edits=(mcp_member(server(program), "mcpServers"),)),
        Wanted(what="hooks", path=settings, edits=hooks),
        *skills(folder / "skills"),
    ]


INSTALL = Installer(
    name=GEMINI_CLI.name,
    title=GEMINI_CLI.title,
    aliases=GEMINI_CLI.aliases,
    programs=("gemini",),
    folder=_folder,
    wanted=_wanted,
    delivery="session start, prompt and after a tool",
    advice="Trust the folder in Gemini CLI: in an untrusted one it runs neither hooks nor any MCP server.",
)
