"""`python -m tests.contract [COMMAND...]`: runs the contract against a command (default: `python -m waypost`), prints each step; 1 if
one fails."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.contract.command import Broken, Command
from tests.contract.lifecycle import STEPS


def main(arguments: list[str]) -> int:
    """Runs every step in turn on one new store."""
    with tempfile.TemporaryDirectory(prefix="wp-contract-") as folder:
        command = Command(Path(folder), arguments or [sys.executable, "-P", "-m", "waypost"])
        for step in STEPS:
            try:
                step(command)
            except Broken as broken:
                print(f"broken: {step.__doc__}\n{broken}", file=sys.stderr)
                return 1
            print(f"kept: {step.__doc__}")
    print(f"{len(STEPS)} parts of the contract kept, {command.records} records answer to the schema.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
