"""A stream of the feed, asked by raw ASGI: the test takes its pieces one by one, so that a slow client is the test's own doing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.doors.rest_door import HOST, STRANGER, RestDoor
from waypost.server.replies import Message

__all__ = ["Event", "FeedStream"]

SECONDS = 30.0


class Event(NamedTuple):
    """One event of the feed."""

    name: str
    id: str
    data: dict[str, Any]


class FeedStream:
    """An open stream. Only what was taken is sent on: the server waits with the next piece until then."""

    def __init__(self, rest: RestDoor, target: str, headers: Mapping[str, str] | None = None) -> None:
        self._rest = rest
        self._gone = asyncio.Event()
        self._pieces: asyncio.Queue[Message] = asyncio.Queue(maxsize=1)
        self._events: list[Event] = []
        self._rest_of_piece = ""
        rest.settle()
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"),
            "headers": [(b"host", HOST.encode("ascii"))]
            + [(name.lower().encode("ascii"), value.encode("ascii")) for name, value in (headers or {}).items()],
            "client": STRANGER,
            "server": ("127.0.0.1", 7433),
            "scheme": "http",
        }
        self._answering = rest.start(rest.app(scope, self._receive, self._pieces.put))
        head = self.piece()
        self.status = int(head["status"])
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head["headers"]}

    async def _receive(self) -> Message:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    def piece(self) -> Message:
        """The next piece that the server sends."""
        message: Message = self._rest.run(asyncio.wait_for(self._pieces.get(), SECONDS))
        return message

    def event(self) -> Event | None:
        """The next event; None once the stream is over."""
        while not self._events:
            message = self.piece()
            self._events += self._read(message.get("body", b"").decode("utf-8"))
            if not message.get("more_body", False):
                return None
        return self._events.pop(0)

    def cursors(self, count: int) -> list[str]:
        """The ids of the next events, each of which is a change."""
        found = [self.event() for _ in range(count)]
        assert all(event is not None and event.name == "change" for event in found)
        return [event.id for event in found if event is not None]

    def leave(self) -> None:
        """The client goes away; returns once the server is done with it."""
        self._rest.run(_set(self._gone))
        self._answering.result(SECONDS)

    def _read(self, text: str) -> list[Event]:
        blocks = (self._rest_of_piece + text).split("\r\n\r\n")
        self._rest_of_piece = blocks.pop()
        found = [dict(line.split(": ", 1) for line in block.split("\r\n") if line[:1] != ":") for block in blocks]
        return [Event(one["event"], one["id"], json.loads(one["data"])) for one in found if "event" in one]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._answering.done():
            self.leave()


async def _set(event: asyncio.Event) -> None:
    event.set()
