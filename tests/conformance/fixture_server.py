"""The real server with the suite's fixtures beside its tools: `python -m tests.conformance.fixture_server`."""

from __future__ import annotations

import sys

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from tests.conformance.fixtures import add_fixtures
from waypost.server.context import ServerContext
from waypost.server.main import serve
from waypost.server.mcp import app, protocol


def load_manager(context: ServerContext) -> StreamableHTTPSessionManager:
    """The real transport over the real server and the fixtures."""
    server = protocol.build_server(context)
    add_fixtures(server)
    return protocol.transport_of(server, context)


if __name__ == "__main__":
    app.load_manager = load_manager
    sys.exit(serve())
