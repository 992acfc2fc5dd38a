"""The JSON-RPC envelope of a posted message: read once, by one reader for every revision, before the SDK sees it.

Invariant: what the SDK gets holds no lone surrogate, because its two readers treat them differently; the parameters as they
came are kept beside it for the operation, which refuses or repairs such text as at every other door. Refusals are fixed
sentences that repeat nothing of the message. Knows no method, no tool and no HTTP.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["INVALID_REQUEST", "PARSE_ERROR", "BadEnvelope", "Envelope", "error_body", "read_envelope"]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
SURROGATE = re.compile("[\ud800-\udfff]")


class BadEnvelope(Exception):
    """The body is no JSON-RPC message. `code` is JSON-RPC's, the text one fixed sentence."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


@dataclass(frozen=True, kw_only=True, slots=True)
class Envelope:
    """A message: the bytes for the SDK, and the parameters as they came (empty where there are none)."""

    body: bytes
    params: Mapping[str, Any]


def read_envelope(body: bytes) -> Envelope:
    """The one message in `body`. Raises `BadEnvelope` for what is no single JSON-RPC request, notification or response."""
    try:
        message = json.loads(body, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise BadEnvelope(PARSE_ERROR, "The body is not JSON.") from None
    if not isinstance(message, dict):
        raise BadEnvelope(
            INVALID_REQUEST, "The body must be one JSON-RPC message; batches are not part of the protocol."
        )
    if not _well_formed(message):
        raise BadEnvelope(INVALID_REQUEST, "The body is not a JSON-RPC 2.0 request, notification or response.")
    params = message.get("params") or {}
    if ESCAPED_SURROGATE.search(body):
        body = json.dumps(_without_surrogates(message), separators=(",", ":")).encode("ascii")
    return Envelope(body=body, params=params)


def error_body(code: int, text: str) -> bytes:
    """A JSON-RPC error without an id, for what is refused before a method is looked at."""
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}}).encode("ascii")


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadEnvelope(INVALID_REQUEST, "A member of the message is given twice.")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _well_formed(message: Mapping[str, Any]) -> bool:
    if message.get("jsonrpc") != "2.0":
        return False
    if "id" in message and not _is_id(message["id"]):
        return "error" in message and message["id"] is None
    if "method" in message:
        return isinstance(message["method"], str) and isinstance(message.get("params", {}), dict | None)
    return "id" in message and ("result" in message or "error" in message)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {SURROGATE.sub("\ufffd", key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value
