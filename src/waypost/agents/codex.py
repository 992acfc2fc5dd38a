"""Codex: the same envelope as Claude Code's, closed: one key more and the hook fails. Each entry must be trusted by the user once,
by a hash of its line, so that the lines never change.

Plain text that begins with a bracket is read as JSON and refused, which is why nothing but the envelope is printed.
"""

from __future__ import annotations

from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, hook_specific
from waypost.agents.files.edits import Block
from waypost.agents.install import Installer, Level, Wanted, Where, grouped_hooks, mcp_block
from waypost.agents.skills import skills

__all__ = ["CODEX", "INSTALL"]

CODEX = Client(
    name="codex",
    title="Codex",
    aliases=("codex-cli",),
    characters=9_000,
    events=(
        Event(name="SessionStart", boundary=Boundary.START, shape=hook_specific),
        Event(name="UserPromptSubmit", boundary=Boundary.PROMPT, shape=hook_specific),
        Event(name="PostToolUse", boundary=Boundary.AFTER_TOOL, shape=hook_specific),
        Event(name="PostCompact", boundary=Boundary.COMPACTED),
        Event(name="SessionEnd", boundary=Boundary.END, installed=False),
    ),
)


def _folder(where: Where) -> Path:
    return where.folder("CODEX_HOME", ".codex")


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".codex"
    server: Block = mcp_block(program, "mcp_servers")
    return [
        Wanted(what="MCP server", path=folder / "config.toml", edits=(server,)),
        Wanted(what="hooks", path=folder / "hooks.json", edits=grouped_hooks(CODEX, program)),
        *(skills(folder / "skills") if level == "user" else []),
    ]


INSTALL = Installer(
    name=CODEX.name,
    title=CODEX.title,
    aliases=CODEX.aliases,
    programs=("codex",),
    folder=_folder,
    wanted=_wanted,
    delivery="session start, prompt and after a tool",
    advice="Type /hooks in Codex once and trust Waypost's hooks; until then Codex runs none of them and says nothing.",
)
