"""Answers of server-sent events: how many may be open at once on a server, and how long one waits for a client that takes nothing.

What a stream tells is its room's business (`feed`, `wakes`). A stream that cannot begin is refused as any other request.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

from waypost.kernel.errors import NotFound, RateLimited
from waypost.server.context import ServerContext
from waypost.server.errors import WrongMethod
from waypost.server.replies import Receive, Scope, Send

__all__ = ["LOOK_AGAIN_SECONDS", "MOST_STREAMS", "PING_SECONDS", "OpenStreams"]

MOST_STREAMS = 500
"""At once, on one server."""
PING_SECONDS = 15.0
"""After so long without an event a stream says that it lives."""
LOOK_AGAIN_SECONDS = 0.05
"""A stream looks at most this often; what happens meanwhile is told together."""
TAKE_SECONDS = 30.0
"""A client that takes nothing for so long is let go; it comes back by itself."""


class OpenStreams:
    """The open streams of one server."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self.open = 0

    @contextmanager
    def room_for(self, scope: Scope, *, path: str, instead: str) -> Iterator[None]:
        """Room for one stream of that path while the block runs. Refuses another path or method, and `rate_limited` beyond the most
        streams; `instead` says what to do then."""
        if scope["path"] != path:
            raise NotFound("There is no such path.", hint="See /openapi.json for all paths.")
        if scope["method"] != "GET":
            raise WrongMethod(["GET"])
        if self.open >= MOST_STREAMS:
            raise RateLimited(f"{MOST_STREAMS} streams are open on this server already.", hint=instead)
        self.open += 1
        try:
            yield
        finally:
            self.open -= 1

    async def tell(self, events: AsyncGenerator[bytes, None], scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the pieces of a stream as its client takes them, until they end or it goes away."""
        from sse_starlette import EventSourceResponse  # noqa: PLC0415 - hooks are answered before it loads
        from sse_starlette.sse import SendTimeoutError  # noqa: PLC0415 - as above

        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        try:
            await EventSourceResponse(events, ping=0, send_timeout=TAKE_SECONDS, headers=headers)(scope, receive, send)
        except SendTimeoutError:
            self._context.log.info("stream let go", reason="the client takes nothing")
        finally:
            await events.aclose()
