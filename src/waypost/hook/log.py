"""The hooks' log: at most one line for each run, without a word of what the client sent."""

from __future__ import annotations

from waypost.client.line_log import add_line

__all__ = ["log"]


def log(client: str, event: str, text: str) -> None:
    """Adds a line that says what kept the hook from its work."""
    add_line("hook.log", f"{client[:40]} {event[:40]}: {text}")
