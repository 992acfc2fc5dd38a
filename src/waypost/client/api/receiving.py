"""A receiver of wakes over blocking sockets: one wake after the other for a session that can be given a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeVar

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.progress import Patience
from waypost.kernel.errors import WaypostError
from waypost.operations.waking import LookOutput, ReservedRecord, ReserveOutput, WakeOutput

__all__ = ["GivenWake", "Receiver", "Receiving"]

T = TypeVar("T")
HELD_SECONDS = 50
"""For how long one look waits at most."""
TAKEN_PAUSE_SECONDS = 1.0
"""Before the next look where another receiver was given the wake first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenWake:
    """A wake that this receiver was given for 60 seconds. Start a turn with `notice`, see it start, then call `accepted`; where none
    could be started, call `retry`. What was done for the same `key` before is a repeat of it."""

    message_id: str
    occurrence: int
    notice: str
    until: str
    _report: Callable[[str], WakeOutput] = field(repr=False)

    @property
    def key(self) -> tuple[str, int]:
        """What a repeat is told by: the message and its occurrence."""
        return self.message_id, self.occurrence

    def accepted(self) -> WakeOutput:
        """Says that a turn was seen to start. Nobody has read the message by that. Refuses `lease_lost` where another receiver was
        given it meanwhile."""
        return self._report("wake.accepted")

    def retry(self) -> WakeOutput:
        """Says that no turn could be started; it is tried again in five seconds. Refuses as `accepted` does."""
        return self._report("wake.retry")


class Receiver(Iterator[GivenWake]):
    """The wakes of one session, each reserved for this receiver when it is handed out. It waits for new ones, over disconnects and
    restarts, and ends when it is closed. Finish a turn before you ask for the next wake. For one thread."""

    def __init__(self, exchange: Exchange, who: Fields, *, patience: float | None) -> None:
        self._exchange = exchange
        self._who = who
        self._patience = patience
        self._reached = False
        self._closed = False

    def __next__(self) -> GivenWake:
        while not self._closed:
            looked = self._patiently(self._look)
            if looked.wake is None:
                continue
            given = self._patiently(self._reserve)
            if given.wake is not None:
                return self._given(given.wake)
            self._exchange.sleep(TAKEN_PAUSE_SECONDS)
        raise StopIteration

    def close(self) -> None:
        """Ends the iteration when the next wake is asked for."""
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _look(self) -> LookOutput:
        return self._exchange.wait("wake.look", LookOutput, {**self._who, "timeout_seconds": HELD_SECONDS})

    def _reserve(self) -> ReserveOutput:
        return self._exchange.write("wake.reserve", ReserveOutput, self._who, None)

    def _given(self, wake: ReservedRecord) -> GivenWake:
        said = {**self._who, "message_id": wake.message_id, "occurrence": wake.occurrence, "token": wake.token}

        def report(operation: str) -> WakeOutput:
            return self._exchange.write(operation, WakeOutput, said, None)

        return GivenWake(
            message_id=wake.message_id,
            occurrence=wake.occurrence,
            notice=wake.notice,
            until=wake.until,
            _report=report,
        )

    def _patiently(self, ask: Callable[[], T]) -> T:
        """The answer, over any fault that passes by itself; before the first answer a fault is raised, for it may be a wrong address."""
        patience = Patience(self._exchange.retries, self._patience)
        while True:
            try:
                answer = ask()
            except WaypostError as fault:
                pause = patience.pause(fault, self._exchange.clock()) if self._reached else None
                if pause is None or self._closed:
                    raise
            else:
                self._reached = True
                return answer
            self._exchange.sleep(pause)


class Receiving:
    """What `wakes` offers beside its verbs."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def receive(
        self, *, session: str | None = None, project: str | None = None, patience: float | None = None
    ) -> Receiver:
        """The wakes of a session that is attached here and can be given a turn, as they come.

        session: The session, exactly as its client names it; the client's own where left out.
        project: Its project: a name, or workspace/project; the client's own where left out.
        patience: For how many seconds a server that was reached before may be away until its fault is raised; for ever where left out.
        """
        return Receiver(self._exchange, {"session": session, "project": project}, patience=patience)
