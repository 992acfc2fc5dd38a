"""The change feed as a stream of server-sent events: each change as it is committed, and a gap where there is one.

A stream holds one page at most: the next is read when the client has taken the last, and a client that takes nothing is let go.
Every page comes through the pipeline as any other read, so that what a stream tells is what its caller may read at that moment.
Streams of the same caller that stand at the same place share one look.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from time import monotonic

from waypost.kernel.errors import WaypostError
from waypost.operations.call import Call, Caller
from waypost.operations.changes import PlaceInput
from waypost.operations.inputs import read_input
from waypost.server.callers import caller_of, headers_of
from waypost.server.context import ServerContext
from waypost.server.replies import Receive, Scope, Send
from waypost.server.requests import Request
from waypost.server.streams import LOOK_AGAIN_SECONDS, PING_SECONDS, OpenStreams

__all__ = ["STREAM_PATH", "FeedStreams"]

STREAM_PATH = "/v1/changes/stream"
PAGE = 100
"""Changes that a stream reads at once, and so the most that it holds for a slow client."""
CHECK_CALLER_SECONDS = 60.0
"""So often a stream looks again who its caller is, because a credential may have ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where one stream stands and what it tells: whose view, where in the feed, of what."""

    caller: Caller
    fields: tuple[tuple[str, object], ...]

    def at(self, cursor: str) -> Place:
        """The same view further on."""
        kept = tuple((name, value) for name, value in self.fields if name not in {"after", "consumer"})
        return replace(self, fields=(*kept, ("after", cursor)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What a look found: the events as they are sent, the cursor to go on at, and whether that is all for now."""

    events: bytes
    next_cursor: str
    is_last: bool


class FeedStreams:
    """The streams of the feed of one server."""

    def __init__(self, context: ServerContext, streams: OpenStreams) -> None:
        self._context = context
        self._streams = streams
        self._looks: dict[tuple[Place, int], asyncio.Future[Page]] = {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request. Refuses as `changes.list` does, and `rate_limited` beyond the most streams."""
        with self._streams.room_for(scope, path=STREAM_PATH, instead="Poll /v1/changes?wait=60 instead."):
            place = Place(caller=await self._caller(scope), fields=self._fields(scope, receive))
            seen = self._context.changes.position
            page = await self._look(place, seen)  # before anything is answered, so that a refusal is a plain one
            await self._streams.tell(self._events(scope, place, page, seen), scope, receive, send)

    async def _events(self, scope: Scope, place: Place, page: Page, seen: int) -> AsyncGenerator[bytes, None]:
        """Pieces of the stream until the server stops or the caller may no longer read it."""
        changes = self._context.changes
        told = checked = monotonic()
        yield b"retry: 1000\r\n\r\n"
        while True:
            looked = monotonic()
            if page.events:
                yield page.events
                told = looked
            elif looked - told >= PING_SECONDS:
                yield b": ping\r\nid: %b\r\n\r\n" % page.next_cursor.encode("ascii")
                told = looked
            place = place.at(page.next_cursor)
            if page.is_last:
                await changes.wait(seen, PING_SECONDS)
                await asyncio.sleep(max(0.0, looked + LOOK_AGAIN_SECONDS - monotonic()))
            if changes.closed:
                return
            try:
                if monotonic() - checked >= CHECK_CALLER_SECONDS:
                    place, checked = replace(place, caller=await self._caller(scope)), monotonic()
                seen = changes.position
                page = await self._look(place, seen)
            except WaypostError as refusal:  # the client comes back and is told the reason plainly
                self._context.log.info("stream ended", code=refusal.code)
                return

    async def _look(self, place: Place, seen: int) -> Page:
        """The next page. Whoever stands at the same place and knows of the same changes shares one look."""
        key = (place, seen)
        look = self._looks.get(key)
        if look is None:
            look = asyncio.get_running_loop().run_in_executor(self._context.threads, self._read, place)
            self._looks[key] = look
            look.add_done_callback(lambda _: self._looks.pop(key))
        return await asyncio.shield(look)

    def _read(self, place: Place) -> Page:
        call = Call(caller=place.caller, fields={**dict(place.fields), "limit": PAGE})
        found = json.loads(self._context.waypost.run("changes.list", call).json)
        events = [_event("gap", found["gap"]["resumes_at"], found["gap"])] if found["gap"] else []
        events += [_event("change", item["cursor"], item) for item in found["items"]]
        next_cursor = found["next_cursor"]
        return Page(events=b"".join(events), next_cursor=next_cursor, is_last=next_cursor == found["head"])

    async def _caller(self, scope: Scope) -> Caller:
        """Who reads, without what says nothing about what may be read, so that streams of one reader are alike."""
        caller = await caller_of(scope, self._context, door="rest")
        return replace(caller, client=None, workdir=None, bound_session=None)

    def _fields(self, scope: Scope, receive: Receive) -> tuple[tuple[str, object], ...]:
        headers = headers_of(scope)
        request = Request(context=self._context, scope=scope, receive=receive, headers=headers, path_fields={})
        fields = request.query()
        limits = self._context.settings.limits.limits()
        read_input(PlaceInput, fields, texts_only=True, limits=limits)
        last = headers.get(b"last-event-id", b"").decode("latin-1")
        if last:
            fields = {name: value for name, value in fields.items() if name != "consumer"} | {"after": last}
        return tuple(sorted(fields.items()))


def _event(name: str, cursor: str, data: object) -> bytes:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"event: {name}\r\nid: {cursor}\r\ndata: {text}\r\n\r\n".encode()
