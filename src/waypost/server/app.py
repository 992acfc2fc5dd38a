"""The ASGI application: gate, routing, mounts, refusals as problems, one log line and one count for each request.

Every answer names the store and the version. Nothing stands between the server and an endpoint but this file, because each layer
costs every request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from time import perf_counter
from typing import NoReturn

from starlette.routing import Router as StarletteRouter

from waypost import __version__
from waypost.kernel.errors import NotFound, WaypostError
from waypost.server.administration import administration_endpoints
from waypost.server.background import keep_house
from waypost.server.callers import KNOWN, Headers, headers_of, identify, missing_credential
from waypost.server.context import ServerContext
from waypost.server.errors import OtherStore
from waypost.server.exposure import named_hosts
from waypost.server.feed import STREAM_PATH, FeedStreams
from waypost.server.hooks.door import hook_endpoints
from waypost.server.logs import describe_failure
from waypost.server.mcp.app import McpDoor
from waypost.server.replies import Message, Receive, Reply, Scope, Send, problem, send_reply, unexpected
from waypost.server.requests import ClientGone, Request
from waypost.server.rest import operation_endpoints
from waypost.server.router import Router
from waypost.server.security import Gate
from waypost.server.service import service_endpoints
from waypost.server.streams import OpenStreams
from waypost.server.wakes import WAKE_STREAM_PATH, WakeStreams
from waypost.server.web.pages import web_routes

__all__ = ["App", "build_app"]

Mount = Callable[[Scope, Receive, Send], Awaitable[None]]
ALWAYS_OPEN = frozenset({"/healthz", "/readyz"})
"""Asked by whoever watches the process, and answered without looking who asks."""
GONE = 499
"""What log and figures say of a request whose client went away before its answer."""


class App:
    """The application of one server context. `refusal` is what kept it from starting, if anything did."""

    def __init__(self, context: ServerContext) -> None:
        self.refusal: WaypostError | None = None
        self._context = context
        self._store_id = context.waypost.store.facts.store_id.encode("ascii")
        self._marks = [(b"waypost-store", self._store_id), (b"waypost-version", __version__.encode("ascii"))]
        self._gate = Gate(named_hosts(context.settings) | context.hosts)
        self._router = Router(
            [
                *service_endpoints(),
                *hook_endpoints(context),
                *administration_endpoints(),
                *operation_endpoints(context),
            ]
        )
        self._mcp = McpDoor(context)
        streams = OpenStreams(context)
        self._mounts: tuple[tuple[str, Mount], ...] = (
            ("/mcp", self._mcp.handle),
            (STREAM_PATH, FeedStreams(context, streams).handle),
            (WAKE_STREAM_PATH, WakeStreams(context, streams).handle),
            ("/web", StarletteRouter(web_routes(context), redirect_slashes=False, default=_no_page)),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = perf_counter()
        exchange = Exchange(send, self._marks)
        try:
            reply = await self._reply(scope, receive, exchange)
            if reply is not None and not exchange.status:
                exchange.code = reply.code
                await send_reply(exchange.send, reply)
        finally:
            self._context.answered.set()
            seconds = perf_counter() - begun
            method, status = scope["method"], exchange.status or GONE
            self._context.metrics.count(method, exchange.route, status, exchange.code, seconds)
            self._context.log.info(
                "request",
                method=method,
                route=exchange.route,
                status=status,
                code=exchange.code,
                ms=round(seconds * 1_000, 2),
            )

    async def _reply(self, scope: Scope, receive: Receive, exchange: Exchange) -> Reply | None:
        """What is answered; None where a mount answered or nobody listens any more."""
        try:
            headers = headers_of(scope)
            self._gate.check(scope, headers)
            self._check_store(headers)
            path: str = scope["path"]
            if path not in ALWAYS_OPEN:
                scope[KNOWN] = known = await identify(scope, headers, self._context)
                if self._context.auth_required and not known.is_proof and not _is_way_in(path):
                    return _to_sign_in() if _is_for_people(scope, path) else problem(missing_credential())
            for prefix, mount in self._mounts:
                if path == prefix or path.startswith(f"{prefix}/"):
                    exchange.route = prefix
                    await mount(scope, receive, exchange.send)
                    return None
            raw: bytes = scope.get("raw_path") or path.encode("utf-8")
            endpoint, fields = self._router.find(scope["method"], raw.decode("latin-1"))
            exchange.route = endpoint.path
            return await endpoint.handle(
                Request(context=self._context, scope=scope, receive=receive, headers=headers, path_fields=fields)
            )
        except WaypostError as refusal:
            return problem(refusal)
        except ClientGone:
            return None
        except Exception as error:
            self._context.log.error(  # noqa: TRY400 - its words may hold what somebody sent
                "unexpected failure", route=exchange.route, **describe_failure(error)
            )
            return unexpected()

    def _check_store(self, headers: Headers) -> None:
        if headers.get(b"waypost-store", self._store_id) != self._store_id:
            raise OtherStore("This server serves another store than the one asked for. Nothing was changed.")

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self._running():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                self._context.start()
            except WaypostError as refusal:
                self.refusal = refusal
                raise
            stack.callback(self._context.changes.close)
            await stack.enter_async_context(self._mcp.lifespan())
            house = asyncio.create_task(keep_house(self._context))
            stack.push_async_callback(_ended, house)
            yield


def _is_way_in(path: str) -> bool:
    """Whether a path belongs to signing in to the page, which must be there for who is not signed in."""
    return path in {"/web/sign-in", "/web/session"} or path.startswith("/web/static/")


def _is_for_people(scope: Scope, path: str) -> bool:
    """Whether a browser opens a page, so that it is led to the sign-in instead of shown a problem document."""
    return scope["method"] == "GET" and path != "/web/events" and (path in {"/", "/web"} or path.startswith("/web/"))


def _to_sign_in() -> Reply:
    return Reply(body=b"", status=303, headers=((b"location", b"/web/sign-in"),))


class Exchange:
    """One answer under way: marks it with store and version, and notes what log and figures want to know."""

    __slots__ = ("_marks", "_send", "code", "route", "status")

    def __init__(self, send: Send, marks: list[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._marks = marks
        self.route = ""
        self.status = 0
        self.code = ""

    async def send(self, message: Message) -> None:
        """Passes a message of the answer on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *self._marks]
        await self._send(message)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _no_page(scope: Scope, receive: Receive, send: Send) -> NoReturn:
    del scope, receive, send
    raise NotFound("There is no such page.", hint="Begin at /web.")


def build_app(context: ServerContext) -> App:
    """The application over a context; its lifespan must run before the first request."""
    return App(context)
