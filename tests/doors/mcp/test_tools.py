"""The list of tools: which, how flat, how large, and always the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.harness import HANDSHAKE, MODERN, Door, open_door
from tests.promises.marks import promise
from waypost.operations.catalogue import OPERATIONS
from waypost.operations.inputs import Input
from waypost.operations.pipeline import AnyOperation
from waypost.operations.registry import Operation
from waypost.operations.taking import POP
from waypost.server.mcp.reference import write_reference
from waypost.server.mcp.tools import SPECS, ToolSpec, build_tools

pytestmark = pytest.mark.anyio

DEFAULT_SET = [
    "message_send",
    "message_list",
    "message_view",
    "message_pop",
    "message_ack",
    "message_claim",
    "message_renew",
    "message_release",
    "message_complete",
    "message_snooze",
    "message_cancel",
    "message_reply",
    "briefing",
    "decision_ask",
    "decision_wait",
    "handoff_begin",
]
WHOLE_SET = [
    *DEFAULT_SET,
    "message_wait",
    "decision_list",
    "decision_answer",
    "handoff_list",
    "handoff_accept",
    "handoff_cancel",
]
BUDGET = 18_000
"""What the default set may cost each session, with the tools that are still to come."""
BUDGET_OF_MAIL = 10_900
"""What the mail that there is may take of it, so that the other tools have about 950 characters each."""
PLAIN_TYPES = {"string", "integer", "boolean"}


async def listed(door: Door, *, query: str = "", version: str = MODERN) -> list[dict[str, Any]]:
    answer = await door.ask("tools/list", version=version, query=query)
    tools: list[dict[str, Any]] = answer["result"]["tools"]
    return tools


def size(tool: dict[str, Any]) -> int:
    schema = json.dumps(tool["inputSchema"], separators=(",", ":"), ensure_ascii=False)
    return len(tool["name"]) + len(tool["description"]) + len(schema)


def keywords(schema: Any) -> Iterator[str]:
    """Every keyword in a schema, the names of properties left out."""
    if isinstance(schema, dict):
        for keyword, value in schema.items():
            yield keyword
            for inner in value.values() if keyword == "properties" else [value]:
                yield from keywords(inner)
    if isinstance(schema, list):
        for item in schema:
            yield from keywords(item)


@promise("mcp.tools.live_set", "mcp.tools.lease_set", "mcp.http.tools_all")
async def test_every_session_gets_the_default_set_and_wait_only_with_the_whole_one(door: Door) -> None:
    assert [tool["name"] for tool in await listed(door)] == DEFAULT_SET
    assert [tool["name"] for tool in await listed(door, query="?tools=all")] == WHOLE_SET


@promise("mcp.tools.live_set", "mcp.http.tools_all")
async def test_a_tool_outside_the_set_that_was_asked_for_is_unknown(door: Door) -> None:
    asked = {"name": "message_wait", "arguments": {"project": "a", "timeout_seconds": 0}}
    assert (await door.ask("tools/call", asked))["error"]["code"] == -32602
    assert (await door.ask("tools/call", asked, query="?tools=all"))["result"]["structuredContent"]["retry"] is True


@promise("mcp.http.tools_all")
async def test_the_whole_set_also_lists_the_rarer_parameters(door: Door) -> None:
    rare = {"expires_at", "about", "about_turn", "repair"}
    usual = (await listed(door))[0]["inputSchema"]["properties"]
    whole = (await listed(door, query="?tools=all"))[0]["inputSchema"]["properties"]
    assert not rare & usual.keys()
    assert rare <= whole.keys()


@promise("mcp.tools.flat")
@pytest.mark.parametrize("query", ["", "?tools=all"])
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_every_schema_is_one_object_of_properties_with_one_type_each(
    door: Door, query: str, version: str
) -> None:
    allowed = {"type", "properties", "required", "additionalProperties", "description", "enum", "items"}
    bounds = {"minimum", "maximum", "minLength", "maxLength"}
    for tool in await listed(door, query=query, version=version):
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert set(keywords(schema)) <= allowed | bounds
        assert set(schema.get("required", [])) <= schema["properties"].keys()
        for name, value in schema["properties"].items():
            assert value["type"] in PLAIN_TYPES | {"array"}, (tool["name"], name)
            if value["type"] == "array" and value["items"]["type"] == "object":
                assert {one["type"] for one in value["items"]["properties"].values()} <= PLAIN_TYPES
            elif value["type"] == "array":
                assert value["items"] == {"type": "string"}, (tool["name"], name)
            assert value["description"], (tool["name"], name)
            assert value["type"] == "string" or "enum" not in value, (tool["name"], name)


@promise("mcp.tools.flat")
def test_a_parameter_that_needs_a_union_is_no_tool() -> None:
    class Unclear(Input):
        value: int | str

    operation: AnyOperation = Operation(
        name="x", summary="", input=Unclear, output=POP.output, run=lambda unit, given: {}, writes=False
    )
    spec = ToolSpec(name="x", operation="x", title="x", description="x", parameters=("value",))
    with pytest.raises(TypeError, match="one type"):
        build_tools(lambda _name: operation, every=False, specs=(spec,))


@promise("mcp.tools.budget")
async def test_the_default_set_leaves_room_for_the_tools_to_come(door: Door) -> None:
    sizes = {tool["name"]: size(tool) for tool in await listed(door)}
    mail = [taken for name, taken in sizes.items() if name.startswith(("message_", "briefing"))]
    assert sum(mail) < BUDGET_OF_MAIL, sizes
    assert sum(sizes.values()) < BUDGET, sizes


@promise("mcp.tools.no_output_schemas")
@pytest.mark.parametrize("query", ["", "?tools=all"])
async def test_no_tool_has_an_output_schema_a_workspace_or_a_key(door: Door, query: str) -> None:
    for tool in await listed(door, query=query):
        assert "outputSchema" not in tool
        names = tool["inputSchema"]["properties"].keys()
        assert not [name for name in names if "workspace" in name or "idempotency" in name]


@promise("mcp.tools.workspace_accepted")
async def test_workspaces_are_accepted_though_no_schema_lists_them(door: Door) -> None:
    door.run("project.put", workspace="team", project="c")
    sent = await door.answer(
        "message_send",
        {
            "from_workspace": "default",
            "from_project": "a",
            "to_workspace": "team",
            "to_project": "c",
            "body": "Please look at the export.",
        },
    )
    assert sent["to"]["workspace"] == "team"
    found = await door.answer("message_list", {"workspace": "team", "project": "c"})
    assert [item["id"] for item in found["items"]] == [sent["message_id"]]
    assert (await door.answer("message_list", {"project": "team/c"}))["items"] == found["items"]


@promise("mcp.tools.annotated")
async def test_every_tool_says_what_it_does_to_the_store(door: Door) -> None:
    hints = {
        tool["name"]: tuple(tool["annotations"][f"{hint}Hint"] for hint in ("readOnly", "destructive", "idempotent"))
        for tool in await listed(door, query="?tools=all")
    }
    assert hints == {
        "message_send": (False, False, False),
        "message_list": (True, False, True),
        "message_view": (True, False, True),
        "message_pop": (False, True, False),
        "message_ack": (False, False, True),
        "message_claim": (False, False, True),
        "message_renew": (False, False, True),
        "message_release": (False, False, False),
        "message_complete": (False, False, True),
        "message_snooze": (False, False, False),
        "message_cancel": (False, True, True),
        "message_reply": (False, False, False),
        "briefing": (False, False, True),
        "message_wait": (True, False, True),
        "decision_ask": (False, False, False),
        "decision_wait": (True, False, True),
        "decision_list": (True, False, True),
        "decision_answer": (False, False, False),
        "handoff_begin": (False, False, False),
        "handoff_list": (True, False, True),
        "handoff_accept": (False, True, True),
        "handoff_cancel": (False, True, True),
    }
    for tool in await listed(door):
        assert tool["annotations"]["openWorldHint"] is False
        assert tool["title"] == tool["annotations"]["title"]


@promise("mcp.tools.annotated", "api.names.same_everywhere")
async def test_parameters_carry_the_names_of_the_operations_fields(door: Door) -> None:
    operations = {operation.name: operation for operation in OPERATIONS}
    declared = {spec.name: operations[spec.operation] for spec in SPECS}
    for tool in await listed(door, query="?tools=all"):
        fields = declared[tool["name"]].input.model_fields
        names = {info.alias or name: info.is_required() for name, info in fields.items()}
        schema = tool["inputSchema"]
        assert schema["properties"].keys() <= names.keys()
        assert sorted(schema.get("required", [])) == sorted(name for name, needed in names.items() if needed)


@promise("mcp.tools.live_set")
async def test_two_servers_list_the_same_bytes(door: Door, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    async with open_door(tmp_path / "other") as other:
        first, second = await listed(door), await listed(other)
    assert json.dumps(first) == json.dumps(second)
    assert json.dumps(first) == json.dumps(await listed(door))


@promise("mcp.tools.live_set")
async def test_a_cursor_that_was_never_given_out_is_refused(door: Door) -> None:
    assert (await door.ask("tools/list", {"cursor": "next"}))["error"]["code"] == -32602


@promise("mcp.tools.live_set")
async def test_sending_is_described_as_a_complete_request_that_confirms_storage_only(door: Door) -> None:
    description = (await listed(door))[0]["description"]
    assert "complete request" in description
    assert "confirms storage only" in description


@promise("mcp.tools.live_set", "mcp.tools.annotated")
def test_the_reference_page_is_what_the_tools_say() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "reference" / "mcp.md"
    assert page.read_text(encoding="utf-8") == write_reference()
