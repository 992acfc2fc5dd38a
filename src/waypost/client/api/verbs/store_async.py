"""The verbs on store, awaited. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange_async import AsyncExchange
from waypost.operations.stores import StoreOutput

__all__ = ["AsyncStore"]


class AsyncStore:
    """The verbs on store."""

    def __init__(self, exchange: AsyncExchange) -> None:
        self._exchange = exchange

    async def show(self) -> StoreOutput:
        """Say which store this is: its id, creation, engine and schema."""
        fields: Fields = {}
        return await self._exchange.read("store.show", StoreOutput, fields)
