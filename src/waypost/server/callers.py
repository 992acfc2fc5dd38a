"""Who calls: from the headers of a request and the connection it came over to a `Caller`.

What comes without a person's credential is an agent's. The store's owner is known by the run file's key, by the Unix socket (0600),
or by the uid behind a loopback connection; an operator only by a page session. What a caller says of itself (client, session,
directory) is taken as said.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import unquote

from waypost.identity.models import Workdir
from waypost.kernel.addresses import parse_client_name, parse_session_id
from waypost.kernel.errors import Forbidden, InvalidInput
from waypost.operations.call import Caller, Rights
from waypost.server.context import ServerContext
from waypost.server.peer import is_loopback, owns_peer

__all__ = ["Headers", "caller_of", "from_browser", "headers_of", "look_at_directory"]

Headers = Mapping[bytes, bytes]
"""The headers of a request by their names in lower case, the last of each."""

LOCAL_DOORS = {b"cli": "cli", b"bridge": "bridge", b"hook": "hook"}
LONGEST_DIRECTORY = 4_096


def headers_of(scope: Mapping[str, Any]) -> Headers:
    """The headers of an ASGI scope."""
    return dict(scope["headers"])


def from_browser(headers: Headers) -> bool:
    """Whether a browser sent the request, or its page's cookie came along."""
    return b"sec-fetch-site" in headers or b"origin" in headers or b"cookie" in headers


async def caller_of(
    scope: Mapping[str, Any],
    context: ServerContext,
    *,
    door: str,
    needs: Rights = Rights.AGENT,
    headers: Headers | None = None,
) -> Caller:
    """The caller behind a request that came in by `door`. `needs` says which rights the operation takes, so that the costly proof
    of the owner is looked for only where it matters. Refuses `invalid_input` for a malformed header."""
    headers = headers if headers is not None else headers_of(scope)
    keyed = _keyed(headers, context)
    rights = await _rights(scope, headers, context, needs, keyed=keyed)
    if keyed:
        door = LOCAL_DOORS.get(headers.get(b"waypost-door", b""), door)
    session = headers.get(b"waypost-session")
    login = context.waypost.login
    return Caller(
        door=door,
        rights=rights,
        login=login,
        user=login if rights is Rights.OPERATOR else None,
        client=_client(headers),
        workdir=await _workdir(headers, context, local=keyed or _is_local(scope)),
        bound_session=parse_session_id(_text(session), field="Waypost-Session") if session is not None else None,
    )


def _keyed(headers: Headers, context: ServerContext) -> bool:
    key = headers.get(b"waypost-key")
    return key is not None and hmac.compare_digest(key, context.key.encode("ascii"))


async def _rights(
    scope: Mapping[str, Any], headers: Headers, context: ServerContext, needs: Rights, *, keyed: bool
) -> Rights:
    cookie = headers.get(b"cookie")
    if cookie is not None and _signed_in(cookie, context):
        return Rights.OPERATOR
    if keyed or _by_unix_socket(scope):
        return Rights.OWNER
    client, server = scope.get("client"), scope.get("server")
    if needs is Rights.OWNER and client and server and not from_browser(headers):
        loop = asyncio.get_running_loop()
        if await loop.run_in_executor(context.threads, owns_peer, client, server):
            return Rights.OWNER
    return Rights.AGENT


def _signed_in(cookie: bytes, context: ServerContext) -> bool:
    try:
        token = SimpleCookie(cookie.decode("latin-1")).get(context.signins.cookie)
    except CookieError:
        return False
    return token is not None and context.signins.holds(token.value)


def _client(headers: Headers) -> str | None:
    given = headers.get(b"waypost-client")
    return parse_client_name(_text(given), field="Waypost-Client") if given is not None else None


def _is_local(scope: Mapping[str, Any]) -> bool:
    """Whether the caller is on this machine, so that its directories are this server's too."""
    return _by_unix_socket(scope) or (scope.get("client") is not None and is_loopback(str(scope["client"][0])))


def _by_unix_socket(scope: Mapping[str, Any]) -> bool:
    server = scope.get("server")
    return server is not None and server[1] is None  # an address without a port


async def _workdir(headers: Headers, context: ServerContext, *, local: bool) -> Workdir | None:
    given = headers.get(b"waypost-directory")
    if given is None:
        return None
    if not local:
        raise Forbidden(
            "Waypost-Directory is taken from this machine only. Nothing was changed.",
            hint="Leave the header out and name the project.",
        )
    directory = unquote(_text(given), errors="surrogateescape")
    if len(directory) > LONGEST_DIRECTORY or "\0" in directory:
        raise InvalidInput(
            "Waypost-Directory is no path. Nothing was changed.",
            hint="Send the percent-encoded absolute path of an existing directory, or leave the header out.",
        )
    return await look_at_directory(directory, context)


async def look_at_directory(directory: str, context: ServerContext) -> Workdir:
    """What a directory of this machine says of itself. Refuses `invalid_input` where it cannot be read."""
    known = context.workdirs.remembered(directory)
    if known is None:
        loop = asyncio.get_running_loop()
        known = await loop.run_in_executor(context.threads, context.workdirs.look, directory)
        context.workdirs.remember(directory, known)
    return known


def _text(value: bytes) -> str:
    return value.decode("latin-1")
