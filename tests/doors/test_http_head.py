"""The head of a request is bounded in size and in time on a real socket, and what keeps to the bounds is served."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promises.marks import promise
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import open_waypost
from waypost.server.app import build_app
from waypost.server.context import make_context
from waypost.server.listening import bind_tcp
from waypost.server.process import Process
from waypost.server.protocol import MOST_HEAD_BYTES

SECONDS = 20.0
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Where a server listens, which runs in a thread."""
    waypost = open_waypost(tmp_path / "waypost.db", Settings())
    context = make_context(waypost, Settings())
    listener = bind_tcp("127.0.0.1", 0)
    ready = threading.Event()
    process = Process(context, build_app(context), ready=ready.set)
    thread = threading.Thread(target=process.run, args=([listener],))
    host, port = listener.getsockname()
    thread.start()
    try:
        assert ready.wait(SECONDS)
        yield host, port
    finally:
        process.stop()
        thread.join(SECONDS)
        context.close()
        waypost.close()


def answers(connection: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@promise("api.sizes.bounded_before_parsing")
def test_a_head_without_end_is_refused_at_its_bound(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=SECONDS) as connection:
        connection.sendall(HEAD)
        sent = 0
        try:
            while sent < 100 * MOST_HEAD_BYTES:
                connection.sendall(b"x-more: " + b"y" * 8_000 + b"\r\n")
                sent += 8_000
        except (ConnectionResetError, BrokenPipeError):
            pass
        assert sent < 100 * MOST_HEAD_BYTES


@promise("api.sizes.bounded_before_parsing")
def test_a_head_above_the_bound_is_told_so(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=SECONDS) as connection:
        connection.sendall(HEAD + b"x-more: " + b"y" * (MOST_HEAD_BYTES + 1))
        assert answers(connection).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("begun", [b"", b"GET /hea", HEAD])
def test_a_head_that_does_not_come_ends_the_connection(
    address: tuple[str, int], begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.server.protocol.HEAD_SECONDS", 0.05)
    with socket.create_connection(address, timeout=SECONDS) as connection:
        connection.sendall(begun)
        assert answers(connection) == b""


def test_a_head_in_pieces_and_a_second_request_are_served(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in (HEAD[:9], HEAD[9:], b"\r\n"):
            connection.sendall(piece)
        first = connection.recv(65_536)
        connection.sendall(HEAD + b"Connection: close\r\nx-long: " + b"y" * 60_000 + b"\r\n\r\n")
        assert (first + answers(connection)).count(b"HTTP/1.1 200 ") == 2
