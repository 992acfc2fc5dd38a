"""Where the Node programs are that some tests drive. Answers None where `make node` has not run; knows nothing of the tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

__all__ = ["MODULES", "conformance", "node"]

MODULES = Path(__file__).parent / "node_modules"
OLDEST = 22
"""The oldest major version of Node.js that the conformance suite runs on."""


def node() -> Path | None:
    """A Node.js that is new enough: the packaged one, else the machine's own."""
    packaged = sorted(MODULES.glob("node-*/bin/node"))
    if packaged:
        return packaged[0]
    own = shutil.which("node")
    if own is None:
        return None
    version = subprocess.run(
        [own, "--version"], capture_output=True, text=True, encoding="ascii", timeout=20, check=True
    )
    return Path(own) if int(version.stdout.lstrip("v").partition(".")[0]) >= OLDEST else None


def conformance() -> list[str] | None:
    """The command that runs the conformance suite, to which its arguments are added."""
    program, suite = node(), MODULES / ".bin" / "conformance"
    return [str(program), str(suite)] if program and suite.exists() else None
