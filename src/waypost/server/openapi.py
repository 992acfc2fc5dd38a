"""The OpenAPI 3.1 document and the published schema of a message, made from the operations and the shared route table.

Nothing of a path, field or answer is written here a second time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from waypost import __version__
from waypost.client.routes import ROUTES, Route
from waypost.kernel.errors import every_error
from waypost.operations.changes import PlaceInput
from waypost.operations.housekeeping import HOUSEKEEPING
from waypost.operations.inputs import ActingInput, Input, Output
from waypost.operations.pipeline import AnyOperation
from waypost.operations.records import MessageRecord
from waypost.server.errors import UNEXPECTED
from waypost.server.feed import STREAM_PATH
from waypost.server.wakes import WAKE_STREAM_PATH

__all__ = ["message_schema", "openapi_document"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REFUSALS = {
    "400": "The body cannot be read.",
    "401": "The token is missing where one is required, or not good.",
    "403": "A right is missing, or the request comes from a foreign page.",
    "404": "Not found.",
    "409": "Conflict with the present state, or with an earlier use of the idempotency key.",
    "413": "The request is too large.",
    "415": "The body does not say that it is JSON.",
    "421": "Another host or another store is served here.",
    "422": "The input is not valid.",
    "429": "Too many requests.",
    "500": "Waypost failed.",
    "503": "The store is busy or not available.",
    "507": "The disk is full.",
}
PLAIN = {
    "/healthz": "Say whether the process lives.",
    "/readyz": "Say whether the store can be read and written.",
    "/openapi.json": "Show this document.",
    "/v1/schemas/message": "Show the JSON schema of a message.",
}


class _Verb(NamedTuple):
    name: str
    summary: str
    input: type[Input]
    output: type[Output]
    keyed: bool


def message_schema() -> dict[str, Any]:
    """The JSON schema of a message record, format 1."""
    schema = MessageRecord.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": DIALECT, "$id": "urn:waypost:schema:message:1", **schema}


def openapi_document(operations: Iterable[AnyOperation]) -> dict[str, Any]:
    """The document of a server with these operations."""
    verbs = [
        _Verb(one.name, one.summary, one.input, one.output, one.writes) for one in operations if one.name in ROUTES
    ]
    verbs += [_Verb(one.name, one.summary, one.input, one.output, keyed=False) for one in HOUSEKEEPING]
    refs, schemas = _schemas(verbs)
    paths: dict[str, dict[str, Any]] = {}
    for verb in verbs:
        route = ROUTES[verb.name]
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(verb, route, refs, schemas)
    for path, summary in PLAIN.items():
        answer = {"description": "The answer.", "content": {"application/json": {"schema": {"type": "object"}}}}
        paths[path] = {"get": {"operationId": _plain_id(path), "summary": summary, "responses": _responses(answer)}}
    paths[STREAM_PATH] = {"get": _stream()}
    paths[WAKE_STREAM_PATH] = {"get": _wake_stream()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Waypost",
            "version": __version__,
            "description": "The post office for coding agents.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "jsonSchemaDialect": DIALECT,
        "servers": [{"url": "/"}],
        "paths": paths,
        "security": [{}, {"token": []}],
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Made by `waypost token create`. Required beyond loopback, and where `[auth] required` says so.",
                }
            },
            "schemas": {**schemas, "Problem": _problem_schema()},
            "responses": {status: _refusal(sentence) for status, sentence in REFUSALS.items()}
            | {"default": _refusal("Any other refusal.")},
        },
    }


def _schemas(verbs: list[_Verb]) -> tuple[dict[Any, dict[str, Any]], dict[str, Any]]:
    asked: list[tuple[type[BaseModel], Any]] = []
    for verb in verbs:
        asked += [(verb.input, "validation"), (verb.output, "serialization")]
    refs, found = models_json_schema(asked, by_alias=True, ref_template="#/components/schemas/{model}")
    return refs, found.get("$defs", {})


def _operation(verb: _Verb, route: Route, refs: dict[Any, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    fields = schemas[refs[verb.input, "validation"]["$ref"].rpartition("/")[2]]
    answer = {
        "description": "Done.",
        "content": {"application/json": {"schema": refs[verb.output, "serialization"]}},
    }
    described: dict[str, Any] = {
        "operationId": verb.name.replace(".", "_"),
        "summary": verb.summary,
        "tags": [verb.name.partition(".")[0]],
        "parameters": [_in_path(name, fields) for name in route.path_fields],
        "responses": _responses(answer),
    }
    if verb.keyed:
        described["parameters"].append(_KEY)
    if route.in_query:
        described["parameters"] += _in_query(fields, route)
    else:
        described["requestBody"] = {"content": {"application/json": {"schema": _body(fields, route)}}}
    return described


def _stream() -> dict[str, Any]:
    """The stream of the feed, which is no operation of its own: the fields are those of the feed's pages."""
    last = {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "description": "The id of the last event that was worked off; goes before after and consumer.",
        "schema": {"type": "string"},
    }
    events = {
        "type": "string",
        "description": "Events `change` (data: an item of /v1/changes) and `gap`; the id of each is the cursor to go on at.",
    }
    return {
        "operationId": "changes_stream",
        "summary": "Stream what changes, in order, as server-sent events.",
        "tags": ["changes"],
        "parameters": [*_in_query(PlaceInput.model_json_schema(), ROUTES["changes.list"]), last],
        "responses": _responses({"description": "The stream.", "content": {"text/event-stream": {"schema": events}}}),
    }


def _wake_stream() -> dict[str, Any]:
    """The stream of wakes, which is no operation of its own: the fields are those of a look."""
    events = {
        "type": "string",
        "description": "Events `wake` (data: message_id and occurrence of what asks for a turn).",
    }
    return {
        "operationId": "wakes_stream",
        "summary": "Stream what asks a session for a turn, as server-sent events. Reserves nothing.",
        "tags": ["wake"],
        "parameters": _in_query(ActingInput.model_json_schema(), ROUTES["wake.look"]),
        "responses": _responses({"description": "The stream.", "content": {"text/event-stream": {"schema": events}}}),
    }


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes a repeat of this request answer as the first one did, for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x21-\\x7e]+$"},
}


def _in_path(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": _without_null(fields["properties"][name])}


def _in_query(fields: dict[str, Any], route: Route) -> list[dict[str, Any]]:
    required = fields.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _without_null(schema)}
        for name, schema in fields.get("properties", {}).items()
        if name not in route.path_fields
    ]


def _body(fields: dict[str, Any], route: Route) -> dict[str, Any]:
    """The input without what stands in the path."""
    body = dict(fields)
    body["properties"] = {
        name: schema for name, schema in fields.get("properties", {}).items() if name not in route.path_fields
    }
    required = [name for name in fields.get("required", ()) if name not in route.path_fields]
    body.pop("required", None)
    return {**body, "required": required} if required else body


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A text in a path or query cannot be null."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]
    plain = {name: value for name, value in schema.items() if name not in {"anyOf", "default"} or value is not None}
    if len(choices) == 1:
        plain.pop("anyOf", None)
        return {**plain, **choices[0]}
    return plain


def _responses(answer: dict[str, Any]) -> dict[str, Any]:
    refused = {status: {"$ref": f"#/components/responses/{status}"} for status in (*REFUSALS, "default")}
    return {"200": answer, **refused}


def _refusal(sentence: str) -> dict[str, Any]:
    return {
        "description": sentence,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def _problem_schema() -> dict[str, Any]:
    text = {"type": "string"}
    codes = sorted({str(error.code) for error in every_error()} | {str(UNEXPECTED["code"])})
    properties: dict[str, Any] = {
        "type": text,
        "title": text,
        "status": {"type": "integer"},
        "code": {"type": "string", "enum": codes},
        "detail": text,
        "hint": text,
    }
    return {"type": "object", "title": "Problem", "properties": properties, "required": list(properties)}


def _plain_id(path: str) -> str:
    return path.removeprefix("/v1").strip("/").replace("/", "_").replace(".json", "")
