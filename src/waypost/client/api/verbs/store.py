"""The verbs on store. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.operations.stores import StoreOutput

__all__ = ["Store"]


class Store:
    """The verbs on store."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def show(self) -> StoreOutput:
        """Say which store this is: its id, creation, engine and schema."""
        fields: Fields = {}
        return self._exchange.read("store.show", StoreOutput, fields)
