"""The coding agents that Waypost knows, by the names that `waypost hook` and `waypost setup` take."""

from __future__ import annotations

from waypost.agents import (
    claude_code,
    claude_desktop,
    codex,
    copilot_cli,
    cursor,
    gemini_cli,
    kimi_code,
    muse_code,
    opencode,
    pi,
    vscode,
    zed,
)
from waypost.agents.client import Client, event_key
from waypost.agents.install import Installer
from waypost.agents.payload import Payload

__all__ = ["CLIENTS", "INSTALLERS", "client_named", "installer_named", "really_from"]

CLIENTS: tuple[Client, ...] = (
    claude_code.CLAUDE_CODE,
    codex.CODEX,
    cursor.CURSOR,
    opencode.OPENCODE,
    pi.PI,
    kimi_code.KIMI_CODE,
    gemini_cli.GEMINI_CLI,
    copilot_cli.COPILOT_CLI,
    muse_code.MUSE_CODE,
)
INSTALLERS: tuple[Installer, ...] = (
    claude_code.INSTALL,
    codex.INSTALL,
    cursor.INSTALL,
    opencode.INSTALL,
    pi.INSTALL,
    kimi_code.INSTALL,
    gemini_cli.INSTALL,
    copilot_cli.INSTALL,
    muse_code.INSTALL,
    vscode.INSTALL,
    zed.INSTALL,
    claude_desktop.INSTALL,
)
BY_NAME = {event_key(name): client for client in CLIENTS for name in (client.name, *client.aliases)}
INSTALLER_BY_NAME = {event_key(name): one for one in INSTALLERS for name in (one.name, *one.aliases)}


def client_named(name: str) -> Client | None:
    """The client of that name or alias, whatever its signs and case."""
    return BY_NAME.get(event_key(name))


def installer_named(name: str) -> Installer | None:
    """How the client of that name or alias is set up."""
    return INSTALLER_BY_NAME.get(event_key(name))


def really_from(client: Client, payload: Payload) -> Client:
    """The client that sent this: another one where it runs the hooks of `client` as its own."""
    for other in CLIENTS:
        if other is not client and any(payload.text(name) for name in other.known_by):
            return other
    return client
