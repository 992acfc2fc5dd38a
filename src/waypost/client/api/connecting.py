"""How the HTTP library is set up for a way to the server, for both clients, and which headers go with every request. No I/O."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2

from waypost import __version__
from waypost.client.api.asked import Asked
from waypost.client.api.places import Place, Reached
from waypost.client.errors import AnswerTooLarge, ServerSlow
from waypost.client.percent import encode_header, quote

__all__ = ["LIMITS", "LONG_SECONDS", "MOST_BYTES", "Connecting", "check_arrival", "timeout_of"]

MOST_BYTES = 64 * 1024 * 1024
"""The largest answer that is read."""
CONNECT_SECONDS = 10.0
LONG_SECONDS = 600.0
"""How long at least a copy of the whole store may take."""
IDLE_SECONDS = 20.0
"""A connection that was idle for longer is not used again; the server closes its own after 60 s."""
LIMITS = httpx2.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=IDLE_SECONDS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Connecting:
    """What a client was told about its server and itself."""

    place: Place
    client: str
    directory: str | None
    token: str | None = field(repr=False)
    verify: ssl.SSLContext | bool = True

    def options(self, way: Reached) -> Mapping[str, bool]:
        """Whether proxies and the like of the environment count: never on this machine."""
        return {"trust_env": not way.loopback}

    def headers(self, asked: Asked, store: str | None) -> dict[str, str]:
        """The headers of one request."""
        headers = {
            "User-Agent": f"waypost/{__version__}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Waypost-Client": encode_header(self.client),
            **asked.headers,
        }
        if store is not None:
            headers["Waypost-Store"] = store
        if self.directory is not None:
            headers["Waypost-Directory"] = quote(self.directory, keep="/:")
        if self.token is not None:
            headers["Authorization"] = f"Bearer {encode_header(self.token)}"
        return headers


def timeout_of(asked: Asked) -> httpx2.Timeout:
    """The bounds of one request: its seconds hold for each step, and `check_arrival` for the whole answer."""
    return httpx2.Timeout(asked.seconds, connect=min(asked.seconds, CONNECT_SECONDS))


def check_arrival(size: int, *, late: bool) -> None:
    """Raises `AnswerTooLarge` and `ServerSlow` for an answer that grows without end or trickles."""
    if size > MOST_BYTES:
        raise AnswerTooLarge(f"The server's answer is above {MOST_BYTES} bytes and was not read.")
    if late:
        raise ServerSlow("The server's whole answer did not come in time.")
