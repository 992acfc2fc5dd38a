"""The files that setup makes for clients which load code: templates beside this module, with the program's path put in."""

from __future__ import annotations

import json
from importlib.resources import files

__all__ = ["generated"]

PROGRAM = '"__WAYPOST__"'


def generated(template: str, program: str) -> str:
    """A template's text for the program at that path."""
    text = files("waypost.agents").joinpath("templates", template).read_text(encoding="utf-8")
    return text.replace(PROGRAM, json.dumps(program))
