"""The serving process: one event loop on the bound sockets, stopped within seconds whoever still listens to a stream."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from uvicorn import Config, Server

from waypost.server.app import App
from waypost.server.context import ServerContext
from waypost.server.protocol import MOST_HEAD_BYTES, http_protocol

__all__ = ["Process", "raise_descriptor_limit", "serving_config"]

GRACE_SECONDS = 3
"""How long requests may take to end once the server stops."""
KEEP_ALIVE_SECONDS = 60
MOST_DESCRIPTORS = 65_536
STOPPING = (signal.SIGTERM, signal.SIGINT)


def serving_config(app: App) -> Config:
    """How the application is served: the fast loop and parser where they are installed, no proxy headers (they would let anybody
    claim an address), no server header, and our own log line."""
    return Config(
        app,
        loop="auto",
        http=http_protocol(),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
    )


class Process(Server):
    """A server that ends its streams when it stops, and calls `ready` once it answers."""

    def __init__(self, context: ServerContext, app: App, *, ready: Callable[[], None]) -> None:
        super().__init__(serving_config(app))
        self._context = context
        self._ready = ready
        context.request_stop = self.stop

    def stop(self) -> None:
        """Asks the process to end. Harmless to repeat."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._context.changes.close()
        await super().shutdown(sockets=sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """SIGTERM and SIGINT stop the server, and its end is a good one: they are not raised again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._stop_by_signal) for number in STOPPING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop_by_signal(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self.should_exit and number == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True


def raise_descriptor_limit() -> None:
    """As many open connections as the system lets this process have, up to 65,536."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # macOS keeps a lower limit of its own
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
