"""The verbs on store. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.operations.housekeeping import BackupOutput, ExportOutput
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

    def backup(self, *, path: str, overwrite: bool = False) -> BackupOutput:
        """Write a whole copy of the store to a new file.

        path: Absolute path of a new file on the server's machine.
        overwrite: Replace a file of that name.
        """
        fields: Fields = {"path": path, "overwrite": overwrite}
        return self._exchange.write_once("store.backup", BackupOutput, fields)

    def export(self, *, path: str, overwrite: bool = False) -> ExportOutput:
        """Write everything in the store to a new file, as lines of JSON that any engine reads.

        path: Absolute path of a new file on the server's machine.
        overwrite: Replace a file of that name.
        """
        fields: Fields = {"path": path, "overwrite": overwrite}
        return self._exchange.write_once("store.export", ExportOutput, fields)
