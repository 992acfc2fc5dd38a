"""The address of a server that a person gave: read once, for the Python client and for `--url`. Standard library only."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from waypost.kernel.errors import InvalidInput

__all__ = ["Address", "read_address"]

PORTS = {"http": 80, "https": 443}


class Address(NamedTuple):
    """Where a server is. `loopback` says that it is on this machine."""

    secure: bool
    host: str
    port: int | None
    loopback: bool

    @property
    def base(self) -> str:
        """The URL without a path."""
        return f"http{'s' if self.secure else ''}://{self.netloc}"

    @property
    def netloc(self) -> str:
        """Host and port, as the `Host` header has them."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{shown}:{self.port}" if self.port else shown

    @property
    def dialled(self) -> int:
        """The port to connect to."""
        return self.port or PORTS["https" if self.secure else "http"]


def read_address(url: str, *, with_token: bool) -> Address:
    """Refuses (`invalid_input`) what is no plain http or https address, and a token that would travel in the clear to another
    machine."""
    found = _parts(url)
    if found is None:
        raise InvalidInput(
            "This is not the address of a server.", hint="Give it like https://post.example or http://127.0.0.1:7433."
        )
    if with_token and not found.secure and not found.loopback:
        raise InvalidInput(
            "The token would travel in the clear to another machine. Nothing was sent.", hint="Use an https address."
        )
    return found


def _parts(url: str) -> Address | None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    more = parts.path not in {"", "/"} or parts.query or parts.fragment or parts.username is not None
    if not host or more or parts.scheme not in PORTS:
        return None
    return Address(secure=parts.scheme == "https", host=host, port=port, loopback=_is_loopback(host))


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
