"""Bounds the head of a request before anything of it is parsed: how large it may be, and how long it may take to arrive.

uvicorn's fast parser has neither bound. Without that parser uvicorn's other one is used, which bounds the size itself.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:  # no httptools on this system
    HttpToolsProtocol = None  # type: ignore[assignment, misc] # where httptools is missing

if TYPE_CHECKING:
    from uvicorn.config import HTTPProtocolType

__all__ = ["HEAD_SECONDS", "MOST_HEAD_BYTES", "http_protocol"]

MOST_HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 20.0
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def http_protocol() -> type[asyncio.Protocol] | HTTPProtocolType:
    """The protocol to serve by."""
    return "h11" if HttpToolsProtocol is None else BoundedProtocol


if HttpToolsProtocol is not None:

    class BoundedProtocol(HttpToolsProtocol):
        """One connection. Its head has a size and a time; a head that comes whole costs nothing more."""

        _head_bytes = 0
        _in_head = True
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)  # type: ignore[arg-type] # uvicorn narrows it
            self._late = self.loop.call_later(HEAD_SECONDS, transport.close)

        def connection_lost(self, exc: Exception | None) -> None:
            self._in_time()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not self._in_head:
                return
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self.transport.write(TOO_LARGE)
                self.transport.close()
            elif self._late is None:
                self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

        def on_message_begin(self) -> None:
            self._head_bytes = 0
            self._in_head = True
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self._in_head = False
            self._in_time()
            super().on_headers_complete()

        def _in_time(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None
