"""VS Code: the MCP server alone, in a file of its own. Mail is read by explicit calls of its tools."""

from __future__ import annotations

from pathlib import Path

from waypost.agents.install import Installer, Level, Wanted, Where, mcp_member, server

__all__ = ["INSTALL"]


def _folder(where: Where) -> Path:
    if where.platform == "darwin":
        return where.home / "Library" / "Application Support" / "Code" / "User"
    return where.config("Code", "User")


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".vscode"
    edits = (mcp_member(server(program, type="stdio"), "servers"),)
    return [Wanted(what="MCP server", path=folder / "mcp.json", edits=edits)]


INSTALL = Installer(
    name="vscode",
    title="VS Code",
    aliases=("code",),
    programs=("code",),
    folder=_folder,
    wanted=_wanted,
    delivery="none by itself: the agent calls message_list",
    advice="Start the server from VS Code's list of MCP servers.",
)
