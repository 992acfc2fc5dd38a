"""Muse Code: plain text at session start, below 16 KiB, above which it kills the hook. Its other events take no context."""

from __future__ import annotations

from waypost.agents.client import Boundary, Client, Event, plain

__all__ = ["MUSE_CODE"]

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
