"""How much memory an idle server holds: as soon as it answers, and once the MCP SDK and the page's templates are loaded.

    make bench ARGS=idle_memory      or: PYTHONPATH=src:. python -m benchmarks.idle_memory

Resident memory as Linux says it (VmRSS), in MB of 1,000,000 bytes.
"""

from __future__ import annotations

import sys
from http.client import HTTPConnection

from benchmarks.served import PATIENCE_SECONDS, Served
from benchmarks.windows import show

LIMIT = 100.0


def main() -> int:
    """Prints both figures; ends with 1 above the limit."""
    with Served() as served:
        before = served.resident()
        served.settle()
        connection = HTTPConnection(served.host, served.port, timeout=PATIENCE_SECONDS)
        connection.request("GET", "/web/")
        page = connection.getresponse()
        page.read()
        connection.close()
        after = served.resident()
    print(f"answering already, MCP SDK still loading   {before:6.1f} MB")
    print(f"MCP SDK and templates loaded               {after:6.1f} MB   (the page answered {page.status})")
    return 0 if show("idle server, MB", after, at_most=LIMIT) else 1


if __name__ == "__main__":
    sys.exit(main())
