"""Following the change feed for asyncio: one change after the other, over disconnects and restarts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Self, TypeVar

from waypost.client.api.exchange_async import AsyncExchange
from waypost.client.api.progress import Patience, Progress
from waypost.kernel.errors import Conflict, NotFound, WaypostError
from waypost.operations.changes import ChangeRecord, ChangesOutput
from waypost.operations.consumers import ConsumerOutput, PutOutput

__all__ = ["AsyncFollower", "AsyncFollowing"]

T = TypeVar("T")


class AsyncFollower(AsyncIterator[ChangeRecord]):
    """The changes of the feed, in order, each once. It waits for new ones, and ends when it is closed. For one task.

    What raises loses nothing: asking again goes on where it stood. `ChangesGap` says what is missing, once for each gap.
    """

    def __init__(self, exchange: AsyncExchange, progress: Progress, *, commit: bool, patience: float | None) -> None:
        self._exchange = exchange
        self._progress = progress
        self._commits = commit
        self._patience = patience
        self._closed = False

    @property
    def cursor(self) -> str | None:
        """The place behind the last change that was handed out: keep it with your work, and go on there with `after`. None until
        it is known."""
        return self._progress.cursor

    async def __anext__(self) -> ChangeRecord:
        progress = self._progress
        while not self._closed:
            if self._commits:
                await self._commit_due()
            if progress.wants_page:
                await self._fetch()
            item = progress.next()
            if item is not None:
                return item
        raise StopAsyncIteration

    async def commit(self) -> None:
        """Moves the consumer's checkpoint behind the last change that was handed out. Refuses `conflict` where somebody else moved
        it further. RuntimeError without a consumer."""
        progress = self._progress
        if progress.consumer is None:
            raise RuntimeError("there is no consumer to commit for; follow with consumer=...")
        if progress.cursor is not None:
            await self._put(progress.consumer, progress.cursor)
            progress.committed(progress.cursor, self._exchange.clock())

    def close(self) -> None:
        """Ends the iteration when the next change is asked for. Commits nothing: the last change may not be worked off."""
        self._closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _commit_due(self) -> None:
        progress, now = self._progress, self._exchange.clock()
        cursor = progress.due(now)
        if cursor is None or progress.consumer is None:
            return
        try:
            await self._put(progress.consumer, cursor)
        except Conflict as refusal:
            progress.refused(refusal, now)
        else:
            progress.committed(cursor, now)

    async def _fetch(self) -> None:
        progress = self._progress
        if progress.consumer is not None and not progress.begun:
            await self._make(progress.consumer)
        page = await self._patiently(lambda: self._exchange.read("changes.list", ChangesOutput, progress.fields()))
        progress.arrived(page)

    async def _make(self, consumer: str) -> None:
        try:
            await self._exchange.read("consumer.show", ConsumerOutput, {"name": consumer})
        except NotFound:
            await self._put(consumer, self._progress.begins)

    async def _put(self, consumer: str, cursor: str | None) -> None:
        fields = {"name": consumer, "cursor": cursor}
        await self._patiently(lambda: self._exchange.write("consumer.put", PutOutput, fields, None))

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """The answer, over any fault that passes by itself; before the first answer a fault is raised, for it may be a wrong address."""
        patience = Patience(self._exchange.retries, self._patience)
        while True:
            try:
                return await ask()
            except WaypostError as fault:
                pause = patience.pause(fault, self._exchange.clock()) if self._progress.begun else None
                if pause is None or self._closed:
                    raise
            await self._exchange.sleep(pause)


class AsyncFollowing:
    """What `changes` offers beside its verbs."""

    def __init__(self, exchange: AsyncExchange) -> None:
        self._exchange = exchange

    def follow(
        self,
        *,
        after: str | None = None,
        consumer: str | None = None,
        project: str | None = None,
        limit: int = 500,
        commit: bool = True,
        patience: float | None = None,
    ) -> AsyncFollower:
        """The changes from a place on, and then each as it comes, over disconnects and restarts of the server. Each comes once.

        after: The cursor of the last change that you worked off, or `now`; left out, the oldest change kept is the first.
        consumer: Go on from this consumer's checkpoint; where there is none of that name, it is made, at `after`.
        project: Only what concerns this project: a name, or workspace/project.
        limit: How many changes are fetched at once at most, up to 1,000.
        commit: Whether the consumer's checkpoint moves by itself, behind changes whose next one was asked for.
        patience: For how many seconds a server that was reached before may be away until its fault is raised; for ever where left out.
        """
        progress = Progress(after=after, consumer=consumer, project=project, limit=limit)
        return AsyncFollower(self._exchange, progress, commit=commit and consumer is not None, patience=patience)
