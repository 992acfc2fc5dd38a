"""Claude Desktop: the MCP server alone, by a command. It works in no directory, so that its agent names the project."""

from __future__ import annotations

from pathlib import Path

from waypost.agents.install import Installer, Level, Wanted, Where, mcp_member, server

__all__ = ["INSTALL"]


def _folder(where: Where) -> Path:
    if where.platform == "darwin":
        return where.home / "Library" / "Application Support" / "Claude"
    return where.config("Claude")


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:  # noqa: ARG001 - it knows one level
    edits = (mcp_member(server(program), "mcpServers"),)
    return [Wanted(what="MCP server", path=_folder(where) / "claude_desktop_config.json", edits=edits)]


INSTALL = Installer(
    name="claude-desktop",
    title="Claude Desktop",
    folder=_folder,
    wanted=_wanted,
    levels=("user",),
    delivery="none by itself: the agent calls message_list and names the project",
    advice="Quit Claude Desktop and start it anew.",
)
