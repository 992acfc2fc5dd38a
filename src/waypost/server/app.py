"""The ASGI application: gate, routing, mounts, refusals as problems, and one log line for each request.

Every answer names the store and the version. Nothing stands between the server and an endpoint but this file, because each layer
costs every request.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from time import perf_counter
from typing import Any

from starlette.routing import Router as StarletteRouter

from waypost import __version__
from waypost.kernel.errors import WaypostError
from waypost.server.callers import Headers, headers_of
from waypost.server.context import ServerContext
from waypost.server.errors import OtherStore
from waypost.server.mcp.app import McpDoor
from waypost.server.replies import Receive, Scope, Send, problem, send_reply, unexpected
from waypost.server.requests import ClientGone, Request
from waypost.server.router import Router
from waypost.server.security import Gate
from waypost.server.service import service_endpoints
from waypost.server.web.pages import web_routes

__all__ = ["App", "build_app"]

Mount = Callable[[Scope, Receive, Send], Awaitable[None]]


class App:
    """The application of one server context."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._store_id = context.waypost.store.facts.store_id.encode("ascii")
        self._marks = [(b"waypost-store", self._store_id), (b"waypost-version", __version__.encode("ascii"))]
        self._gate = Gate({context.settings.server.host, *context.hosts})
        self._router = Router(service_endpoints())
        self._mcp = McpDoor(context)
        self._mounts: list[tuple[str, Mount]] = [
            ("/mcp", self._mcp.handle),
            ("/web", StarletteRouter(web_routes(context))),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = perf_counter()
        status, code, route = 0, "", ""

        async def marked(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._marks]
            await send(message)

        try:
            headers = headers_of(scope)
            self._gate.check(scope, headers)
            self._check_store(headers)
            path = scope["path"]
            for prefix, mount in self._mounts:
                if path == prefix or path.startswith(f"{prefix}/"):
                    route = prefix
                    await mount(scope, receive, marked)
                    return
            raw: bytes = scope.get("raw_path") or path.encode("utf-8")
            endpoint, fields = self._router.find(scope["method"], raw.decode("latin-1"))
            route = endpoint.path
            reply = await endpoint.handle(
                Request(context=self._context, scope=scope, receive=receive, headers=headers, path_fields=fields)
            )
        except WaypostError as refusal:
            reply = problem(refusal)
        except ClientGone:
            return
        except Exception:
            reply = unexpected()
        code = reply.code
        if not status:
            await send_reply(marked, reply)
        del begun, code, route

    def _check_store(self, headers: Headers) -> None:
        if headers.get(b"waypost-store", self._store_id) != self._store_id:
            raise OtherStore("This server serves another store than the one asked for. Nothing was changed.")

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            async with self._running():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        finally:
            await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            self._context.start()
            stack.callback(self._context.changes.close)
            await stack.enter_async_context(self._mcp.lifespan())
            yield


def build_app(context: ServerContext) -> App:
    """The application over a context; its lifespan must run before the first request."""
    return App(context)
