"""Which requests are looked at at all: Host, Origin and the browser's fetch metadata, before anything is read or decided.

A name that a hostile page rebinds to this address shows itself in Host; a hostile page itself in Origin and Sec-Fetch-Site.
Programs that are no browsers send neither Origin nor metadata and pass. Nothing is ever allowed across origins (no CORS).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from waypost.kernel.errors import Forbidden
from waypost.server.callers import Headers
from waypost.server.errors import ForeignHost
from waypost.server.peer import is_loopback

__all__ = ["Gate", "host_name"]

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
MOST_KNOWN: Final = 64
SINGLE: Final = (
    *(b"host", b"origin", b"authorization", b"sec-fetch-site", b"content-type", b"content-length", b"idempotency-key"),
    *(b"waypost-key", b"waypost-store", b"waypost-directory", b"waypost-door", b"waypost-client", b"waypost-session"),
)


class Gate:
    """The check of one server, which may also be called by `names`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(name.lower() for name in names)
        self._known: set[bytes] = set()

    def check(self, scope: Mapping[str, Any], headers: Headers) -> None:
        """Refuses `forbidden`: 421 for a foreign Host, 403 for a foreign Origin and for a browser's request from elsewhere."""
        sent = scope["headers"]
        if len(sent) != len(headers):
            self._check_single(sent)
        host = headers.get(b"host")
        if host not in self._known:
            self._check_host(host, scope.get("server"))
        if b"origin" in headers:
            _check_origin(headers[b"origin"], host or b"")
        if b"sec-fetch-site" in headers:
            _check_metadata(scope["method"], headers)

    def _check_host(self, host: bytes | None, server: Sequence[object] | None) -> None:
        """Takes loopback, the names of this server, and the very address that the connection was made to: no name can be rebound to
        make a page's requests carry that."""
        name = host_name(host.decode("latin-1")) if host else None
        own = server is not None and server[1] is not None and name == server[0]
        if name is None or not (own or name in self._names or name == "localhost" or is_loopback(name)):
            raise ForeignHost(
                "The Host header does not name this server. Nothing was changed.",
                hint="Call it as 127.0.0.1 or localhost, by the host that it was started with, or by one of "
                "allowed_hosts in [server] of config.toml.",
            )
        if len(self._known) < MOST_KNOWN:
            self._known.add(host or b"")

    @staticmethod
    def _check_single(sent: Iterable[tuple[bytes, bytes]]) -> None:
        names = [name for name, _ in sent]
        if any(names.count(name) > 1 for name in SINGLE):
            raise Forbidden("A header that may stand once was sent twice. Nothing was changed.")


def host_name(host: str) -> str | None:
    """The name or address in a Host header, in lower case and without its port; None where it is neither."""
    if host.startswith("["):
        address, bracket, port = host[1:].partition("]")
        return address.lower() if bracket and (not port or (port[0] == ":" and port[1:].isdigit())) else None
    name, colon, port = host.partition(":")
    return name.lower() if name and (not colon or port.isdigit()) else None


def _check_origin(origin: bytes, host: bytes) -> None:
    scheme, _, place = origin.partition(b"://")
    if scheme not in {b"http", b"https"} or place.lower() != host.lower():
        raise Forbidden(
            "The request comes from a page of another origin. Nothing was changed.",
            hint="Use Waypost's own page, or call it from a program.",
        )


def _check_metadata(method: str, headers: Headers) -> None:
    site = headers[b"sec-fetch-site"]
    if method in SAFE_METHODS:
        if site not in {b"same-origin", b"none"} and headers.get(b"sec-fetch-mode") != b"navigate":
            raise Forbidden("A page of another origin may not read this.", hint="Open Waypost's own page.")
        return
    if site != b"same-origin":
        raise Forbidden(
            "A browser may change things only from Waypost's own page. Nothing was changed.",
            hint="Open the page by `waypost open`.",
        )
    if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
        raise Forbidden(
            "A browser's write must have the Content-Type application/json. Nothing was changed.",
            hint="Send JSON with that header.",
        )
