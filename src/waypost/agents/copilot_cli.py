"""Copilot CLI: `additionalContext` at the top of the object, and nowhere else. Its payloads are in camel case."""

from __future__ import annotations

from waypost.agents.client import Boundary, Client, Event, context_object

__all__ = ["COPILOT_CLI"]

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
