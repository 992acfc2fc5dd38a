"""Signing in and out of the page: a single-use code for a cookie that the page's script cannot read.

The link that carries the code only shows a page; the page's script sends the code, so that whatever fetches links to preview them
does not use it up. Both writes take same-origin fetch metadata and a JSON content type.
"""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from waypost.kernel.errors import Forbidden, InvalidInput, RequestTooLarge, Unauthenticated
from waypost.kernel.time import SECOND
from waypost.server.errors import Malformed, WrongMediaType
from waypost.server.signin import SESSION_LIVES, SignIns
from waypost.server.web.rendering import SECURITY

__all__ = ["check_origin", "sign_in", "sign_out"]

LONGEST_BODY = 4_096
HEADERS = {**SECURITY, "Cache-Control": "no-store"}


async def sign_in(request: Request, signins: SignIns) -> Response:
    """A page session for a code. Refuses `forbidden` from another origin, `unauthenticated` for a code that is not good."""
    check_origin(request)
    token = signins.redeem(await _code(request))
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
        secure=request.url.scheme == "https",
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


async def _code(request: Request) -> str:
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
    code = given.get("code") if isinstance(given, dict) else None
    if not isinstance(code, str):
        raise InvalidInput("code: required. Nothing was changed.", hint="Run `waypost open` again.")
    return code
