"""Signing in and out of the page: a single-use code, or a person's own token, for a cookie that the page's script cannot read.

The link that carries the code only shows a page; the page's script sends the code, so that whatever fetches links to preview them
does not use it up. Both writes take same-origin fetch metadata and a JSON content type.
"""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from waypost.kernel.errors import Forbidden, InvalidInput, RequestTooLarge, Unauthenticated
from waypost.kernel.time import SECOND
from waypost.server.context import ServerContext
from waypost.server.errors import Malformed, WrongMediaType
from waypost.server.signin import SESSION_LIVES, SignIns
from waypost.server.web.rendering import SECURITY

__all__ = ["check_origin", "sign_in", "sign_out"]

LONGEST_BODY = 4_096
HEADERS = {**SECURITY, "Cache-Control": "no-store"}


async def sign_in(request: Request, context: ServerContext) -> Response:
    """A page session for a code or a token. Refuses `forbidden` from another origin and for an agent's token, `unauthenticated` for
    what is not good, `rate_limited` after too many wrong tokens."""
    check_origin(request)
    signins = context.signins
    field, given = await _given(request)
    token = await _by_token(request, context, given) if field == "token" else signins.redeem(given)
    if token is None:
        raise Unauthenticated(
            "This link is used up or older than a minute. Nobody was signed in.", hint="Run `waypost open` again."
        )
    response = JSONResponse({"signed_in": True}, headers=HEADERS)
    response.set_cookie(
        signins.cookie,
        token,
        max_age=SESSION_LIVES // SECOND,
        path="/",
        # Behind a proxy that speaks TLS the request itself came in the clear; the page's origin tells.
        secure=request.headers.get("origin", request.url.scheme).startswith("https"),
        httponly=True,
        samesite="strict",
    )
    return response


async def sign_out(request: Request, signins: SignIns) -> Response:
    """Ends the page session. Harmless to repeat."""
    check_origin(request)
    signins.end(request.cookies.get(signins.cookie, ""))
    response = JSONResponse({"signed_in": False}, headers=HEADERS)
    response.delete_cookie(signins.cookie, path="/", httponly=True, samesite="strict")
    return response


def check_origin(request: Request) -> None:
    """Refuses `forbidden` what does not say that this page's own script sent it, and what does not say that it is JSON."""
    if request.headers.get("sec-fetch-site") != "same-origin":
        raise Forbidden(
            "Only this page's own script may do that, and the request does not say that it comes from there. Nothing was changed.",
            hint="Open the page itself, in a browser that sends fetch metadata.",
        )
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise WrongMediaType(
            "The request does not say that it is JSON. Nothing was changed.", hint="Send application/json."
        )


async def _by_token(request: Request, context: ServerContext, token: str) -> str:
    """A session that stands for the token. A page is for people, so an agent's token signs nobody in."""
    credential = await context.credentials.check(token.strip(), request.client.host if request.client else "socket")
    if not credential.is_person:
        raise Forbidden(
            "This is an agent's token, and the page is for people. Nobody was signed in.", hint="Use your own token."
        )
    return context.signins.admit(credential.token_id)


async def _given(request: Request) -> tuple[str, str]:
    """What the page sent: `code` or `token`, and its text."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise RequestTooLarge(
                "The request is too large for a code. Nothing was changed.", hint="Run `waypost open` again."
            )
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Malformed("The body is not JSON. Nothing was changed.", hint="Run `waypost open` again.") from None
    fields = given if isinstance(given, dict) else {}
    found = [(name, value) for name, value in fields.items() if name in {"code", "token"} and isinstance(value, str)]
    if len(found) != 1 or len(fields) != 1:
        raise InvalidInput(
            "code: required, or token. Nothing was changed.", hint="Run `waypost open` again, or paste your token."
        )
    return found[0]
