"""What came in: headers, fields of path and query, and a body that is bounded before it is read and parsed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import parse_qsl

from waypost.kernel.errors import InvalidInput, RequestTooLarge
from waypost.kernel.text import visible
from waypost.server.callers import Headers
from waypost.server.context import ServerContext
from waypost.server.errors import Malformed, WrongMediaType
from waypost.server.replies import JSON_TYPE, Receive, Scope

__all__ = ["ClientGone", "Request"]

MOST_PARAMETERS = 64
NAME_SHOWN = 64


class ClientGone(Exception):
    """The client went away; nobody reads an answer any more."""


@dataclass(kw_only=True, slots=True, eq=False)
class Request:
    """One request to an endpoint. `path_fields` are those that stood in its path."""

    context: ServerContext
    scope: Scope
    receive: Receive
    headers: Headers
    path_fields: Mapping[str, str]

    def query(self) -> dict[str, object]:
        """The fields of the query string, all texts. Refuses `invalid_input` for one that is given twice or is not UTF-8."""
        raw: bytes = self.scope["query_string"]
        if not raw:
            return {}
        try:
            pairs = parse_qsl(
                raw.decode("latin-1"), keep_blank_values=True, errors="strict", max_num_fields=MOST_PARAMETERS
            )
        except UnicodeDecodeError:
            raise InvalidInput("The query string is not UTF-8. Nothing was changed.") from None
        except ValueError:
            raise InvalidInput(f"The query string has more than {MOST_PARAMETERS} fields.") from None
        return _unique(pairs)

    async def json_fields(self) -> dict[str, object]:
        """The fields of the JSON body; an empty body is an empty object. Refuses `invalid_input` for what is too large (413), is
        not JSON (400), does not say so (415) or is no object (422)."""
        raw = await self.body()
        if not raw:
            return {}
        media_type = self.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if media_type != JSON_TYPE:
            raise WrongMediaType(
                "The body has no Content-Type of application/json. Nothing was changed.",
                hint="Send the header Content-Type: application/json.",
            )
        try:
            fields = DECODER.decode(raw.decode("utf-8"))
        except InvalidInput:
            raise
        except (ValueError, RecursionError):
            raise Malformed("The body is not JSON in UTF-8, or nests too deep. Nothing was changed.") from None
        if not isinstance(fields, dict):
            raise InvalidInput("The body is not a JSON object. Nothing was changed.")
        return fields

    async def gone(self) -> None:
        """Returns once the client went away."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def body(self) -> bytes:
        """The body as it came. Refuses `invalid_input` (413) above the bound, before more of it is read."""
        most = self.context.settings.server.max_request_bytes
        declared = self.headers.get(b"content-length", b"")
        if declared.isdigit() and int(declared) > most:
            raise _too_large(most)
        message = await self.receive()
        body: bytes = message.get("body", b"")
        parts, size = [body], len(body)
        while message["type"] == "http.request" and message.get("more_body", False) and size <= most:
            message = await self.receive()
            parts.append(message.get("body", b""))
            size += len(parts[-1])
        if message["type"] != "http.request":
            raise ClientGone
        if size > most:
            raise _too_large(most)
        return body if len(parts) == 1 else b"".join(parts)


def _no_number(_text: str) -> NoReturn:
    raise ValueError


def _too_large(most: int) -> RequestTooLarge:
    return RequestTooLarge(
        f"The request is above {most} bytes and was not read. Nothing was changed.",
        hint="Send less at once; max_request_bytes in [server] of config.toml sets the bound.",
    )


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        shown = visible(twice[:NAME_SHOWN].encode("utf-8", "replace").decode("utf-8")).replace("\n", "\\n")
        raise InvalidInput(f"{shown}: given twice. Nothing was changed.", hint="Give each field once.")
    return fields


DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_number)
"""Made once, because making it costs more than reading a message. Refuses fields given twice, and NaN and its like."""
