"""The real server on a disk whose syncs take longer: `waypost serve` in this process, with the shim as SQLite's default VFS.

    PYTHONPATH=src:. WAYPOST_HOME=/some/folder python -m benchmarks.shimmed_server --sync-ms 5 --port 0

Without `--sync-ms` nothing stands between it and the disk. For the other programs here; the server itself knows nothing of it.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack

from benchmarks.shims import DiskShim
from waypost.server.main import serve


def main() -> int:
    """Serves until it is told to stop."""
    parser = argparse.ArgumentParser(description="The server on a slow disk.")
    parser.add_argument("--sync-ms", type=float, default=0.0, help="milliseconds that each sync takes longer (0)")
    parser.add_argument("--port", type=int, default=0, help="the port to listen on (any free one)")
    options = parser.parse_args()
    with ExitStack() as stack:
        if options.sync_ms:
            stack.enter_context(DiskShim("slow", sync_delay=options.sync_ms / 1e3, default=True))
        return serve(port=options.port, environ={**os.environ, "WAYPOST_AUTOSTART": "1"})


if __name__ == "__main__":
    sys.exit(main())
