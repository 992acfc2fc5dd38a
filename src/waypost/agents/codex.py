"""Codex: the same envelope as Claude Code's, closed: one key more and the hook fails. Each entry must be trusted by the user once,
by a hash of its line, so that the lines never change.

Plain text that begins with a bracket is read as JSON and refused, which is why nothing but the envelope is printed.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, hook_specific
from waypost.agents.files.edits import Block
from waypost.agents.files.jsonc import parse, value_of
from waypost.agents.install import Installer, Level, Wanted, Where, grouped_hooks, hook_program, mcp_block
from waypost.agents.skills import skills

__all__ = ["CODEX", "INSTALL"]

SNAKE = re.compile(r"(?<=[a-z])(?=[A-Z])")

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


def _untrusted(where: Where, level: Level) -> list[str]:
    """The events whose hooks Codex does not run yet. It notes each one that its user trusts in config.toml, by file, event and place."""
    folder = _folder(where)
    hooks = (folder if level == "user" else where.directory / ".codex") / "hooks.json"
    try:
        state = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8")).get("hooks", {}).get("state", {})
        events = value_of(parse(hooks.read_text(encoding="utf-8")))["hooks"]
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return []  # what cannot be read is named by another check
    missing: list[str] = []
    for event in CODEX.events:
        look = hook_program(CODEX.name, event.name)
        for at, group in enumerate(events.get(event.name, [])):
            key = f"{hooks}:{SNAKE.sub('_', event.name).lower()}:{at}:0"
            if look(group) is not None and not (isinstance(state, dict) and state.get(key, {}).get("trusted_hash")):
                missing.append(event.name)
    return missing


INSTALL = Installer(
    name=CODEX.name,
    title=CODEX.title,
    aliases=CODEX.aliases,
    programs=("codex",),
    folder=_folder,
    wanted=_wanted,
    delivery="session start, prompt and after a tool",
    untrusted=_untrusted,
    advice="Type /hooks in Codex once and trust Waypost's hooks; until then Codex runs none of them and says nothing.",
)
