"""The whole server in process, asked by raw ASGI: every header, address and piece of a body is the test's own.

The event loop runs in a thread, so tests are plain functions. Each answer is checked for what all answers must have.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

from tests.operations.office import settle
from waypost import __version__
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import Waypost, open_waypost
from waypost.kernel.time import Clock
from waypost.server.app import App, build_app
from waypost.server.context import ServerContext, make_context
from waypost.server.logs import event_log
from waypost.store.journal import bounds

__all__ = ["STRANGER", "Answer", "RestDoor"]

HOST = "127.0.0.1:7433"
STRANGER = ("192.0.2.7", 4711)
"""A caller of whom nothing is known."""
SECONDS = 30.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One whole answer; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        """The body's object."""
        read: dict[str, Any] = json.loads(self.body)
        return read

    @property
    def code(self) -> str | None:
        """The code of a refusal, which is checked for its form; None for what is none."""
        if self.status < 400:
            return None
        assert self.headers["content-type"] == "application/problem+json"
        problem = self.json()
        assert set(problem) == {"type", "title", "status", "code", "detail", "hint"}
        assert problem["status"] == self.status
        assert problem["type"] == f"urn:waypost:error:{problem['code']}"
        return str(problem["code"])


class RestDoor:
    """A server over a new store, with the projects `default/a` and `default/b`. `place` is a folder for a SQLite file, the file
    itself, or the URL of a Postgres database; there the journal is settled before each request, so that a test sees what it did."""

    def __init__(self, place: Path | str, *, settings: Settings | None = None, clock: Clock | None = None) -> None:
        self.settings = settings or Settings()
        self.events: list[Mapping[str, Any]] = []
        self.waypost: Waypost = open_waypost(
            place / "waypost.db" if isinstance(place, Path) else place, self.settings, clock=clock
        )
        self.context: ServerContext = make_context(
            self.waypost, self.settings, clock=clock, log=event_log(self.events.append)
        )
        self.app: App = build_app(self.context)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="rest-door")
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._outbox: asyncio.Queue[Any] = asyncio.Queue()

    def __enter__(self) -> Self:
        self._thread.start()
        self._living = self.start(self.app({"type": "lifespan"}, self._inbox.get, self._outbox.put))
        self.run(self._inbox.put({"type": "lifespan.startup"}))
        assert self.run(self._outbox.get())["type"] == "lifespan.startup.complete"
        for name in ("a", "b"):
            self.ok("PUT", f"/v1/projects/default/{name}", {}, owner=True)
        self.settle()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.run(self._inbox.put({"type": "lifespan.shutdown"}))
        self._living.result(SECONDS)
        self.run(_others_end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(SECONDS)
        self._loop.close()
        self.context.close()
        self.waypost.close()

    def start(self, work: Any) -> Future[Any]:
        """Starts a coroutine on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Any) -> Any:
        """Runs a coroutine on the server's loop and waits for its result."""
        return self.start(work).result(SECONDS)

    def ask(
        self,
        method: str,
        target: str,
        body: object = None,
        *,
        headers: Mapping[str, str] | None = None,
        owner: bool = False,
        client: tuple[str, int] | None = STRANGER,
        server: tuple[str, int | None] = ("127.0.0.1", 7433),
    ) -> Answer:
        """One request: `body` is sent as JSON, bytes as they are, a list of bytes piece by piece."""
        return self.answer_of(
            self.begin(method, target, body, headers=headers, owner=owner, client=client, server=server)
        )

    def begin(
        self,
        method: str,
        target: str,
        body: object = None,
        *,
        headers: Mapping[str, str] | None = None,
        owner: bool = False,
        client: tuple[str, int] | None = STRANGER,
        server: tuple[str, int | None] = ("127.0.0.1", 7433),
        gone: asyncio.Event | None = None,
    ) -> Future[Answer]:
        """Starts a request. When `gone` is set, the client goes away."""
        self.settle()
        pieces, sent = _pieces(body), {"host": HOST, **{name.lower(): value for name, value in (headers or {}).items()}}
        if owner:
            sent["waypost-key"] = self.context.key
        if body is not None and not isinstance(body, bytes | list):
            sent.setdefault("content-type", "application/json")
        raw_path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": unquote(raw_path),
            "raw_path": raw_path.encode("latin-1"),
            "query_string": query.encode("latin-1"),
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.items()],
            "client": client,
            "server": server,
            "scheme": "http",
        }
        return self.start(self._exchange(scope, pieces, gone))

    def answer_of(self, future: Future[Answer]) -> Answer:
        """The answer of a request that was begun, checked for what every answer has."""
        answer = future.result(SECONDS)
        assert answer.headers["waypost-store"] == self.waypost.store.facts.store_id
        assert answer.headers["waypost-version"] == __version__
        return answer

    def ok(self, method: str, target: str, body: object = None, **asked: Any) -> dict[str, Any]:
        """The JSON of a request that succeeds."""
        answer = self.ask(method, target, body, **asked)
        assert answer.status == 200, answer
        assert answer.headers["content-type"] == "application/json"
        return answer.json()

    def refused(self, method: str, target: str, body: object = None, **asked: Any) -> dict[str, Any]:
        """The problem document of a request that is refused."""
        answer = self.ask(method, target, body, **asked)
        assert answer.code is not None, answer
        return answer.json()

    def send(self, **fields: Any) -> dict[str, Any]:
        """A message from a to b."""
        return self.ok("POST", "/v1/messages", {"from_project": "a", "to_project": "b", "body": "hello", **fields})

    def journal(self) -> int:
        """How many changes there were."""
        self.settle()
        return self.waypost.store.read(bounds).head

    def settle(self) -> None:
        """Gives the journal's entries their positions now, and waits until the server has heard of them."""
        settle(self.waypost.store)
        if self.waypost.store.facts.engine == "postgres":
            head = self.waypost.store.read(bounds).head
            self.run(self.context.changes.wait(head - 1, SECONDS))

    async def _exchange(self, scope: dict[str, Any], pieces: Sequence[bytes], gone: asyncio.Event | None) -> Answer:
        waiting = list(pieces)
        status, headers, parts = 0, {}, []

        async def receive() -> dict[str, Any]:
            if waiting:
                piece = waiting.pop(0)
                return {"type": "http.request", "body": piece, "more_body": bool(waiting)}
            await (gone or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers.update({name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]})
            else:
                parts.append(message.get("body", b""))

        await self.app(scope, receive, send)
        return Answer(status=status, headers=headers, body=b"".join(parts))


async def _others_end() -> None:
    """Waits for what still runs; a server that stopped answers its last requests."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        if getattr(task.get_coro(), "__name__", "") == "_shutdown_watcher":
            task.cancel()  # sse-starlette's, which lives as long as the loop
    if others:
        await asyncio.wait(others, timeout=SECONDS / 2)


def _pieces(body: object) -> list[bytes]:
    if body is None:
        return [b""]
    if isinstance(body, bytes):
        return [body]
    if isinstance(body, list) and all(isinstance(piece, bytes) for piece in body):
        return body
    return [json.dumps(body).encode("utf-8")]
