"""Gemini CLI: one JSON object or nothing, because anything else becomes a message to the person. Its timeouts are milliseconds."""

from __future__ import annotations

from waypost.agents.client import Boundary, Client, Event, hook_specific

__all__ = ["GEMINI_CLI"]

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
