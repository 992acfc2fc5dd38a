"""REST: one endpoint for each operation of the shared route table. Fields of path, query or body go in, the operation's JSON comes out."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from waypost.client.routes import ROUTES, Route
from waypost.kernel.errors import Forbidden, InvalidInput
from waypost.operations.call import Answer, Call
from waypost.operations.changes import MOST_WAIT_SECONDS
from waypost.operations.pipeline import AnyOperation
from waypost.operations.waiting import MOST_SECONDS
from waypost.server.callers import caller_of, from_browser
from waypost.server.context import ServerContext
from waypost.server.replies import Reply
from waypost.server.requests import ClientGone, Request
from waypost.server.router import Endpoint
from waypost.server.running import run_operation, wait_for_changes, wait_operation

__all__ = ["operation_endpoints"]

QUEUE = frozenset(
    f"message.{verb}"
    for verb in ("pop", "ack", "claim", "renew", "release", "complete", "snooze", "cancel", "cancel_all")
) | {"wake.reserve", "wake.accepted", "wake.retry", "handoff.accept"}
"""What a browser's credentials never reach: the page watches the queue and takes nothing from it (contracts/web.md)."""


class Waiting(NamedTuple):
    """A long poll: the field that says how long, in seconds, its default and its bound, and what waits."""

    field: str
    default: int
    most: int
    wait: Callable[[ServerContext, Call, float], Awaitable[Answer]]


WAITING = {
    "message.wait": Waiting("timeout_seconds", MOST_SECONDS, MOST_SECONDS, wait_operation),
    "decision.wait": Waiting(
        "timeout_seconds", MOST_SECONDS, MOST_SECONDS, partial(wait_operation, name="decision.wait")
    ),
    "wake.look": Waiting("timeout_seconds", 0, MOST_SECONDS, partial(wait_operation, name="wake.look")),
    "changes.list": Waiting("wait", 0, MOST_WAIT_SECONDS, wait_for_changes),
}

REPLAYED = (b"idempotency-status", b"replayed")
CREATED = (b"idempotency-status", b"created")


def operation_endpoints(context: ServerContext) -> list[Endpoint]:
    """An endpoint for each operation that has a route, in the table's order."""
    operations = {operation.name: operation for operation in context.waypost.pipeline.operations}
    return [_endpoint(operations[name], route) for name, route in ROUTES.items() if name in operations]


def _endpoint(operation: AnyOperation, route: Route) -> Endpoint:
    key_counts = operation.writes

    async def handle(request: Request) -> Reply:
        headers = request.headers
        if operation.name in QUEUE and from_browser(headers):
            raise Forbidden(
                "A browser's credentials do not reach the queue. Nothing was changed.",
                hint="Use the waypost command, or an agent's own tools.",
            )
        fields = await _fields(request, route)
        key = headers.get(b"idempotency-key") if key_counts else None
        call = Call(
            caller=await caller_of(request.scope, request.context, door="rest", needs=operation.needs, headers=headers),
            fields=fields,
            texts_only=route.in_query,
            key=None if key is None else key.decode("latin-1"),
        )
        if operation.name in WAITING:
            answer = await _wait(request, call, WAITING[operation.name])
        else:
            answer = await run_operation(request.context, operation.name, call)
        return Reply(
            body=answer.json.encode("utf-8"), headers=() if key is None else (REPLAYED if answer.replayed else CREATED,)
        )

    return Endpoint(method=route.method, path=route.path, handle=handle)


async def _fields(request: Request, route: Route) -> dict[str, object]:
    fields = request.query() if route.in_query else await request.json_fields()
    if not route.in_query and request.scope["query_string"]:
        raise InvalidInput(
            "This path takes no query string. Nothing was changed.", hint="Put the fields into the JSON body."
        )
    for name, value in request.path_fields.items():
        if name in fields:
            raise InvalidInput(
                f"{name} stands in the path and was given again. Nothing was changed.", hint="Leave it out of the rest."
            )
        fields[name] = value
    return fields


async def _wait(request: Request, call: Call, waiting: Waiting) -> Answer:
    """A long poll, which ends when the client goes away."""
    seconds = str(call.fields.get(waiting.field, waiting.default))
    timeout = float(seconds) if seconds.isdigit() else 0.0  # what is no number is refused by the operation itself
    answering = asyncio.ensure_future(waiting.wait(request.context, call, min(timeout, waiting.most)))
    gone = asyncio.ensure_future(request.gone())
    try:
        await asyncio.wait({answering, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ClientGone
        return answering.result()
    finally:
        for task in (answering, gone):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
