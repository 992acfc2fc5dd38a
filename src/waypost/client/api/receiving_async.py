"""A receiver of wakes for asyncio: one wake after the other for a session that can be given a turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeVar

from waypost.client.api.asked import Fields
from waypost.client.api.exchange_async import AsyncExchange
from waypost.client.api.progress import Patience
from waypost.client.api.receiving import HELD_SECONDS, TAKEN_PAUSE_SECONDS
from waypost.kernel.errors import WaypostError
from waypost.operations.waking import LookOutput, ReservedRecord, ReserveOutput, WakeOutput

__all__ = ["AsyncGivenWake", "AsyncReceiver", "AsyncReceiving"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class AsyncGivenWake:
    """A wake that this receiver was given for 60 seconds. Start a turn with `notice`, see it start, then call `accepted`; where none
    could be started, call `retry`. What was done for the same `key` before is a repeat of it."""

    message_id: str
    occurrence: int
    notice: str
    until: str
    _report: Callable[[str], Awaitable[WakeOutput]] = field(repr=False)

    @property
    def key(self) -> tuple[str, int]:
        """What a repeat is told by: the message and its occurrence."""
        return self.message_id, self.occurrence

    async def accepted(self) -> WakeOutput:
        """Says that a turn was seen to start. Nobody has read the message by that. Refuses `lease_lost` where another receiver was
        given it meanwhile."""
        return await self._report("wake.accepted")

    async def retry(self) -> WakeOutput:
        """Says that no turn could be started; it is tried again in five seconds. Refuses as `accepted` does."""
        return await self._report("wake.retry")


class AsyncReceiver(AsyncIterator[AsyncGivenWake]):
    """The wakes of one session, each reserved for this receiver when it is handed out. It waits for new ones, over disconnects and
    restarts, and ends when it is closed. Finish a turn before you ask for the next wake. For one task."""

    def __init__(self, exchange: AsyncExchange, who: Fields, *, patience: float | None) -> None:
        self._exchange = exchange
        self._who = who
        self._patience = patience
        self._reached = False
        self._closed = False

    async def __anext__(self) -> AsyncGivenWake:
        while not self._closed:
            looked = await self._patiently(self._look)
            if looked.wake is None:
                continue
            given = await self._patiently(self._reserve)
            if given.wake is not None:
                return self._given(given.wake)
            await self._exchange.sleep(TAKEN_PAUSE_SECONDS)
        raise StopAsyncIteration

    def close(self) -> None:
        """Ends the iteration when the next wake is asked for."""
        self._closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _look(self) -> LookOutput:
        return await self._exchange.wait("wake.look", LookOutput, {**self._who, "timeout_seconds": HELD_SECONDS})

    async def _reserve(self) -> ReserveOutput:
        return await self._exchange.write("wake.reserve", ReserveOutput, self._who, None)

    def _given(self, wake: ReservedRecord) -> AsyncGivenWake:
        said = {**self._who, "message_id": wake.message_id, "occurrence": wake.occurrence, "token": wake.token}

        async def report(operation: str) -> WakeOutput:
            return await self._exchange.write(operation, WakeOutput, said, None)

        return AsyncGivenWake(
            message_id=wake.message_id,
            occurrence=wake.occurrence,
            notice=wake.notice,
            until=wake.until,
            _report=report,
        )

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """The answer, over any fault that passes by itself; before the first answer a fault is raised, for it may be a wrong address."""
        patience = Patience(self._exchange.retries, self._patience)
        while True:
            try:
                answer = await ask()
            except WaypostError as fault:
                pause = patience.pause(fault, self._exchange.clock()) if self._reached else None
                if pause is None or self._closed:
                    raise
            else:
                self._reached = True
                return answer
            await self._exchange.sleep(pause)


class AsyncReceiving:
    """What `wakes` offers beside its verbs."""

    def __init__(self, exchange: AsyncExchange) -> None:
        self._exchange = exchange

    def receive(
        self, *, session: str | None = None, project: str | None = None, patience: float | None = None
    ) -> AsyncReceiver:
        """The wakes of a session that is attached here and can be given a turn, as they come.

        session: The session, exactly as its client names it; the client's own where left out.
        project: Its project: a name, or workspace/project; the client's own where left out.
        patience: For how many seconds a server that was reached before may be away until its fault is raised; for ever where left out.
        """
        return AsyncReceiver(self._exchange, {"session": session, "project": project}, patience=patience)
