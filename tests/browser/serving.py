"""A page server of its own for tests: a store in a folder, served on a port that the system gives, stopped at the end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from waypost.assembly.settings import Settings
from waypost.assembly.waypost import open_waypost
from waypost.kernel.time import Clock
from waypost.server.app import build_app
from waypost.server.context import ServerContext, make_context
from waypost.server.process import Process

__all__ = ["Served", "serve"]

PATIENCE_SECONDS = 20


@dataclass(frozen=True, kw_only=True)
class Served:
    """A running server: where it is, and what stands behind it."""

    url: str
    context: ServerContext


@contextlib.contextmanager
def serve(folder: Path, *, clock: Clock | None = None, port: int = 0) -> Iterator[Served]:
    """Serves a store in `folder` until the end of the block, on the port given or any that is free."""
    settings = Settings()
    waypost = open_waypost(folder / "waypost.db", settings, clock=clock)
    context = make_context(waypost, settings, clock=clock)
    ready = threading.Event()
    with socket.create_server(("127.0.0.1", port)) as listener:
        process = Process(context, build_app(context), ready=ready.set)
        thread = threading.Thread(target=lambda: asyncio.run(process.serve([listener])), name="served-pages")
        thread.start()
        try:
            assert ready.wait(PATIENCE_SECONDS), "the server did not start"
            yield Served(url=f"http://127.0.0.1:{listener.getsockname()[1]}", context=context)
        finally:
            process.stop()
            thread.join(PATIENCE_SECONDS)
            context.close()
            waypost.close()
    assert not thread.is_alive(), "the server did not stop"
