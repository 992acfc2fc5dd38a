"""Where the server is: at an address that was given, or wherever the run file of a local store points, started where none runs.

The key of the run file is not sent by this client: its socket can be reached by the account alone, and proves it. Without sockets the
server knows the account by its loopback connection, where the system tells. A token goes to the address that was given with it, and in
the clear only to this machine.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Protocol

from waypost.client.addresses import read_address
from waypost.client.errors import ServerAway
from waypost.client.folders import database_path
from waypost.client.launch import ready_server, start_server
from waypost.client.run_file import RunFile

__all__ = ["GivenAddress", "LocalStore", "Place", "Reached"]

WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - addresses to turn into loopback, not to bind


@dataclass(frozen=True, kw_only=True, slots=True)
class Reached:
    """A way to the server: its address, and the path of its socket where that is the way. `store` is None until an answer named it."""

    base: str
    socket: str | None
    store: str | None
    loopback: bool


class Place(Protocol):
    """Something that knows the way."""

    def find(self) -> Reached:
        """The way as it is now; may block, and start a server. Raises `ServerAway`, `ServerNotStarted`."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenAddress:
    """A server by its URL."""

    base: str
    loopback: bool

    @classmethod
    def read(cls, url: str, *, with_token: bool) -> GivenAddress:
        """Refuses (`invalid_input`) what is no plain http or https address, and a token that would travel in the clear."""
        address = read_address(url, with_token=with_token)
        return cls(base=address.base, loopback=address.loopback)

    def find(self) -> Reached:
        return Reached(base=self.base, socket=None, store=None, loopback=self.loopback)


class LocalStore:
    """The server of a store of this account, found by its run file; started where none runs and `start` is set."""

    def __init__(self, database: str | None, *, start: bool) -> None:
        self._database = database_path(database)
        self._start = start
        self._gate = threading.Lock()

    def find(self) -> Reached:
        with self._gate:
            run = ready_server(self._database)
            if run is None:
                if not self._start:
                    raise ServerAway("No server runs for this store, and the client was told not to start one.")
                run = start_server(self._database)
        return _reached(run)


def _reached(run: RunFile) -> Reached:
    if run.socket:
        return Reached(base="http://localhost", socket=run.socket, store=run.store_id, loopback=True)
    host = WILDCARDS.get(run.host or "", run.host or "")
    shown = f"[{host}]" if ":" in host else host
    return Reached(base=f"http://{shown}:{run.port}", socket=None, store=run.store_id, loopback=True)
