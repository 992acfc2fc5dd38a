"""Kimi Code: what a prompt's hook prints becomes a message of the user, as it is; what a session-start hook prints is thrown away.
So the start is told at the first prompt. An empty object would be injected too: nothing is printed where there is nothing to say.
"""

from __future__ import annotations

from waypost.agents.client import Boundary, Client, Event, plain

__all__ = ["KIMI_CODE"]

KIMI_CODE = Client(
    name="kimi-code",
    title="Kimi Code",
    aliases=("kimi",),
    characters=10_000,
    events=(
        Event(name="SessionStart", boundary=Boundary.START),
        Event(name="UserPromptSubmit", boundary=Boundary.PROMPT, shape=plain),
        Event(name="PostCompact", boundary=Boundary.COMPACTED),
        Event(name="SessionEnd", boundary=Boundary.END, installed=False),
    ),
)
