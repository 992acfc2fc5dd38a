"""The verbs on consumers, awaited. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange_async import AsyncExchange
from waypost.operations.consumers import ConsumerOutput, DroppedOutput, PutOutput

__all__ = ["AsyncConsumers"]


class AsyncConsumers:
    """The verbs on consumers."""

    def __init__(self, exchange: AsyncExchange) -> None:
        self._exchange = exchange

    async def show(self, name: str) -> ConsumerOutput:
        """Show a consumer of the feed and its checkpoint.

        name: The consumer's name.
        """
        fields: Fields = {"name": name}
        return await self._exchange.read("consumer.show", ConsumerOutput, fields)

    async def put(
        self, name: str, *, cursor: str | None = None, rewind: bool = False, idempotency_key: str | None = None
    ) -> PutOutput:
        """Make a consumer of the feed, or move its checkpoint. It goes back only with rewind.

        name: The consumer's name.
        cursor: The next_cursor that was worked off, or `now`; left out, a new consumer begins at the oldest change kept and an old one stays where it is.
        rewind: Also go back.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"name": name, "cursor": cursor, "rewind": rewind}
        return await self._exchange.write("consumer.put", PutOutput, fields, idempotency_key)

    async def delete(self, name: str, *, idempotency_key: str | None = None) -> DroppedOutput:
        """Forget a consumer of the feed.

        name: The consumer's name.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"name": name}
        return await self._exchange.write("consumer.delete", DroppedOutput, fields, idempotency_key)
