"""The sockets of the server: loopback TCP, and a Unix socket for this account alone. Bound before the first request, with clear
refusals where that cannot be."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from waypost.kernel.errors import InvalidInput, StoreUnavailable
from waypost.server.errors import PortTaken
from waypost.server.exposure import addresses_of

__all__ = ["bind_tcp", "unix_socket"]

BACKLOG = 2_048
PROBE_SECONDS = 1.0


def bind_tcp(host: str, port: int, *, else_any: bool = False) -> socket.socket:
    """A bound TCP socket. Refuses (`PortTaken`) a port in use, saying who answers there; with `else_any` takes a free one then."""
    address = addresses_of(host)[0]
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # so that a restart does not wait for connections that have ended
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((address, port))
            bound.listen(BACKLOG)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            if not else_any:
                raise _taken(address, port) from None
            bound.bind((address, 0))
            bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise InvalidInput(
            f"Waypost cannot listen on {host}:{port} ({error.strerror}). Nothing was started.",
            hint="Choose another address or port with --host and --port.",
        ) from None
    except BaseException:
        bound.close()
        raise
    return bound


@contextlib.contextmanager
def unix_socket(path: str | None) -> Iterator[list[socket.socket]]:
    """A listening Unix socket at `path`, for this account alone, removed at the end; nothing where there is no path. What stands
    there is a leftover, because the store's lock is held."""
    if path is None:
        yield []
        return
    place = Path(path)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.parent.chmod(0o700)
        place.unlink(missing_ok=True)
        bound.bind(path)
        place.chmod(0o600)
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise StoreUnavailable(
            f"The socket {path} cannot be made ({error.strerror}). Nothing was started.",
            hint="Give this account write access to the state folder; `waypost status` names it.",
        ) from None
    made = place.stat()
    try:
        yield [bound]
    finally:
        bound.close()
        with contextlib.suppress(OSError):
            if os.path.samestat(made, place.stat()):
                place.unlink()


def _taken(address: str, port: int) -> PortTaken:
    who = "another Waypost, of another store" if _is_waypost(address, port) else "another program"
    return PortTaken(
        f"Port {port} on {address} is taken by {who}. Nothing was started.",
        hint=f"Choose another one: waypost serve --port {port + 1 if port < 65535 else port - 1}. Clients find it by themselves.",
    )


def _is_waypost(address: str, port: int) -> bool:
    """Whether what listens there answers as a Waypost does."""
    from http.client import HTTPConnection, HTTPException  # noqa: PLC0415 - only where a port is taken

    connection = HTTPConnection(address, port, timeout=PROBE_SECONDS)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().getheader("Waypost-Store") is not None
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
