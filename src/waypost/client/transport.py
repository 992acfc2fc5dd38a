"""One request to the server that a run file names, over its Unix socket or loopback TCP. The only code that sends the key.

Invariant: an answer is believed only if it carries the store id of the run file. Over TCP, where any program may have
taken the port, the key is sent only after the same connection has answered `GET /v1/store` with that id.
"""

from __future__ import annotations

# `socket` builds its enumerations anew at every import, which costs a third of a bare start; what it wraps is all we need.
import _socket
import time

from waypost import __version__
from waypost.client.errors import AnswerTooLarge, ForeignServer, ServerAway, ServerSlow
from waypost.client.percent import encode_query
from waypost.client.wire import Reader, encode_request, read_head, read_pieces, remaining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType
    from typing import Self

    from waypost.client.run_file import RunFile

__all__ = ["Answer", "Connection", "request"]

MAX_ANSWER_BYTES = 64 * 1024 * 1024
# What `GET /v1/store` answers is a few hundred bytes.
MAX_STORE_BYTES = 65_536
# Between two tries to connect while the server's queue of connections is full.
CONNECT_PAUSE_SECONDS = 0.005
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - addresses to turn into loopback, not to bind


class Answer:
    """Status and headers of an answer; its body is read once, whole or in pieces."""

    __slots__ = ("_reader", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], reader: Reader) -> None:
        self.status = status
        self.headers = headers
        self._reader = reader

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes. Raises `AnswerLost` or `ServerSlow`."""
        return read_pieces(self._reader, self.status, self.headers)

    def read(self, most: int = MAX_ANSWER_BYTES) -> bytes:
        """The whole body. Raises `AnswerTooLarge` above `most` bytes."""
        parts: list[bytes] = []
        size = 0
        for piece in self.pieces():
            size += len(piece)
            if size > most:
                raise AnswerTooLarge(f"The server's answer is above {most} bytes and was not read.")
            parts.append(piece)
        return b"".join(parts)


class Connection:
    """One connection to the server of a run file, used by one thread; `abort` alone may be called by another."""

    __slots__ = ("_reader", "_run", "_socket")

    def __init__(self, run: RunFile, deadline: float | None = None) -> None:
        """Connects. Raises `ServerAway` where nobody listens, `ForeignServer` where another program does."""
        self._run = run
        self._socket = _connect(run, deadline)
        self._reader = Reader(self._socket, deadline)
        if not run.socket:
            try:
                self._exchange("GET", "/v1/store", self._headers(), None).read(MAX_STORE_BYTES)
            except BaseException:
                self.close()
                raise

    def _headers(self) -> dict[str, str]:
        run = self._run
        host = "localhost" if run.socket else _netloc(run)
        return {"Host": host, "User-Agent": f"waypost/{__version__}", "Waypost-Store": run.store_id}

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """Sends a request with the key and reads the head of its answer. `target` is path and query, encoded."""
        return self._exchange(method, target, {**self._headers(), "Waypost-Key": self._run.key, **headers}, body)

    def _exchange(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        raw = encode_request(method, target, headers, body)
        try:
            self._socket.settimeout(remaining(self._reader.deadline))
            self._socket.sendall(raw + body if body else raw)
        except TimeoutError:
            raise ServerSlow("The server did not take the request in time.") from None
        except OSError:
            pass  # a server that refuses a long request answers and closes before it was all sent: read on
        status, found = read_head(self._reader)
        if found.get("waypost-store") != self._run.store_id:
            raise ForeignServer("What answers where the server should be is not the server of this store.")
        return Answer(status, found, self._reader)

    def abort(self) -> None:
        """Ends the connection from another thread; who waits on it gets `AnswerLost`."""
        try:
            self._socket.shutdown(_socket.SHUT_RDWR)
        except OSError:
            return

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _netloc(run: RunFile) -> str:
    host = _WILDCARDS.get(run.host or "", run.host or "")
    return f"[{host}]:{run.port}" if ":" in host else f"{host}:{run.port}"


def _connect(run: RunFile, deadline: float | None) -> _socket.socket:
    address: str | tuple[str, int | None]
    if run.socket:
        family, address = _socket.AF_UNIX, run.socket
    elif not run.process_lives():
        raise ServerAway("The server of this store has ended.")
    else:
        host = _WILDCARDS.get(run.host or "", run.host or "")
        family, address = (_socket.AF_INET6 if ":" in host else _socket.AF_INET), (host, run.port)
    connection = _socket.socket(family, _socket.SOCK_STREAM)
    try:
        while True:
            connection.settimeout(remaining(deadline))
            try:
                connection.connect(address)
                break
            except BlockingIOError:  # a Unix socket whose queue is full says so at once instead of waiting
                time.sleep(CONNECT_PAUSE_SECONDS)
        if not run.socket:
            connection.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
    except TimeoutError:
        connection.close()
        raise ServerSlow("The server did not take the connection in time.") from None
    except OSError as error:
        connection.close()
        raise ServerAway(f"No server listens for this store: {error.strerror or error}.") from None
    except BaseException:
        connection.close()
        raise
    return connection


def request(
    run: RunFile,
    method: str,
    path: str,
    *,
    query: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    deadline: float | None = None,
    most: int = MAX_ANSWER_BYTES,
) -> tuple[int, dict[str, str], bytes]:
    """One request and its whole answer: status, headers in lower case, body.

    Raises `ServerAway`, `ServerSlow`, `AnswerLost`, `ForeignServer` or `AnswerTooLarge`; never for a status.
    """
    target = f"{path}?{encode_query(query)}" if query else path
    with Connection(run, deadline) as connection:
        answer = connection.ask(method, target, {"Connection": "close", **(headers or {})}, body)
        return answer.status, answer.headers, answer.read(most)
