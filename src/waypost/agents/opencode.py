"""OpenCode: a plugin in its own process, which asks `waypost hook` and injects the plain text that it gets: a part of the prompt's
message, and the end of a tool's output. A session's start is told at its first prompt.
"""

from __future__ import annotations

from waypost.agents.client import Boundary, Client, Event, plain

__all__ = ["OPENCODE"]

OPENCODE = Client(
    name="opencode",
    title="OpenCode",
    characters=10_000,
    session_fields=("sessionID", "session_id"),
    directory_fields=("directory", "cwd"),
    events=(
        Event(name="session.created", boundary=Boundary.START),
        Event(name="chat.message", boundary=Boundary.PROMPT, shape=plain),
        Event(name="tool.execute.after", boundary=Boundary.AFTER_TOOL, shape=plain),
        Event(name="session.compacted", boundary=Boundary.COMPACTED),
        Event(name="session.deleted", boundary=Boundary.END),
    ),
)
