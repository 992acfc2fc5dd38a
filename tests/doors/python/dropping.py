"""A proxy that drops connections at chosen stages, between a client and a real server, and keeps what it was asked.

Stages, one for each request in turn; after them everything passes:

before   the request was read and is not passed on
after    the server answered, and nothing of its answer is passed on
head     the head of the answer is passed on, and nothing of its body
mid      half of the answer's body is passed on
pass     everything is
"""

from __future__ import annotations

import contextlib
import http.client
import socketserver
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar, Self
from urllib.parse import urlsplit

__all__ = ["STAGES", "DroppingProxy", "Passed"]

STAGES = ("before", "after", "head", "mid")
SECONDS = 30.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Passed:
    """One request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(kw_only=True, slots=True)
class Given:
    """An answer that the proxy may change or make up: status, headers, body."""

    status: int
    headers: dict[str, str]
    body: bytes


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True


class DroppingProxy:
    """Listens at `url`. `plan` holds the stages to come; `asked`, where set, is given each request before it is passed on, `change`
    each answer, and `instead` may answer in the server's place. `tokens` holds the credentials that came."""

    def __init__(self, upstream: str, *, certificate: Path | None = None) -> None:
        self.upstream = upstream
        self.plan: deque[str] = deque()
        self.seen: list[Passed] = []
        self.change: Callable[[Given], None] | None = None
        self.instead: Callable[[Passed], Given | None] | None = None
        self.asked: Callable[[Passed], None] | None = None
        self.tokens: list[str] = []
        self._gate = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), type("BoundHandler", (_Handler,), {"proxy": self}))
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake waits for the connection's own thread, so that one that fails holds up nobody.
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def drop(self, *stages: str) -> None:
        """Adds stages for the next requests."""
        with self._gate:
            self.plan.extend(stages)

    def take(self, request: Passed) -> str:
        """Notes a request and says at which stage it is dropped."""
        with self._gate:
            self.seen.append(request)
            self.tokens += [request.headers["authorization"]] if "authorization" in request.headers else []
            return self.plan.popleft() if self.plan else "pass"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *details: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: ClassVar[DroppingProxy]

    def handle(self) -> None:
        with contextlib.suppress(OSError):  # a client that goes away, or takes no certificate of ours
            super().handle()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        return

    def do_GET(self) -> None:
        self._pass()

    def do_POST(self) -> None:
        self._pass()

    def do_PUT(self) -> None:
        self._pass()

    def do_DELETE(self) -> None:
        self._pass()

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Passed(method=self.command, target=self.path, headers=headers, body=body)
        stage = self.proxy.take(request)
        if stage == "before":
            self.close_connection = True
            return
        if self.proxy.asked is not None:
            self.proxy.asked(request)
        given = (self.proxy.instead and self.proxy.instead(request)) or self._ask(request)
        if self.proxy.change is not None:
            self.proxy.change(given)
        if stage == "after":
            self.close_connection = True
            return
        self._answer(given, {"head": 0, "mid": len(given.body) // 2}.get(stage, len(given.body)))

    def _ask(self, request: Passed) -> Given:
        connection = http.client.HTTPConnection(urlsplit(self.proxy.upstream).netloc, timeout=SECONDS)
        try:
            hop = {"host", "connection", "content-length"}
            headers = {name: value for name, value in request.headers.items() if name not in hop}
            connection.request(request.method, request.target, body=request.body or None, headers=headers)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Given(status=answer.status, headers=found, body=answer.read())
        except OSError:
            return Given(status=502, headers={"content-type": "text/html"}, body=b"<h1>Bad Gateway</h1>")
        finally:
            connection.close()

    def _answer(self, given: Given, length: int) -> None:
        self.send_response_only(given.status)
        for name, value in _kept(given.headers.items()):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(given.body)))
        self.end_headers()
        self.wfile.write(given.body[:length])
        self.close_connection = length < len(given.body)


def _kept(headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return (
        (name, value) for name, value in headers if name not in {"content-length", "connection", "transfer-encoding"}
    )
