"""Claude Code: command hooks in settings.json, whose envelope is read at session start, at a prompt and after a tool.

Plain text would do at the first two, but never after a tool; one envelope serves all. Text above 10,000 characters arrives as a
preview of about 2,000.
"""

from __future__ import annotations

from waypost.agents.client import Boundary, Client, Event, hook_specific

__all__ = ["CLAUDE_CODE"]

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
