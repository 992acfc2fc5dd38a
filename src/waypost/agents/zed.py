"""Zed: the MCP server alone, among its settings, which have comments. Mail is read by explicit calls of its tools."""

from __future__ import annotations

from pathlib import Path

from waypost.agents.install import Installer, Level, Wanted, Where, mcp_member, server

__all__ = ["INSTALL"]


def _folder(where: Where) -> Path:
    return where.config("zed")


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".zed"
    edits = (mcp_member(server(program, source="custom"), "context_servers"),)
    return [Wanted(what="MCP server", path=folder / "settings.json", edits=edits)]


INSTALL = Installer(
    name="zed",
    title="Zed",
    programs=("zed", "zeditor"),
    folder=_folder,
    wanted=_wanted,
    delivery="none by itself: the agent calls message_list",
)
