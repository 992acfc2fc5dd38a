"""Pi: an extension in its own process, which asks `waypost hook` before each turn of the agent and returns the text as a message.
Pi speaks no MCP, so that the extension registers Waypost's tools itself.
"""

from __future__ import annotations

from waypost.agents.client import Boundary, Client, Event, plain

__all__ = ["PI"]

PI = Client(
    name="pi",
    title="Pi",
    characters=10_000,
    events=(
        Event(name="session_start", boundary=Boundary.START),
        Event(name="before_agent_start", boundary=Boundary.PROMPT, shape=plain),
        Event(name="tool_result", boundary=Boundary.AFTER_TOOL, shape=plain, installed=False),
        Event(name="session_compact", boundary=Boundary.COMPACTED),
        Event(name="session_shutdown", boundary=Boundary.END),
    ),
)
