"""Pi: an extension in its own process, which asks `waypost hook` before each turn of the agent and returns the text as a message.
Pi speaks no MCP, so that the extension registers Waypost's tools itself.
"""

from __future__ import annotations

from pathlib import Path

from waypost.agents.client import Boundary, Client, Event, plain
from waypost.agents.files.edits import Whole
from waypost.agents.generated import generated
from waypost.agents.install import Installer, Level, Wanted, Where
from waypost.agents.skills import skills

__all__ = ["INSTALL", "PI"]

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


def _folder(where: Where) -> Path:
    return where.folder("PI_CODING_AGENT_DIR", ".pi", "agent")


def _wanted(where: Where, level: Level, program: str) -> list[Wanted]:
    folder = _folder(where) if level == "user" else where.directory / ".pi"
    extension = Whole(text=generated("pi_extension.ts", program))
    return [
        Wanted(what="extension with tools", path=folder / "extensions" / "waypost.ts", edits=(extension,)),
        *skills(folder / "skills"),
    ]


INSTALL = Installer(
    name=PI.name,
    title=PI.title,
    programs=("pi",),
    folder=_folder,
    wanted=_wanted,
    delivery="before each turn of the agent",
    advice="Type /reload in Pi, or start it anew.",
)
