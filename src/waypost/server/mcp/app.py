"""The door at `/mcp`: an ASGI handler that is ready before the SDK is loaded, and hands over to it afterwards.

Invariants: nothing of the SDK is imported on the server's way to its first answer; a request that comes earlier waits, but not
for ever; nothing is remembered between requests. Host, Origin and the store asked for were judged before this.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from waypost.kernel.errors import Forbidden, NotFound
from waypost.server.callers import headers_of
from waypost.server.context import ServerContext
from waypost.server.errors import WrongMethod
from waypost.server.mcp.calls import ASKED, Asked
from waypost.server.mcp.envelope import INVALID_REQUEST, BadEnvelope, error_body, read_envelope
from waypost.server.replies import Message, Receive, Reply, Scope, Send, send_reply
from waypost.server.requests import Request

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

__all__ = ["McpDoor"]

logger = logging.getLogger(__name__)

LOADING_SECONDS = 30.0
"""How long a request waits for the SDK. Loading takes one to two seconds, on a busy machine several times that."""
FIRST_ANSWER_SECONDS = 1.0
"""How long loading leaves the interpreter to the first request, which is a hook's or a bridge's."""
INTERNAL_ERROR = -32603
PATH = "/mcp"


class McpDoor:
    """Answers MCP. `handle` may be called as soon as `lifespan` was entered."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._manager: StreamableHTTPSessionManager | None = None
        self._loaded = asyncio.Event()
        self._stop = asyncio.Event()

    @contextlib.asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Begins to load the SDK in a worker thread, and ends what runs when the server stops."""
        serving = asyncio.create_task(self._serve())
        try:
            yield
        finally:
            self._stop.set()
            await serving

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one HTTP request. Refuses `not_found` below `/mcp`, and every method but POST: no stream is offered and no
        session kept, so GET and DELETE have nothing to act on, which clients expect and accept."""
        self._context.answered.set()  # whoever comes here waits for the SDK
        if scope["path"].rstrip("/") != PATH:
            raise NotFound("There is nothing at this path.", hint="MCP is answered at /mcp.")
        if scope["method"] != "POST":
            raise WrongMethod(["POST"])
        if b"cookie" in headers_of(scope):
            raise Forbidden(
                "A browser's credentials do not reach the queue. Nothing was changed.",
                hint="Use an agent's own tools, with a token where one is needed.",
            )
        try:
            every = _whole_set(scope["query_string"])
            envelope = read_envelope(await self._body(scope, receive))
        except BadEnvelope as error:
            await _refuse(send, 400, error.code, error.text)
            return
        manager = await self._ready()
        if manager is None:
            await _refuse(send, 503, INTERNAL_ERROR, "The MCP door is not ready. Nothing was changed; try again.")
            return
        noted = {**scope, "headers": _trimmed(scope), ASKED: Asked(every=every, params=envelope.params)}
        await manager.handle_request(noted, _replay(envelope.body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        request = Request(
            context=self._context, scope=scope, receive=receive, headers=headers_of(scope), path_fields={}
        )
        return await request.body()

    async def _serve(self) -> None:
        try:
            await self._context.first_answer(within=FIRST_ANSWER_SECONDS)
            manager = await asyncio.to_thread(load_manager, self._context)
            async with manager.run():
                self._manager = manager
                self._loaded.set()
                await self._stop.wait()
        except Exception:
            logger.exception("the MCP door cannot be served")
        finally:
            self._manager = None
            self._loaded.set()

    async def _ready(self) -> StreamableHTTPSessionManager | None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._loaded.wait(), LOADING_SECONDS)
        return self._manager


def load_manager(context: ServerContext) -> StreamableHTTPSessionManager:
    """Imports the SDK and puts its transport over the tools. Work for a worker thread."""
    from waypost.server.mcp.protocol import build_manager  # noqa: PLC0415 - see the module's docstring

    return build_manager(context)


def _whole_set(query: bytes) -> bool:
    """Whether the client asked for all tools. Refuses other values, because a misspelt one would silently do nothing."""
    asked = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))
    if asked.get("tools", "all") != "all":
        raise BadEnvelope(INVALID_REQUEST, "The address may carry tools=all and no other value of tools.")
    if "compat" in asked:
        raise BadEnvelope(INVALID_REQUEST, "This Waypost offers no compatibility set; leave compat out of the address.")
    return "tools" in asked


def _trimmed(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The headers without the blanks around their values, which HTTP does not count and one of our parsers leaves at the end;
    the SDK compares some of them with the body."""
    return [(name, value.strip(b" \t")) for name, value in scope["headers"]]


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body once more in one piece, then whatever comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message


async def _refuse(send: Send, status: int, code: int, text: str) -> None:
    await send_reply(send, Reply(body=error_body(code, text), status=status, code="invalid_input"))
