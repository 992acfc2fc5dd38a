"""The suite's own fixtures: tools, prompts and resources of the names that it calls, put beside Waypost's tools on one server.

They prove the transport (envelope, headers, revisions, every kind of content) where Waypost's own tools have no use for a feature.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

__all__ = ["add_fixtures"]

Json = dict[str, Any]
Context = ServerRequestContext[Any, Any]

PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
        "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
    )
).decode("ascii")
SILENCE = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0@\x1f\0\0\1\0\x08\0data\0\0\0\0").decode(
    "ascii"
)
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
NEEDS_CAPABILITY = -32021
INVALID_PARAMS = -32602
NO_PARAMETERS: Json = {"type": "object", "properties": {}}


def text(words: str) -> Json:
    """Text content."""
    return {"type": "text", "text": words}


IMAGE: Json = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
EMBEDDED: Json = {
    "type": "resource",
    "resource": {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": "An embedded resource."},
}


def form(field: str, kind: str = "string") -> Json:
    """A question to a person for one field."""
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"message": f"Which {field}?", "requestedSchema": schema}}


def sample(words: str) -> Json:
    """A question to the client's model."""
    message = {"role": "user", "content": text(words)}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 50}}


ROOTS: Json = {"method": "roots/list", "params": {}}

CONTENTS: dict[str, list[Json]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}],
    "test_embedded_resource": [EMBEDDED],
    "test_multiple_content_types": [text("Multiple content types test:"), IMAGE, EMBEDDED],
    "test_error_handling": [text("This tool intentionally returns an error for testing")],
    "test_logging_tool": [text("Nothing was logged.")],
    "test_missing_capability": [text("The capability is there.")],
    "test_header_parameter": [text("The header and the argument agree.")],
    "json_schema_2020_12_tool": [text("ok")],
}
"""Tools that answer the same whatever they are given."""

ASKING: dict[str, list[Json]] = {
    "test_input_required_result_elicitation": [{"user_name": form("name")}],
    "test_input_required_result_sampling": [{"capital_question": sample("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": ROOTS}],
    "test_input_required_result_request_state": [{"confirm": form("ok", "boolean")}],
    "test_input_required_result_tampered_state": [{"confirm": form("ok", "boolean")}],
    "test_input_required_result_multiple_inputs": [
        {"user_name": form("name"), "greeting": sample("Generate a greeting"), "client_roots": ROOTS}
    ],
    "test_input_required_result_multi_round": [{"step1": form("name")}, {"step2": form("color")}],
    "test_input_required_result_capabilities": [{"name": form("name"), "greeting": sample("Generate a greeting")}],
    "test_streaming_elicitation": [{"user_name": form("name")}],
    "test_input_required_result_prompt": [{"user_context": form("context")}],
}
"""What asks the client for input: the requests of each round. The last one is a prompt."""

SCHEMAS: dict[str, Json] = {
    "test_header_parameter": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"required": ["name"]},
        "then": {"required": ["name"]},
        "else": {"required": ["address"]},
        "additionalProperties": False,
    },
}

PROMPTS: dict[str, Callable[[Json], list[Json]]] = {
    "test_simple_prompt": lambda given: [text("This is a simple prompt for testing.")],
    "test_prompt_with_arguments": lambda given: [
        text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
    ],
    "test_prompt_with_embedded_resource": lambda given: [
        {"type": "resource", "resource": {**EMBEDDED["resource"], "uri": given.get("resourceUri")}}
    ],
    "test_prompt_with_image": lambda given: [IMAGE, text("Please analyze the image above.")],
    "test_input_required_result_prompt": lambda given: [text("With context.")],
}
PROMPT_ARGUMENTS = {
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
}
RESOURCES: dict[str, Json] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched."},
}
TEMPLATE = "test://template/{id}/data"
DONE: Json = {"resultType": "complete"}
FRESH: Json = {**DONE, "ttlMs": 0, "cacheScope": "public"}
"""What results of revision 2026-07-28 carry; older revisions leave it out on the wire."""


def asked(name: str, params: Json) -> Json | None:
    """The input that is still wanted, or None where all was given. Refuses a state that this server did not give out."""
    given, state = params.get("inputResponses") or {}, params.get("requestState")
    rounds = ASKING[name]
    number = 0
    if state is not None:
        if not re.fullmatch(rf"{name}:[0-9]", state):
            raise MCPError(code=INVALID_PARAMS, message="The state is not one that this server gave out.")
        number = int(state[-1])
    declared = params["_meta"].get(CAPABILITIES, {})
    wanted = rounds[number]
    if name == "test_input_required_result_capabilities":
        wanted = {key: value for key, value in wanted.items() if value["method"].partition("/")[0] in declared}
    if wanted.keys() <= given.keys() and all(isinstance(given[key], dict) for key in wanted):
        number += 1
        if number == len(rounds):
            return None
        wanted = rounds[number]
    return {"resultType": "input_required", "inputRequests": wanted, "requestState": f"{name}:{number}"}


def call_fixture(name: str, params: Json) -> Json:
    """The result of a fixture tool."""
    if name in ASKING:
        return asked(name, params) or {**DONE, "content": [text(f"state-ok: {params['inputResponses']}")]}
    declared = params.get("_meta", {}).get(CAPABILITIES, {})
    if name == "test_missing_capability" and "sampling" not in declared:
        raise MCPError(
            code=NEEDS_CAPABILITY, message="Sampling is needed.", data={"requiredCapabilities": {"sampling": {}}}
        )
    return {**DONE, "content": CONTENTS[name], "isError": name == "test_error_handling"}


async def list_prompts(ctx: Context, params: Any) -> Json:
    listed = [
        {
            "name": name,
            "description": "A fixture.",
            "arguments": [{"name": argument, "required": True} for argument in PROMPT_ARGUMENTS.get(name, ())],
        }
        for name in PROMPTS
    ]
    return {"prompts": listed, **FRESH}


async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> Json:
    raw = dict(ctx.params or {})
    if params.name not in PROMPTS:
        raise MCPError(code=INVALID_PARAMS, message="Unknown prompt")
    wanted = asked(params.name, raw) if params.name in ASKING else None
    messages = [{"role": "user", "content": item} for item in PROMPTS[params.name](raw.get("arguments") or {})]
    return wanted or {**DONE, "messages": messages}


async def list_resources(ctx: Context, params: Any) -> Json:
    return {"resources": [{"uri": uri, "name": uri.partition("//")[2]} for uri in RESOURCES], **FRESH}


async def list_templates(ctx: Context, params: Any) -> Json:
    return {"resourceTemplates": [{"uriTemplate": TEMPLATE, "name": "template"}], **FRESH}


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> Json:
    uri = str(params.uri)
    found = re.fullmatch(r"test://template/(\w+)/data", uri)
    content = {"mimeType": "application/json", "text": f'{{"id":"{found[1]}"}}'} if found else RESOURCES.get(uri)
    if content is None:
        raise MCPError(code=INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    return {"contents": [{"uri": uri, **content}], **FRESH}


async def complete(ctx: Context, params: Any) -> Json:
    return {**DONE, "completion": {"values": [], "total": 0, "hasMore": False}}


async def nothing(ctx: Context, params: Any) -> Json:
    return {}


def add_fixtures(server: Server[Any]) -> None:
    """Puts the fixtures beside the tools that the server has."""
    own_list, own_call = server.get_request_handler("tools/list"), server.get_request_handler("tools/call")
    assert own_list is not None
    assert own_call is not None
    fixtures = [name for name in (*CONTENTS, *ASKING) if name not in PROMPTS]
    offered = [
        types.Tool(name=name, description="A fixture.", input_schema=SCHEMAS.get(name, NO_PARAMETERS))
        for name in fixtures
    ]

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams) -> types.ListToolsResult:
        listed = await own_list.handler(ctx, params)
        assert isinstance(listed, types.ListToolsResult)
        return types.ListToolsResult(tools=[*listed.tools, *offered])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:
        if params.name in fixtures:
            return call_fixture(params.name, dict(ctx.params or {}))
        return await own_call.handler(ctx, params)

    server.get_tool_input_schema = SCHEMAS.get
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)
    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read_resource)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, nothing)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, nothing)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, complete)
