"""`python -m tests.conformance`: runs the suite for each revision against the server, and against the same transport with the
suite's fixtures beside the tools; prints the counts; 1 if a baseline fails."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.conformance.runner import RUNS, run_suite
from tests.end_to_end.server_process import ServerProcess
from tests.node.programs import conformance


def main() -> int:
    """Runs everything; the suite's own output follows where something was not as expected."""
    command = conformance()
    if command is None:
        print("Run `make node` first: the suite is not installed.", file=sys.stderr)
        return 2
    status = 0
    for name, run in RUNS.items():
        with (
            tempfile.TemporaryDirectory(prefix="wp-") as folder,
            ServerProcess(Path(folder), module=run.server) as server,
        ):
            outcome = run_suite(command, run, f"{server.url}/mcp", Path(folder, "results"))
        print(f"{name}: {outcome.line}")
        if not outcome.as_expected:
            print(outcome.output)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
