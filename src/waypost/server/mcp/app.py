"""The MCP door: the ASGI application at `/mcp`. Stands in for the real one until it lands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from waypost.kernel.errors import NotFound
from waypost.server.context import ServerContext
from waypost.server.replies import Receive, Scope, Send

__all__ = ["McpDoor"]


class McpDoor:
    """Answers MCP over streamable HTTP. Made with the app; the SDK is imported in a worker thread once `lifespan` runs."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Runs as long as the app; must not hold up the start, so it begins loading and yields at once."""
        yield

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request below `/mcp`. A `WaypostError` raised before the answer began becomes a problem document."""
        del scope, receive, send
        raise NotFound("MCP is not built in yet.")
