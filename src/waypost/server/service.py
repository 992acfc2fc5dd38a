"""What is said about the server itself: whether it lives, whether it is ready, its figures."""

from __future__ import annotations

import asyncio
import json
from functools import partial

from waypost import __version__
from waypost.kernel.errors import StoreUnavailable
from waypost.server.context import ServerContext
from waypost.server.openapi import message_schema, openapi_document
from waypost.server.replies import Reply
from waypost.server.requests import Request
from waypost.server.router import Endpoint
from waypost.store.journal import bounds, try_writing

__all__ = ["service_endpoints"]

WRITER_PATIENCE_SECONDS = 5.0


async def healthz(request: Request) -> Reply:  # noqa: ARG001 - every endpoint takes the request
    """That the process lives. Looks at nothing."""
    return Reply(body=json.dumps({"status": "ok", "version": __version__}).encode("ascii"))


async def readyz(request: Request) -> Reply:
    """That the store can be read and written, which only a write that became durable shows. Refuses `store_unavailable`,
    `store_busy`."""
    context = request.context
    store = context.waypost.store
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(context.threads, store.read, bounds)
    try:
        await asyncio.wait_for(asyncio.wrap_future(store.submit(try_writing)), WRITER_PATIENCE_SECONDS)
    except TimeoutError:
        raise StoreUnavailable(
            "The store's writer does not answer.", hint="Look at the disk and at `waypost logs`."
        ) from None
    return Reply(body=json.dumps({"status": "ready", "store_id": store.facts.store_id}).encode("ascii"))


async def metrics(request: Request) -> Reply:
    """The figures for Prometheus."""
    context = request.context
    figures = partial(
        context.metrics.render,
        position=context.changes.position,
        uptime=context.clock.now() - context.started_at,
    )
    body, media_type = await asyncio.get_running_loop().run_in_executor(context.threads, figures)
    return Reply(body=body, media_type=media_type.encode("ascii"))


async def openapi(request: Request) -> Reply:
    """The OpenAPI document."""
    loop = asyncio.get_running_loop()
    return Reply(body=await loop.run_in_executor(request.context.threads, _document, request.context))


async def schema_of_message(request: Request) -> Reply:
    """The JSON schema of a message record."""
    loop = asyncio.get_running_loop()
    return Reply(body=await loop.run_in_executor(request.context.threads, _message_schema))


def _document(context: ServerContext) -> bytes:
    return json.dumps(openapi_document(context.waypost.pipeline.operations)).encode("ascii")


def _message_schema() -> bytes:
    return json.dumps(message_schema()).encode("ascii")


async def home(request: Request) -> Reply:  # noqa: ARG001 - every endpoint takes the request
    """Leads people to the pages."""
    return Reply(body=b"", status=307, headers=((b"location", b"/web/"),))


def service_endpoints() -> list[Endpoint]:
    """The endpoints outside `/v1`."""
    return [
        Endpoint(method="GET", path="/healthz", handle=healthz),
        Endpoint(method="GET", path="/readyz", handle=readyz),
        Endpoint(method="GET", path="/metrics", handle=metrics),
        Endpoint(method="GET", path="/openapi.json", handle=openapi),
        Endpoint(method="GET", path="/v1/schemas/message", handle=schema_of_message),
        Endpoint(method="GET", path="/", handle=home),
    ]
