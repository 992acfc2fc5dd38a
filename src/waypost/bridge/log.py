"""The bridge's log: one bounded file for all bridges of the account, without bodies."""

from __future__ import annotations

from waypost.client.line_log import add_line

__all__ = ["log"]


def log(text: str) -> None:
    """Adds a line to the log."""
    add_line("bridge.log", text)
