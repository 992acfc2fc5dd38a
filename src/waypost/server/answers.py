"""Carries durable answers from the writer's thread to the event loop: all that one commit answers, with one wake-up."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import Future

from waypost.operations.call import Answer

__all__ = ["Answers"]


class Answers:
    """The way back of writes. Bound to one event loop by `start`."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._gate = threading.Lock()
        self._filled: list[tuple[asyncio.Future[Answer], Future[Answer]]] = []

    def start(self) -> None:
        """Binds it to the running event loop."""
        self._loop = asyncio.get_running_loop()

    async def wait_for(self, future: Future[Answer]) -> Answer:
        """The answer or refusal of a write. Who stops waiting does not undo the write."""
        if future.done():
            return future.result()
        waiter: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: self._arrived(waiter, done))
        return await waiter

    def _arrived(self, waiter: asyncio.Future[Answer], done: Future[Answer]) -> None:
        """On the writer's thread. Only the first of a batch wakes the loop."""
        with self._gate:
            self._filled.append((waiter, done))
            first = len(self._filled) == 1
        if first and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed already: nobody waits any more
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        with self._gate:
            filled, self._filled = self._filled, []
        for waiter, done in filled:
            if waiter.done():
                continue
            error = done.exception()
            if error is None:
                waiter.set_result(done.result())
            else:
                waiter.set_exception(error)
