"""Claude Code: command hooks in settings.json, whose envelope is read at session start, at a prompt and after a tool.

Plain text would do at the first two, but never after a tool; one envelope serves all. Text above 10,000 characters arrives as a
preview of about 2,000.
"""

from __future__ import annotations

from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, hook_specific
from waypost.agents.install import Installer, Level, Wanted, Where, grouped_hooks, mcp_member, server
from waypost.agents.skills import skills

__all__ = ["CLAUDE_CODE", "INSTALL"]

CLAUDE_CODE = Client(
    name="claude-code",
    title="Claude Code",
    aliases=("claude",),
    characters=10_000,
    events=(
        Event(name="SessionStart", boundary=Boundary.START, shape=hook_specific),
        Event(name="UserPromptSubmit", boundary=Boundary.PROMPT, shape=hook_specific),
        Event(name="PostToolUse", boundary=Boundary.AFTER_TOOL, shape=hook_specific),
        Event(name="SessionEnd", boundary=Boundary.END, installed=False),
    ),
)


def _folder(where: Where) -> Path:
    return where.folder("CLAUDE_CONFIG_DIR", ".claude")


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder, registry = _folder(where), where.home / ".claude.json"
    if where.environ.get("CLAUDE_CONFIG_DIR"):
        registry = folder / ".claude.json"
    if level == "project":
        folder, registry = where.directory / ".claude", where.directory / ".mcp.json"
    return [
        Wanted(what="MCP server", path=registry, edits=(mcp_member(server(program, type="stdio"), "mcpServers"),)),
        Wanted(what="hooks", path=folder / "settings.json", edits=grouped_hooks(CLAUDE_CODE, program)),
        *skills(folder / "skills"),
    ]


INSTALL = Installer(
    name=CLAUDE_CODE.name,
    title=CLAUDE_CODE.title,
    aliases=CLAUDE_CODE.aliases,
    programs=("claude",),
    folder=_folder,
    wanted=_wanted,
    delivery="session start, prompt and after a tool",
    advice="Start Claude Code anew; a project's .mcp.json waits for your approval there.",
)
