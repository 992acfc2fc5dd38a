"""A small server in Waypost's place, for tests of what stands before it: run file, store id, `/readyz`, projects and `/mcp`.

It runs in threads of the test, or as a process of its own (`main`) where a test kills it. What a tool call does is told by
the tool's name; see `Tools`.
"""

from __future__ import annotations

import contextlib
import json
import os
import socketserver
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import IO, Any, ClassVar, Self

from waypost.client.folders import run_file_path, socket_path
from waypost.client.run_file import RunFile, new_key, remove_run_file, write_run_file

__all__ = ["FakeServer", "Recorded", "main"]

WAIT_SECONDS = 15.0


class Recorded:
    """One request as the server saw it."""

    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else None

    @property
    def rpc(self) -> str | None:
        return self.json.get("method") if self.path.startswith("/mcp") else None

    @property
    def tool(self) -> str | None:
        return self.json["params"]["name"] if self.rpc == "tools/call" else None


class _UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


class _TcpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64


class FakeServer:
    """A server for the store at `database`; `answers` are tried before the usual ones and say whether they answered."""

    def __init__(
        self, database: str, *, unix: bool = True, store_id: str = "11111111-store", host: str = "127.0.0.1"
    ) -> None:
        self.database = database
        self.store_id = store_id
        self.sent_store_id: str | None = store_id
        self.requests: list[Recorded] = []
        self.before: Callable[[Handler, Recorded], bool] | None = None
        self.log: IO[str] | None = None
        self.ended = threading.Event()
        self.release = threading.Event()
        self._changed = threading.Condition()
        server = self
        handler = type("BoundHandler", (Handler,), {"fake": server})
        path = socket_path(database) if unix else None
        self._server: _UnixServer | _TcpServer
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).unlink(missing_ok=True)
            self._server = _UnixServer(path, handler)
        else:
            self._server = _TcpServer((host, 0), handler)
        address = self._server.server_address if isinstance(self._server, _TcpServer) else None
        self.run = RunFile(
            pid=os.getpid(),
            version="0.0.0",
            store_id=store_id,
            database=database,
            socket=path,
            host=None if address is None else str(address[0]),
            port=None if address is None else int(address[1]),
            key=new_key(),
        )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        write_run_file(run_file_path(self.database), self.run)
        return self

    def __exit__(self, *details: object) -> None:
        self.stop()

    def stop(self, *, leave_run_file: bool = False) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
        if not leave_run_file:
            remove_run_file(run_file_path(self.database), self.run)

    def record(self, request: Recorded) -> None:
        with self._changed:
            self.requests.append(request)
            if self.log is not None:
                self.log.write(json.dumps([request.method, request.path, request.body.decode()]) + "\n")
                self.log.flush()
            self._changed.notify_all()

    def wait_for(self, enough: Callable[[list[Recorded]], bool]) -> list[Recorded]:
        with self._changed:
            assert self._changed.wait_for(lambda: enough(self.requests), WAIT_SECONDS), "the request did not come"
            return list(self.requests)

    def asked(self, rpc: str) -> list[Recorded]:
        with self._changed:
            return [request for request in self.requests if request.rpc == rpc]

    def calls(self, tool: str) -> list[Recorded]:
        with self._changed:
            return [request for request in self.requests if request.tool == tool]


class Handler(BaseHTTPRequestHandler):
    """Answers as Waypost would, as far as its clients look."""

    protocol_version = "HTTP/1.1"
    fake: ClassVar[FakeServer]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        return

    def address_string(self) -> str:
        return "local"

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Recorded(self.command, self.path, headers, self.rfile.read(length))
        self.fake.record(request)
        with contextlib.suppress(OSError):
            if self.fake.before is None or not self.fake.before(self, request):
                self._answer(request)

    def _answer(self, request: Recorded) -> None:
        if request.path == "/readyz":
            self.send_json(200, {"status": "ready"})
        elif request.path == "/v1/store":
            self.send_json(200, {"store_id": self.fake.store_id})
        elif request.path == "/v1/projects":
            self.send_json(201, {"workspace": "default", "project": "here"})
        elif "id" not in request.json or "method" not in request.json:
            self.send_json(202, None)
        elif request.tool is not None:
            getattr(Tools, request.tool)(self, request)
        else:
            self.send_result(request, RESULTS.get(request.json["method"], {}))

    def head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        if self.fake.sent_store_id is not None:
            self.send_header("Waypost-Store", self.fake.sent_store_id)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()

    def send_json(self, status: int, body: object) -> None:
        raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.head(status, {"Content-Type": "application/json", "Content-Length": str(len(raw))})
        self.wfile.write(raw)

    def send_result(self, request: Recorded, result: object) -> None:
        self.send_json(200, {"jsonrpc": "2.0", "id": request.json["id"], "result": result})

    @contextlib.contextmanager
    def stream(self) -> Iterator[Callable[[bytes], None]]:
        """An answer of events, each written as a chunk of its own."""
        self.head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})

        def write(piece: bytes) -> None:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()

        yield write
        self.wfile.write(b"0\r\n\r\n")

    def client_closed(self, seconds: float) -> bool:
        """Whether the client closes its connection within `seconds`."""
        self.connection.settimeout(seconds)
        try:
            return not self.connection.recv(1)
        except OSError:
            return False


RESULTS: dict[str, object] = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "fake", "version": "0"}},
    "tools/list": {"tools": []},
    "ping": {},
}


class Tools:
    """What tool calls do, by the tool's name."""

    @staticmethod
    def echo(handler: Handler, request: Recorded) -> None:
        handler.send_result(request, {"echo": request.json["params"]})

    @staticmethod
    def slow(handler: Handler, request: Recorded) -> None:
        """Answers once the test releases it."""
        handler.fake.release.wait(WAIT_SECONDS)
        handler.send_result(request, {"slow": True})

    @staticmethod
    def until_closed(handler: Handler, request: Recorded) -> None:
        """Notes that the client closed its connection."""
        if handler.client_closed(WAIT_SECONDS):
            handler.fake.record(Recorded("CLOSED", "/", {}, b""))

    @staticmethod
    def progress(handler: Handler, request: Recorded) -> None:
        """A notification, a comment, then the response, with every kind of line end."""
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
        answer = {"jsonrpc": "2.0", "id": request.json["id"], "result": {"done": True}}
        with handler.stream() as write:
            write(b": ping\r\n\r\nevent: message\r\ndata: " + json.dumps(note).encode() + b"\r\n\r\n")
            text = json.dumps(answer, indent=1).encode().splitlines()
            write(b"".join(b"data: " + line + b"\n" for line in text) + b"\n")

    @staticmethod
    def die(handler: Handler, request: Recorded) -> None:
        """The first time the process ends in the middle of its answer; later the same call is answered."""
        marker = Path(handler.fake.database + ".died")
        if marker.exists():
            handler.send_result(request, {"survived": True})
            return
        marker.touch()
        handler.head(200, {"Content-Type": "application/json", "Content-Length": "1000"})
        handler.wfile.write(b'{"jsonrpc":')
        handler.wfile.flush()
        os._exit(9)


def main(arguments: list[str]) -> None:
    """Serves the store named after `--database` until killed or its home is gone, writing each request as a line of
    `<database>.requests`."""
    database = arguments[arguments.index("--database") + 1]
    home = Path(os.environ["WAYPOST_HOME"])
    if not home.exists():
        os._exit(1)  # started by a test that has ended
    Path(database).parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{database}.starts").open("a", encoding="utf-8") as starts:
        starts.write(f"{os.getpid()} {os.getsid(0)} {Path('/dev/fd/200').exists()} {Path.cwd()}\n")
    if "WAYPOST_TEST_FAIL" in os.environ:
        sys.stderr.write("the store is\x1b[31m broken\n")
        sys.stderr.flush()
        os._exit(1)
    server = FakeServer(database, unix="WAYPOST_TEST_TCP" not in os.environ)
    with Path(f"{database}.requests").open("a", encoding="utf-8") as server.log, server:
        while home.exists():
            server.ended.wait(1)
    os._exit(0)
