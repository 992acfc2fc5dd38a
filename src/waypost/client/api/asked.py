"""What is asked of a server: an operation's fields as an HTTP request, the same for both clients. No I/O.

Invariant: a write carries an idempotency key, the caller's or one made here for the call, and keeps it over all its repeats. A verb
that takes no key and changes something is not repeatable.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from waypost.client.percent import encode_header, encode_query
from waypost.client.routes import ROUTES
from waypost.kernel.errors import InvalidInput
from waypost.kernel.text import check_text, is_storable
from waypost.operations.catalogue import OPERATIONS
from waypost.operations.housekeeping import HOUSEKEEPING
from waypost.operations.inputs import ActingInput, Input

__all__ = ["Acting", "Asked", "Fields", "Value", "held_for", "prepare"]

Value = str | int | float | bool | datetime | BaseModel | Sequence["Value"] | Mapping[str, "Value"] | None
Fields = Mapping[str, Value]
"""Arguments of a verb by the names of its fields; None and defaults are left out of the request."""

INPUTS: dict[str, type[Input]] = {operation.name: operation.input for operation in OPERATIONS} | {
    verb.name: verb.input for verb in HOUSEKEEPING
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Acting:
    """For whom a client acts: its own project and session, where a call names none."""

    project: str | None = None
    session: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One request, ready to be sent as often as its repeats need. `seconds` is how long its answer may take."""

    operation: str
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None
    repeatable: bool
    seconds: float


def prepare(
    operation: str, fields: Fields, *, acting: Acting, seconds: float, key: str | None = None, keyed: bool
) -> Asked:
    """The request for an operation. `keyed` says that it is a write that takes a key; `key` is the caller's own. Refuses
    `invalid_input` for a path field that is empty, `invalid_text` for text that no URL can carry."""
    route = ROUTES[operation]
    given = _given(operation, fields)
    headers = _acting(operation, given, acting)
    for name, value in given.items():
        if isinstance(value, str) and (route.in_query or name in route.path_fields):
            _check(name, value, in_path=name in route.path_fields)
    target, rest = route.fill(given)
    if route.in_query and rest:
        target = f"{target}?{encode_query(rest)}"
    body = None if route.in_query else json.dumps(rest).encode("ascii")
    if body is not None:
        headers["Content-Type"] = "application/json"
    if keyed:
        headers["Idempotency-Key"] = encode_header(os.urandom(16).hex() if key is None else key)
    return Asked(
        operation=operation,
        method=route.method,
        target=target,
        headers=headers,
        body=body,
        repeatable=keyed or route.method == "GET",
        seconds=seconds,
    )


def held_for(fields: Fields) -> float:
    """For how many seconds the server was asked to hold the answer back."""
    wait = fields.get("wait")
    return wait if isinstance(wait, int) else 0.0


def _given(operation: str, fields: Fields) -> dict[str, object]:
    """The fields that say something, times as text. Defaults are left out, so that an older server is not told of a field that it
    does not know and that nobody gave."""
    model = INPUTS[operation]
    defaults = {
        info.alias or name: info.get_default(call_default_factory=True) for name, info in model.model_fields.items()
    }
    given = {name: _sendable(value) for name, value in fields.items() if value is not None}
    return {
        name: value
        for name, value in given.items()
        if not (name in defaults and value == defaults[name] and type(value) is type(defaults[name]))
    }


def _sendable(value: Value) -> object:
    """A value as JSON and queries know it."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if isinstance(value, Mapping):
        return {name: _sendable(part) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_sendable(part) for part in value]
    return value


def _acting(operation: str, given: dict[str, object], acting: Acting) -> dict[str, str]:
    """Puts the client's own project and session where the operation has a place for them; the session goes with the caller where
    it has none."""
    if issubclass(INPUTS[operation], ActingInput):
        if acting.project is not None and not given.keys() & {"project", "workspace", "from_project", "from_workspace"}:
            given["project"] = acting.project
        if acting.session is not None:
            given.setdefault("session", acting.session)
        return {}
    return {} if acting.session is None else {"Waypost-Session": encode_header(acting.session)}


def _check(name: str, value: str, *, in_path: bool) -> None:
    if in_path and not value:
        raise InvalidInput(f"{name} is empty. Nothing was changed.", hint=f"Give {name}.")
    if not is_storable(value):
        check_text(value, field=name, repair=False)
