"""Cursor: `additional_context` in an object of its own. Its reader takes `//` for a comment even within a text, so that slashes are
written escaped. It runs the hooks of Claude Code's settings as well, with its own conversation's id.

Context at session start is certain; at a prompt and after a tool it depends on Cursor's version. What a version does not show stays
unread, and is named again.
"""

from __future__ import annotations

import json

from waypost.agents.client import Boundary, Client, Event

__all__ = ["CURSOR"]


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
