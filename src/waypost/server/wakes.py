"""The wakes of one session as a stream of server-sent events: which occurrence asks for a turn, as soon as it does.

A stream reserves nothing: its receiver asks for the wake by `POST /v1/wakes/reserve`, and is told again while it stays unasked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from time import monotonic
from typing import Any

from waypost.kernel.errors import WaypostError
from waypost.operations.call import Call
from waypost.server.callers import caller_of, headers_of
from waypost.server.context import ServerContext
from waypost.server.replies import Receive, Scope, Send
from waypost.server.requests import Request
from waypost.server.running import run_operation, seconds_until
from waypost.server.streams import LOOK_AGAIN_SECONDS, PING_SECONDS, OpenStreams

__all__ = ["WAKE_STREAM_PATH", "WakeStreams"]

WAKE_STREAM_PATH = "/v1/wakes/stream"
TELL_AGAIN_SECONDS = 5.0
"""What nobody has reserved meanwhile is told again so often, as often as receivers poll."""


class WakeStreams:
    """The streams of wakes of one server."""

    def __init__(self, context: ServerContext, streams: OpenStreams) -> None:
        self._context = context
        self._streams = streams

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request. Refuses as `wake.look` does, and `rate_limited` beyond the most streams."""
        with self._streams.room_for(scope, path=WAKE_STREAM_PATH, instead="Poll /v1/wakes every 5 seconds instead."):
            headers = headers_of(scope)
            request = Request(context=self._context, scope=scope, receive=receive, headers=headers, path_fields={})
            fields = request.query()
            seen = self._context.changes.position
            found = await self._look(scope, fields)  # before anything is answered, so that a refusal is a plain one
            await self._streams.tell(self._events(scope, fields, found, seen), scope, receive, send)

    async def _events(
        self, scope: Scope, fields: dict[str, object], found: dict[str, Any], seen: int
    ) -> AsyncGenerator[bytes, None]:
        told: tuple[object, float] = (None, 0.0)
        yield b"retry: 1000\r\n\r\n"
        while True:
            looked = monotonic()
            wake = found["wake"]
            if wake is not None and (wake != told[0] or looked - told[1] >= TELL_AGAIN_SECONDS):
                told = (wake, looked)
                yield _event(wake)
            until = TELL_AGAIN_SECONDS if wake is not None else seconds_until(self._context, found["next_due_at"])
            pause = min(PING_SECONDS, until)
            if await self._context.changes.wait(seen, pause) == seen and pause == PING_SECONDS:
                yield b": ping\r\n\r\n"
            await asyncio.sleep(max(0.0, looked + LOOK_AGAIN_SECONDS - monotonic()))
            if self._context.changes.closed:
                return
            try:
                seen = self._context.changes.position
                found = await self._look(scope, fields)
            except WaypostError as refusal:  # the receiver comes back and is told the reason plainly
                self._context.log.info("stream ended", code=refusal.code)
                return

    async def _look(self, scope: Scope, fields: dict[str, object]) -> dict[str, Any]:
        caller = await caller_of(scope, self._context, door="rest")
        answer = await run_operation(self._context, "wake.look", Call(caller=caller, fields=fields, texts_only=True))
        found: dict[str, Any] = json.loads(answer.json)
        return found


def _event(wake: dict[str, Any]) -> bytes:
    """One event; its id is what hosts tell a repeat by."""
    data = json.dumps(wake, separators=(",", ":"))
    return f"event: wake\r\nid: {wake['message_id']}.{wake['occurrence']}\r\ndata: {data}\r\n\r\n".encode()
