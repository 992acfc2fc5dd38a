"""Where the `waypost` program stands: the path that is written into clients' files, and that must stay the same over upgrades."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from waypost.kernel.errors import InvalidInput

__all__ = ["find_program"]


def find_program(given: str | None) -> str:
    """The absolute path of the console script: `given`, else the one on the path where it leads to this installation (a stable link, as
    pipx and uv make it), else the one beside this interpreter. Refuses `invalid_input` where there is none."""
    if given is not None:
        place = Path(given).expanduser()
        if not place.is_absolute() or not os.access(place, os.X_OK) or not place.is_file():
            raise InvalidInput(
                f"{given} is not the absolute path of a program. Nothing was changed.",
                hint="Pass the full path of the waypost program.",
            )
        return str(place)
    beside = Path(sys.executable).parent / "waypost"
    found = shutil.which("waypost")
    if (
        found
        and Path(found).is_absolute()
        and (not beside.exists() or os.path.realpath(found) == os.path.realpath(beside))
    ):
        return found
    if beside.exists():
        return str(beside)
    raise InvalidInput(
        "The waypost program was not found, only its sources. Nothing was changed.",
        hint="Install Waypost (`pipx install waypost` or `uv tool install waypost`), or pass --program.",
    )
