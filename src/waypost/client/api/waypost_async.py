"""The client for asyncio. It is told what `Waypost` is told."""

from __future__ import annotations

import os
import ssl
from types import TracebackType
from typing import Self

from waypost.client.api.exchange_async import AsyncExchange
from waypost.client.api.retries import Retries
from waypost.client.api.verbs import AsyncVerbs
from waypost.client.api.waypost import ANSWER_SECONDS, NAME, Told

__all__ = ["AsyncWaypost"]


class AsyncWaypost(AsyncVerbs):
    """As `Waypost`, for asyncio: verbs are awaited, lists and the feed are read by `async for`. Used in one event loop."""

    def __init__(
        self,
        *,
        url: str | None = None,
        token: str | None = None,
        database: str | None = None,
        start: bool = True,
        project: str | None = None,
        session: str | None = None,
        directory: str | os.PathLike[str] | None = None,
        client: str = NAME,
        timeout: float = ANSWER_SECONDS,
        retries: Retries | None = None,
        verify: ssl.SSLContext | bool = True,
    ) -> None:
        told = Told(
            url=url,
            token=token,
            database=database,
            start=start,
            project=project,
            session=session,
            directory=directory,
            client=client,
            verify=verify,
        )
        exchange = AsyncExchange(told.connecting(), acting=told.acting(), seconds=timeout, retries=retries or Retries())
        super().__init__(exchange)

    async def close(self) -> None:
        """Closes the connections. A closed client cannot be used again."""
        await self._exchange.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
