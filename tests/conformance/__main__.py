"""`python -m tests.conformance`: starts a server, runs the suite for each revision, prints the counts; 1 if the baseline fails."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.conformance.runner import REVISIONS, run_suite
from tests.end_to_end.server_process import ServerProcess
from tests.node.programs import conformance


def main() -> int:
    """Runs everything; the suite's own output follows where something was not as expected."""
    command = conformance()
    if command is None:
        print("Run `make node` first: the suite is not installed.", file=sys.stderr)
        return 2
    status = 0
    with tempfile.TemporaryDirectory(prefix="wp-") as name, ServerProcess(Path(name)) as server:
        for revision in REVISIONS:
            outcome = run_suite(command, f"{server.url}/mcp", revision, Path(name, "results", revision))
            print(outcome.line)
            if not outcome.as_expected:
                print(outcome.output)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
