"""JSON-RPC as the bridge sees it: what kind a line is, which headers it needs, and how an error is written.

A line is forwarded as the bytes that came. Only a tool call is written anew, to carry its idempotency key; escaped
lone surrogates pass through both ways, for it is written in ASCII.
"""

from __future__ import annotations

import json
import os

from waypost.client.percent import encode_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["BadMessage", "Message", "error_line", "parse_answer", "parse_message"]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603

KEY_META = "waypost/idempotency-key"
SESSION_META = "waypost/session"
VERSION_META = "io.modelcontextprotocol/protocolVersion"
CLIENT_META = "io.modelcontextprotocol/clientInfo"
# The parameter that revision 2026-07-28 wants repeated in `Mcp-Name`.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
MAX_MCP_NAME = 4_096
# What the server takes as the name of a client and of a session, in characters.
MAX_NAME = 128
_SESSION_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")


class BadMessage(Exception):
    """A line that is no message: the JSON-RPC code, a sentence, and the id where it could be read."""

    def __init__(self, code: int, text: str, request_id: Any = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.request_id = request_id


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)


class Message:
    """One message of the client. `request_id` counts only where `is_request`; `body` is what is sent."""

    __slots__ = ("body", "is_request", "meta", "method", "params", "request_id")

    def __init__(self, body: bytes, record: dict[str, Any]) -> None:
        self.body = body
        self.method: str | None = record.get("method")
        self.is_request = self.method is not None and "id" in record
        self.request_id = record.get("id")
        params = record.get("params")
        self.params: dict[str, Any] = params if isinstance(params, dict) else {}
        meta = self.params.get("_meta")
        self.meta: dict[str, Any] = meta if isinstance(meta, dict) else {}
        if self.method == "tools/call" and self.is_request:
            self._set_key(record)

    def _set_key(self, record: dict[str, Any]) -> None:
        """Gives a tool call its key unless the client did. What is no proper call stays as it is, for the server to refuse."""
        if not isinstance(record.get("params"), dict) or not isinstance(self.params.get("_meta", {}), dict):
            return
        if KEY_META not in self.meta:
            self.meta = {**self.meta, KEY_META: new_key()}
            record["params"]["_meta"] = self.meta
            self.body = json.dumps(record, separators=(",", ":")).encode("ascii")

    @property
    def call_id(self) -> tuple[type, Any]:
        """The id with its type, because 1 and "1" are two requests."""
        return type(self.request_id), self.request_id

    @property
    def own_version(self) -> str | None:
        """The protocol revision that this very message names (from 2026-07-28 on each does)."""
        version = self.meta.get(VERSION_META)
        return version if isinstance(version, str) else None

    @property
    def client_name(self) -> str | None:
        """The client's name where this message declares it, as one word of visible ASCII: it is a label in a header."""
        info = self.params.get("clientInfo") if self.method == "initialize" else self.meta.get(CLIENT_META)
        name = info.get("name") if isinstance(info, dict) else None
        if not isinstance(name, str):
            return None
        return "".join(sign if "!" <= sign <= "~" else "-" for sign in name[:MAX_NAME]) or None

    def headers(self, negotiated: str | None) -> dict[str, str]:
        """The headers of MCP's HTTP transport for this message, and the session where the client gave one."""
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        version = self.own_version or (None if self.method == "initialize" else negotiated)
        if version:
            headers["MCP-Protocol-Version"] = encode_header(version)
        if self.method:
            headers["Mcp-Method"] = encode_header(self.method)
            name = self.params.get(_NAMED.get(self.method, ""))
            if isinstance(name, str) and len(name) <= MAX_MCP_NAME:
                headers["Mcp-Name"] = _mcp_header(name)
        session = self.meta.get(SESSION_META)
        if isinstance(session, str) and 0 < len(session) <= MAX_NAME and _SESSION_SIGNS.issuperset(session):
            headers["Waypost-Session"] = session  # a malformed one is left to the server, which reads it in the body
        return headers


def _mcp_header(value: str) -> str:
    """`value` as MCP wants it in a header: as it is, or base64 between marks where it would not survive."""
    plain = value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?base64?")
    if plain:
        return value
    import base64  # noqa: PLC0415 - names are plain in all but odd cases

    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode('ascii')}?="


def new_key() -> str:
    """A random UUID (version 4)."""
    raw = bytearray(os.urandom(16))
    raw[6] = (raw[6] & 0x0F) | 0x40
    raw[8] = (raw[8] & 0x3F) | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def parse_message(line: bytes) -> Message:
    """The message in a line. Raises `BadMessage` for what is no single JSON-RPC message."""
    try:
        record = _decoder.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadMessage(PARSE_ERROR, "The line is not valid JSON in UTF-8.") from None
    if isinstance(record, list):
        raise BadMessage(INVALID_REQUEST, "Batches are not part of this protocol revision: send one message a line.")
    if not isinstance(record, dict):
        raise BadMessage(INVALID_REQUEST, "A message is a JSON object.")
    request_id = record.get("id")
    if isinstance(request_id, (bool, list, dict)) or ("id" in record and request_id is None):
        raise BadMessage(INVALID_REQUEST, "The id of a message is a string or a number.")
    if not isinstance(record.get("method"), str) and ("method" in record or not {"result", "error"} & record.keys()):
        raise BadMessage(INVALID_REQUEST, "A message has a method, a result or an error.", request_id)
    return Message(line, record)


def parse_answer(text: bytes) -> dict[str, Any] | None:
    """What the server sent, where it is a JSON object; else None."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def error_line(request_id: Any, code: int, text: str, data: dict[str, Any] | None = None) -> bytes:
    """A JSON-RPC error as one line of ASCII."""
    error: dict[str, Any] = {"code": code, "message": text}
    if data:
        error["data"] = data
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}, separators=(",", ":")).encode("ascii")
