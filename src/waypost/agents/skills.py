"""The skills: how an agent uses messages and memory, each one short page that a client reads where it reads skills."""

from __future__ import annotations

from pathlib import Path

from waypost.agents.files.edits import Whole
from waypost.agents.generated import generated
from waypost.agents.install import Wanted

__all__ = ["skills"]

SKILLS = ("waypost-messages", "waypost-memory")


def skills(folder: Path) -> list[Wanted]:
    """The skills below a client's folder of skills."""
    return [
        Wanted(
            what=f"skill {name}",
            path=folder / name / "SKILL.md",
            edits=(Whole(text=generated(f"{name}.md", "waypost")),),
        )
        for name in SKILLS
    ]
