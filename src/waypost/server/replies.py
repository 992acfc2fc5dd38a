"""Answers of the HTTP door: status, body, headers; and refusals as problem documents (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from waypost.identity.errors import TokenRefused
from waypost.kernel.errors import RateLimited, Unauthenticated, WaypostError
from waypost.server.errors import UNEXPECTED, WrongMethod

__all__ = [
    "JSON_TYPE",
    "Message",
    "Receive",
    "Reply",
    "Scope",
    "Send",
    "challenge",
    "problem",
    "send_reply",
    "unexpected",
]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

JSON_TYPE = b"application/json"
PROBLEM_TYPE = b"application/problem+json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One whole answer. `code` is that of a refusal, for log and metrics."""

    body: bytes
    status: int = 200
    media_type: bytes = JSON_TYPE
    headers: tuple[tuple[bytes, bytes], ...] = ()
    code: str = ""


def problem(error: WaypostError) -> Reply:
    """A refusal as an answer."""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    if isinstance(error, WrongMethod):
        headers = ((b"allow", ", ".join(error.allowed).encode("ascii")),)
    elif isinstance(error, Unauthenticated):
        headers = ((b"www-authenticate", challenge(error)),)
    elif error.retryable:
        headers = ((b"retry-after", b"60" if isinstance(error, RateLimited) else b"1"),)
    return Reply(
        body=json.dumps(error.problem()).encode("ascii"),
        status=error.status,
        media_type=PROBLEM_TYPE,
        headers=headers,
        code=error.code,
    )


def challenge(error: Unauthenticated) -> bytes:
    """How a client may come in: by a bearer token, which no server hands out by itself (RFC 6750)."""
    wrong = b', error="invalid_token"' if isinstance(error, TokenRefused) else b""
    return b'Bearer realm="waypost"' + wrong


def unexpected() -> Reply:
    """What a failure of Waypost's own answers."""
    return Reply(
        body=json.dumps(UNEXPECTED).encode("ascii"), status=500, media_type=PROBLEM_TYPE, code="internal_error"
    )


async def send_reply(send: Send, reply: Reply) -> None:
    """Sends an answer whole."""
    headers = [
        (b"content-type", reply.media_type),
        (b"content-length", b"%d" % len(reply.body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        *reply.headers,
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})
