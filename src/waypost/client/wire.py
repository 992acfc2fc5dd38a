"""HTTP/1.1 on a connected socket: writes a request, reads an answer. Knows neither Waypost's headers nor addresses.

Only what the local server sends is understood: an answer has a Content-Length or is chunked. Every size is bounded and
every wait ends at the deadline (`time.monotonic()` seconds; None waits for ever).
"""

from __future__ import annotations

import time

from waypost.client.errors import AnswerLost, ForeignServer, ServerSlow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator, Mapping

__all__ = ["Reader", "encode_request", "read_head", "read_pieces", "remaining"]

MAX_LINE_BYTES = 16_384
MAX_HEADERS = 100
RECEIVE_BYTES = 65_536


def remaining(deadline: float | None) -> float | None:
    """Seconds until the deadline, for `settimeout`. Raises `ServerSlow` once it has passed."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise ServerSlow("The server did not answer in time.")
    return left


class Reader:
    """Bytes from a socket, buffered, until a deadline."""

    __slots__ = ("_buffer", "_socket", "deadline")

    def __init__(self, connection: socket, deadline: float | None) -> None:
        self._socket = connection
        self._buffer = b""
        self.deadline = deadline

    def _receive(self) -> bytes:
        try:
            self._socket.settimeout(remaining(self.deadline))
            data = self._socket.recv(RECEIVE_BYTES)
        except TimeoutError:
            raise ServerSlow("The server did not answer in time.") from None
        except OSError as error:
            raise AnswerLost(f"The connection to the server broke: {error.strerror or error}.") from None
        if not data:
            raise AnswerLost("The server closed the connection before its answer was complete.")
        return data

    def line(self) -> bytes:
        """The next line without its end. Raises `ForeignServer` for one that no HTTP server sends."""
        while True:
            line, found, rest = self._buffer.partition(b"\n")
            if found:
                self._buffer = rest
                return line.rstrip(b"\r")
            if len(self._buffer) > MAX_LINE_BYTES:
                raise ForeignServer("What answers in the server's place does not speak HTTP.")
            self._buffer += self._receive()

    def some(self, most: int) -> bytes:
        """At least one byte and at most `most`."""
        data = self._buffer or self._receive()
        self._buffer = data[most:]
        return data[:most]


def encode_request(method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """The head of a request. A header that would break its line is a fault of the caller (ValueError)."""
    lines = [f"{method} {target} HTTP/1.1"]
    for name, value in headers.items():
        if "\r" in value or "\n" in value:
            raise ValueError(f"the header {name} holds a line break")
        lines.append(f"{name}: {value}")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def read_head(reader: Reader) -> tuple[int, dict[str, str]]:
    """Status and headers (names in lower case) of the next answer; informational ones are passed over."""
    while True:
        parts = reader.line().split(None, 2)
        if len(parts) < 2 or not parts[0].startswith(b"HTTP/1.") or not parts[1].isdigit():
            raise ForeignServer("What answers in the server's place does not speak HTTP.")
        headers: dict[str, str] = {}
        while line := reader.line():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
            if len(headers) > MAX_HEADERS:
                raise ForeignServer("What answers in the server's place sends too many headers.")
        if int(parts[1]) >= 200:
            return int(parts[1]), headers


def read_pieces(reader: Reader, status: int, headers: Mapping[str, str]) -> Iterator[bytes]:
    """The body in pieces as they come. Raises `AnswerLost` where it ends early, so that a cut answer is never taken for a whole."""
    if status in {204, 304}:
        return
    if "chunked" in headers.get("transfer-encoding", "").lower():
        while size := _chunk_size(reader.line()):
            yield from _exactly(reader, size)
            reader.line()
        while reader.line():
            pass
        return
    length = headers.get("content-length", "")
    if not length.isdigit():
        raise AnswerLost("The server's answer does not say how long it is.")
    yield from _exactly(reader, int(length))


def _chunk_size(line: bytes) -> int:
    try:
        return int(line.partition(b";")[0], 16)
    except ValueError:
        raise AnswerLost("The server's answer is broken.") from None


def _exactly(reader: Reader, size: int) -> Iterator[bytes]:
    while size:
        piece = reader.some(size)
        size -= len(piece)
        yield piece
