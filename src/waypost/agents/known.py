"""The coding agents that Waypost knows, by the names that `waypost hook` and `waypost setup` take."""

from __future__ import annotations

from waypost.agents.claude_code import CLAUDE_CODE
from waypost.agents.client import Client, event_key
from waypost.agents.codex import CODEX
from waypost.agents.copilot_cli import COPILOT_CLI
from waypost.agents.cursor import CURSOR
from waypost.agents.gemini_cli import GEMINI_CLI
from waypost.agents.kimi_code import KIMI_CODE
from waypost.agents.muse_code import MUSE_CODE
from waypost.agents.opencode import OPENCODE
from waypost.agents.payload import Payload
from waypost.agents.pi import PI

__all__ = ["CLIENTS", "client_named", "really_from"]

CLIENTS = (CLAUDE_CODE, CODEX, CURSOR, OPENCODE, PI, KIMI_CODE, GEMINI_CLI, COPILOT_CLI, MUSE_CODE)
BY_NAME = {event_key(name): client for client in CLIENTS for name in (client.name, *client.aliases)}


def client_named(name: str) -> Client | None:
    """The client of that name or alias, whatever its signs and case."""
    return BY_NAME.get(event_key(name))


def really_from(client: Client, payload: Payload) -> Client:
    """The client that sent this: another one where it runs the hooks of `client` as its own."""
    for other in CLIENTS:
        if other is not client and any(payload.text(name) for name in other.known_by):
            return other
    return client
