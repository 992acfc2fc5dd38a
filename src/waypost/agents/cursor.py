"""Cursor: `additional_context` in an object of its own. Its reader takes `//` for a comment even within a text, so that slashes are
written escaped. It runs the hooks of Claude Code's settings as well, with its own conversation's id.

Context at session start is certain; at a prompt and after a tool it depends on Cursor's version. What a version does not show stays
unread, and is named again.
"""

from __future__ import annotations

import json
from pathlib import Path

from waypost.agents.client import Boundary, Client, Event
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

__all__ = ["CURSOR", "INSTALL"]


def _context(event: str, text: str) -> str:  # noqa: ARG001 - a shape's arguments
    return _object({"additional_context": text})


def _go_on(event: str, text: str) -> str:  # noqa: ARG001 - a shape's arguments
    return _object({"continue": True, "additional_context": text})


def _object(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("\x7f", "\\u007f").replace("/", "\\/")


CURSOR = Client(
    name="cursor",
    title="Cursor",
    characters=10_000,
    session_fields=("conversation_id", "session_id"),
    directory_fields=("cwd", "workspace_roots"),
    known_by=("cursor_version",),
    events=(
        Event(name="sessionStart", boundary=Boundary.START, shape=_context),
        Event(name="beforeSubmitPrompt", boundary=Boundary.PROMPT, shape=_go_on),
        Event(name="postToolUse", boundary=Boundary.AFTER_TOOL, shape=_context),
        Event(name="preCompact", boundary=Boundary.COMPACTED),
        Event(name="sessionEnd", boundary=Boundary.END, installed=False),
    ),
)


def _folder(where: Where) -> Path:
    return where.home / ".cursor"


def _hooks(program: str) -> tuple[Edit, ...]:
    events = [event.name for event in CURSOR.events if event.installed]
    return (
        Member(path=(), name="version", value=1),
        *(
            Item(
                path=("hooks", event),
                value={"command": command_line(program, CURSOR.name, event), "timeout": SECONDS},
                ours=hook_program(CURSOR.name, event),
            )
            for event in events
        ),
    )


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".cursor"
    return [
        Wanted(what="MCP server", path=folder / "mcp.json", edits=(mcp_member(server(program), "mcpServers"),)),
        Wanted(what="hooks", path=folder / "hooks.json", edits=_hooks(program)),
    ]


INSTALL = Installer(
    name=CURSOR.name,
    title=CURSOR.title,
    programs=("cursor", "cursor-agent"),
    folder=_folder,
    wanted=_wanted,
    delivery="session start; at a prompt and after a tool where Cursor's version shows it",
    advice="Start Cursor anew and switch Waypost on in its MCP settings.",
)
