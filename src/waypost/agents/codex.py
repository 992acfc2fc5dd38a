"""Codex: the same envelope as Claude Code's, closed: one key more and the hook fails. Each entry must be trusted by the user once,
by a hash of its line, so that the lines never change.

Plain text that begins with a bracket is read as JSON and refused, which is why nothing but the envelope is printed.
"""

from __future__ import annotations

from waypost.agents.client import Boundary, Client, Event, hook_specific

__all__ = ["CODEX"]

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
