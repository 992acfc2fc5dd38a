"""A server's application without sockets: requests go in, whole answers come out, streams are read event by event."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from tests.operations.office import Office
from waypost.assembly.settings import Settings
from waypost.server.app import build_app
from waypost.server.context import make_context

__all__ = ["FROM_PAGE", "PageOffice", "Reply", "Stream"]

T = TypeVar("T")
PATIENCE_SECONDS = 20
HOST = "127.0.0.1:7433"
FROM_PAGE = {
    "sec-fetch-site": "same-origin",
    "sec-fetch-mode": "cors",
    "origin": f"http://{HOST}",
    "content-type": "application/json",
}
"""What a browser sends with a write of the page's own script."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One whole answer."""

    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


class Stream:
    """An open stream of events."""

    def __init__(self, office: PageOffice, scope: dict[str, Any]) -> None:
        self._left = asyncio.Event()
        self._chunks: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._task = office.loop.create_task(office.app(scope, self._receive, self._chunks.put))
        self._office = office
        self._head: dict[str, Any] = {}
        self.ended = False

    async def _receive(self) -> dict[str, Any]:
        await self._left.wait()
        return {"type": "http.disconnect"}

    def start(self) -> int:
        """The status, once the answer begins."""
        self._head = self._head or self._office.do(self._chunks.get())
        status: int = self._head["status"]
        return status

    def headers(self) -> dict[str, str]:
        """The answer's headers."""
        self.start()
        return {name.decode(): value.decode() for name, value in self._head["headers"]}

    def event(self) -> dict[str, str] | None:
        """The next event's fields; None once the stream is over."""
        self.start()

        async def read() -> dict[str, str] | None:
            while not self.ended:
                message = await self._chunks.get()
                self.ended = not message.get("more_body", False)
                fields = dict(line.split(": ", 1) for line in message["body"].decode().splitlines() if ": " in line)
                if "event" in fields:
                    return fields
            return None

        return self._office.do(read())

    def leave(self) -> None:
        """The client goes away; returns once the server is done with it."""
        self._left.set()

        async def done() -> None:
            await self._task

        self._office.do(done())


class PageOffice(Office):
    """An office with its server's application on an event loop of its own."""

    def __init__(self, database: Path | str) -> None:
        super().__init__(database)
        self.context = make_context(self.waypost, Settings(), clock=self.clock)
        self.app: Any = build_app(self.context)
        self._runner = asyncio.Runner()
        self.loop = self._runner.get_loop()
        self.do(self._start())

    async def _start(self) -> None:
        self.context.start()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs the loop until the work is done, for a bounded time."""
        return self._runner.run(asyncio.wait_for(work, PATIENCE_SECONDS))

    def close(self) -> None:
        """Stops the server and closes the store."""
        self.context.changes.close()
        self._runner.close()
        self.context.close()
        self.waypost.close()

    def request(self, method: str, path: str, headers: dict[str, str] | None = None, body: object = None) -> Reply:
        """One request from loopback, and its whole answer."""
        return self.do(
            self._answer(self._scope(method, path, headers), b"" if body is None else json.dumps(body).encode())
        )

    def page(self, path: str, headers: dict[str, str] | None = None) -> Reply:
        """A page, as a browser asks for it."""
        return self.request("GET", path, {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", **(headers or {})})

    @contextlib.contextmanager
    def stream(self, path: str, headers: dict[str, str] | None = None) -> Iterator[Stream]:
        """An open stream for the block."""
        stream = Stream(self, self._scope("GET", path, headers))
        try:
            yield stream
        finally:
            stream.leave()

    def _scope(self, method: str, path: str, headers: dict[str, str] | None) -> dict[str, Any]:
        parts = urlsplit(path)
        given = {"host": HOST, **(headers or {})}
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 7433),
        }

    async def _answer(self, scope: dict[str, Any], body: bytes) -> Reply:
        sent: list[dict[str, Any]] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(dict(message))

        await self.app(scope, receive, send)
        return Reply(
            status=sent[0]["status"],
            headers={name.decode(): value.decode() for name, value in sent[0]["headers"]},
            text=b"".join(message.get("body", b"") for message in sent[1:]).decode(),
        )
