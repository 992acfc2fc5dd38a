"""The verbs on server, awaited. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange_async import AsyncExchange
from waypost.operations.housekeeping import OpenOutput, StopOutput

__all__ = ["AsyncServer"]


class AsyncServer:
    """The verbs on server."""

    def __init__(self, exchange: AsyncExchange) -> None:
        self._exchange = exchange

    async def stop(self) -> StopOutput:
        """Stop this server."""
        fields: Fields = {}
        return await self._exchange.write_once("server.stop", StopOutput, fields)

    async def open(self) -> OpenOutput:
        """Make a link that signs a person in to the page, once, within a minute."""
        fields: Fields = {}
        return await self._exchange.write_once("server.open", OpenOutput, fields)
