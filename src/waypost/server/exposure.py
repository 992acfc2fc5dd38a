"""Whether others than this machine can reach the server, and what must be there before they can.

Invariant: nothing listens beyond loopback, and no name but a loopback one is answered, without a credential on each request.
"""

from __future__ import annotations

import socket

from waypost.assembly.settings import Settings
from waypost.identity.credential_store import any_usable_token
from waypost.kernel.errors import InvalidInput
from waypost.server.peer import is_loopback
from waypost.store.interface import Store

__all__ = ["EVERY_ADDRESS", "addresses_of", "is_exposed", "named_hosts", "refuse_exposure_without_tokens"]

EVERY_ADDRESS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound


def is_exposed(settings: Settings) -> bool:
    """Whether others can reach the server: it listens beyond loopback, or a proxy brings requests under a name of its own."""
    names = settings.server.allowed_hosts
    if any(not (name == "localhost" or is_loopback(name)) for name in names):
        return True
    try:
        return not all(is_loopback(address) for address in addresses_of(settings.server.host))
    except InvalidInput:
        return True


def named_hosts(settings: Settings) -> frozenset[str]:
    """The names by which the server may be called besides loopback ones; the address of every interface is none."""
    return frozenset({settings.server.host, *settings.server.allowed_hosts}) - EVERY_ADDRESS


def refuse_exposure_without_tokens(settings: Settings, store: Store | None) -> None:
    """Refuses (`invalid_input`) to be reached by others while there is no token by which anybody could come in; None is a store that
    is not there yet."""
    if is_exposed(settings) and (store is None or not store.read(any_usable_token)):
        raise InvalidInput(
            f"Other machines could reach this server ({settings.server.host}), and the store has no tokens, by which it could tell "
            "callers apart. Nothing was started.",
            hint="Make the operator's first: `waypost token create --operator`; or stay on 127.0.0.1.",
        )


def addresses_of(host: str) -> list[str]:
    """The addresses of a host of this machine. Refuses `invalid_input` for what is none."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise InvalidInput(
            f"--host {host} is no address of this machine.", hint="Use --host 127.0.0.1 or localhost."
        ) from None
    return [str(entry[4][0]) for entry in sorted(found, key=lambda entry: entry[0])]
