"""Muse Code: plain text at session start, below 16 KiB, above which it kills the hook. Its other events take no context."""

from __future__ import annotations

from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, plain
from waypost.agents.files.edits import Member
from waypost.agents.install import Installer, Level, Wanted, Where, grouped_hooks, mcp_member, server

__all__ = ["INSTALL", "MUSE_CODE"]

MUSE_CODE = Client(
    name="muse-code",
    title="Muse Code",
    aliases=("muse",),
    characters=10_000,
    most_bytes=16_382,
    events=(
        Event(name="SessionStart", boundary=Boundary.START, shape=plain),
        Event(name="UserPromptSubmit", boundary=Boundary.PROMPT, installed=False),
        Event(name="PostToolUse", boundary=Boundary.AFTER_TOOL, installed=False),
        Event(name="SessionEnd", boundary=Boundary.END, installed=False),
    ),
)


def _folder(where: Where) -> Path:
    return where.config("muse")


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    settings = _folder(where) / "settings.json"
    head = Member(path=(), name="schema_version", value=1)
    hooks = grouped_hooks(MUSE_CODE, program)
    if level == "project":
        return [Wanted(what="hooks", path=where.directory / ".muse" / "hooks.json", edits=(head, *hooks))]
    registry = mcp_member(server(program, mode="optional"), "mcp_servers")
    return [
        Wanted(what="MCP server", path=settings, edits=(head, registry)),
        Wanted(what="hooks", path=settings, edits=hooks),
    ]


INSTALL = Installer(
    name=MUSE_CODE.name,
    title=MUSE_CODE.title,
    aliases=MUSE_CODE.aliases,
    programs=("muse",),
    folder=_folder,
    wanted=_wanted,
    delivery="session start, resume and compaction",
    advice="Start Muse Code anew.",
)
