"""One request to a server by its address, over HTTP or HTTPS, with a token: what `--url` needs. Standard library only.

Invariant: an answer is believed only where it names a store, and the one asked for where the caller knows it. A token goes to the given
address alone: redirects are not followed, no proxy is asked, and in the clear it goes to this machine only. Imported only with `--url`.
"""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Mapping

from waypost import __version__
from waypost.client.addresses import Address, read_address
from waypost.client.errors import AnswerLost, AnswerTooLarge, ForeignServer, ServerAway, ServerSlow, StoreChanged
from waypost.client.percent import encode_header, encode_query

__all__ = ["request"]

MOST_ANSWER_BYTES = 64 * 1024 * 1024
PIECE_BYTES = 65_536
CONNECT_SECONDS = 10.0
GATEWAY = frozenset({502, 503, 504})


def request(
    url: str,
    method: str,
    path: str,
    *,
    query: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    token: str | None = None,
    store: str | None = None,
    deadline: float | None = None,
    context: ssl.SSLContext | None = None,
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers in lower case, and body. `store` is the id that the answer must name, where it is known; `deadline` in
    `time.monotonic()` seconds.

    Refuses `invalid_input` for what is no address and for a token in the clear. Raises `ServerAway`, `ServerSlow`, `AnswerLost`,
    `ForeignServer`, `StoreChanged` or `AnswerTooLarge`; never for a status.
    """
    address = read_address(url, with_token=token is not None)
    sent = {"User-Agent": f"waypost/{__version__}", "Connection": "close", **(headers or {})}
    if token is not None:
        sent["Authorization"] = f"Bearer {encode_header(token)}"
    if store is not None:
        sent["Waypost-Store"] = store
    connection = _connect(address, deadline, context)
    try:
        connection.request(method, f"{path}?{encode_query(query)}" if query else path, body=body, headers=sent)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        _check_store(answer.status, found, store)
        return answer.status, found, _read(connection, answer, deadline)
    except TimeoutError:
        raise ServerSlow("The server did not answer in time.") from None
    except (OSError, http.client.HTTPException) as error:
        raise AnswerLost(f"The connection to the server broke: {_why(error)}.") from None
    finally:
        connection.close()


def _connect(address: Address, deadline: float | None, context: ssl.SSLContext | None) -> http.client.HTTPConnection:
    left = _left(deadline)
    seconds = CONNECT_SECONDS if left is None else min(left, CONNECT_SECONDS)
    connection = http.client.HTTPConnection(address.host, address.dialled, timeout=seconds)
    if address.secure:
        connection = http.client.HTTPSConnection(
            address.host, address.dialled, timeout=seconds, context=context or ssl.create_default_context()
        )
    try:
        connection.connect()
        connection.sock.settimeout(_left(deadline))
    except OSError as error:
        connection.close()
        raise ServerAway(
            f"The server at {address.base} cannot be reached: {_why(error)}.", hint="Check the address."
        ) from None
    except BaseException:
        connection.close()
        raise
    return connection


def _check_store(status: int, headers: Mapping[str, str], store: str | None) -> None:
    named = headers.get("waypost-store")
    if not named:
        if status in GATEWAY:
            raise AnswerLost(f"A gateway answered {status} in the server's place.")
        raise ForeignServer(f"What answers ({status}) is no Waypost server.", hint="Check the address.")
    if store is not None and named != store:
        raise StoreChanged("The server serves another store than the one that was asked for.")


def _read(connection: http.client.HTTPConnection, answer: http.client.HTTPResponse, deadline: float | None) -> bytes:
    parts: list[bytes] = []
    size = 0
    while piece := answer.read(PIECE_BYTES):
        size += len(piece)
        if size > MOST_ANSWER_BYTES:
            raise AnswerTooLarge(f"The server's answer is above {MOST_ANSWER_BYTES} bytes and was not read.")
        parts.append(piece)
        if connection.sock is not None:
            connection.sock.settimeout(_left(deadline))
    declared = answer.getheader("content-length")
    if declared is not None and declared.isdigit() and int(declared) != size:
        raise AnswerLost("The server closed the connection before its answer was complete.")
    return b"".join(parts)


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise ServerSlow("The server did not answer in time.")
    return left


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
