"""OpenCode: a plugin in its own process, which asks `waypost hook` and injects the plain text that it gets: a part of the prompt's
message, and the end of a tool's output. A session's start is told at its first prompt.
"""

from __future__ import annotations

from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, plain
from waypost.agents.files.edits import Whole
from waypost.agents.generated import generated
from waypost.agents.install import Installer, Level, Wanted, Where, mcp_member
from waypost.agents.skills import skills

__all__ = ["INSTALL", "OPENCODE"]

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


def _folder(where: Where) -> Path:
    return where.folder("OPENCODE_CONFIG_DIR") if where.environ.get("OPENCODE_CONFIG_DIR") else where.config("opencode")


def _registry(folder: Path) -> Path:
    """The configuration that is there, with comments or without: a second one beside it would only confuse."""
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".opencode"
    registry = _registry(folder if level == "user" else where.directory)
    server = {"type": "local", "command": [program, "mcp"], "enabled": True}
    return [
        Wanted(what="MCP server", path=registry, edits=(mcp_member(server, "mcp"),)),
        Wanted(
            what="plugin",
            path=folder / "plugin" / "waypost.js",
            edits=(Whole(text=generated("opencode_plugin.js", program)),),
        ),
        *skills(folder / "skills"),
    ]


INSTALL = Installer(
    name=OPENCODE.name,
    title=OPENCODE.title,
    programs=("opencode",),
    folder=_folder,
    wanted=_wanted,
    delivery="at prompts and after tools",
    advice="Start OpenCode anew.",
)
