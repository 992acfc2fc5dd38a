"""The verbs on server. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.operations.housekeeping import OpenOutput, StopOutput

__all__ = ["Server"]


class Server:
    """The verbs on server."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def stop(self) -> StopOutput:
        """Stop this server."""
        fields: Fields = {}
        return self._exchange.write_once("server.stop", StopOutput, fields)

    def open(self) -> OpenOutput:
        """Make a link that signs a person in to the page, once, within a minute."""
        fields: Fields = {}
        return self._exchange.write_once("server.open", OpenOutput, fields)
