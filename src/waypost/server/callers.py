"""Who calls: from the headers of a request and the connection it came over to a `Caller`.

A token says whose a request is; a page session stands for the token that it was signed in with, or for the operator. What comes
without either is an agent's. The store's owner is known by the run file's key, by the Unix socket (0600), or, where no token is
required, by the uid behind a loopback connection. What a caller says of itself (client, session, directory) is taken as said.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import unquote

from waypost.identity.access import Credential
from waypost.identity.models import Workdir
from waypost.kernel.addresses import parse_client_name, parse_session_id
from waypost.kernel.errors import Forbidden, InvalidInput, Unauthenticated
from waypost.operations.authority import with_credential
from waypost.operations.call import Caller, Rights
from waypost.server.context import ServerContext
from waypost.server.credentials import token_of
from waypost.server.peer import is_loopback, owns_peer
from waypost.server.signin import PageSession

__all__ = [
    "KNOWN",
    "Headers",
    "Known",
    "caller_of",
    "from_browser",
    "headers_of",
    "identify",
    "look_at_directory",
    "missing_credential",
]

KNOWN = "waypost.known"
"""Where the app leaves what it found out of a request, for whoever makes its caller first."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What the wire proves of a request: whose token it carries, a page session of the operator, the run file's key, the socket."""

    credential: Credential | None = None
    is_operators_page: bool = False
    keyed: bool = False
    by_socket: bool = False

    @property
    def is_proof(self) -> bool:
        """Whether it is enough where a credential is required."""
        return self.credential is not None or self.is_operators_page or self.is_owner

    @property
    def is_owner(self) -> bool:
        """Whether the account that owns the store sent it."""
        return self.keyed or self.by_socket


async def identify(scope: Mapping[str, Any], headers: Headers, context: ServerContext) -> Known:
    """What the wire proves. Refuses `unauthenticated` for a token that is not good, whatever else came along."""
    keyed, by_socket = _keyed(headers, context), _by_unix_socket(scope)
    authorization = headers.get(b"authorization")
    if authorization is not None:
        credential = await context.credentials.check(token_of(authorization), _address(scope))
        return Known(credential=credential, keyed=keyed, by_socket=by_socket)
    cookie = headers.get(b"cookie")
    session = _page_session(cookie, context) if cookie is not None else None
    if session is None:
        return Known(keyed=keyed, by_socket=by_socket)
    if session.token_id is None:
        return Known(is_operators_page=True, keyed=keyed, by_socket=by_socket)
    try:
        return Known(credential=await context.credentials.recall(session.token_id))
    except Unauthenticated:  # its token was taken back: nobody is signed in any more
        return Known(keyed=keyed, by_socket=by_socket)


async def caller_of(
    scope: MutableMapping[str, Any],
    context: ServerContext,
    *,
    door: str,
    needs: Rights = Rights.AGENT,
    headers: Headers | None = None,
) -> Caller:
    """The caller behind a request that came in by `door`. `needs` says which rights the operation takes, so that the costly proof
    of the owner is looked for only where it matters. Refuses `unauthenticated`, and `invalid_input` for a malformed header.

    What the app found out when the request came is taken once; whoever asks later, as long streams do, is told anew."""
    headers = headers if headers is not None else headers_of(scope)
    known: Known = scope.pop(KNOWN, None) or await identify(scope, headers, context)
    if context.auth_required and not known.is_proof:
        raise missing_credential()
    session = headers.get(b"waypost-session")
    rights = await _rights(scope, headers, context, needs, known=known)
    caller = Caller(
        door=LOCAL_DOORS.get(headers.get(b"waypost-door", b""), door) if known.keyed else door,
        rights=rights,
        login=context.waypost.login,
        user=context.waypost.login if rights is Rights.OPERATOR else None,
        client=_client(headers),
        workdir=await _workdir(headers, context, local=known.is_owner or _is_local(scope, context)),
        bound_session=parse_session_id(_text(session), field="Waypost-Session") if session is not None else None,
    )
    return with_credential(caller, known.credential) if known.credential is not None else caller


def missing_credential() -> Unauthenticated:
    """What is refused where a credential is required and none came."""
    return Unauthenticated(
        "This server takes requests with a token only. Nothing was changed.",
        hint="Send `Authorization: Bearer` and a token; `waypost login` keeps one for the command line.",
    )


def _keyed(headers: Headers, context: ServerContext) -> bool:
    key = headers.get(b"waypost-key")
    return key is not None and hmac.compare_digest(key, context.key.encode("ascii"))


async def _rights(
    scope: Mapping[str, Any], headers: Headers, context: ServerContext, needs: Rights, *, known: Known
) -> Rights:
    if known.is_operators_page:
        return Rights.OPERATOR
    if known.is_owner:
        return Rights.OWNER
    client, server = scope.get("client"), scope.get("server")
    # Where tokens are required, a loopback connection may be a proxy's, and then everybody's.
    probing = needs is Rights.OWNER and not context.auth_required and known.credential is None
    if probing and client and server and not from_browser(headers):
        loop = asyncio.get_running_loop()
        if await loop.run_in_executor(context.threads, owns_peer, client, server):
            return Rights.OWNER
    return Rights.AGENT


def _page_session(cookie: bytes, context: ServerContext) -> PageSession | None:
    try:
        token = SimpleCookie(cookie.decode("latin-1")).get(context.signins.cookie)
    except CookieError:
        return None
    return context.signins.session(token.value) if token is not None else None


def _address(scope: Mapping[str, Any]) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "socket"


def _client(headers: Headers) -> str | None:
    given = headers.get(b"waypost-client")
    return parse_client_name(_text(given), field="Waypost-Client") if given is not None else None


def _is_local(scope: Mapping[str, Any], context: ServerContext) -> bool:
    """Whether the caller is on this machine, so that its directories are this server's too. Where tokens are required, a loopback
    connection may be a proxy's."""
    return not context.auth_required and scope.get("client") is not None and is_loopback(str(scope["client"][0]))


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
