"""Who calls: the door, the client's name, the session, the key, and what only the bridge may bring."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.doors.mcp.harness import HANDSHAKE, KEY, MODERN, Door
from tests.promises.marks import promise

pytestmark = pytest.mark.anyio

BRIDGE = {"Waypost-Key": KEY, "Waypost-Door": "bridge"}
SEND = {"from_project": "a", "to_project": "b", "body": "Please look at the export."}


async def sender(door: Door, **asked: Any) -> dict[str, Any]:
    """What a message says of its sender."""
    sent = await door.answer("message_send", {**SEND, "repeat": True}, **asked)
    found: dict[str, Any] = door.run("message.view", project="b", message_id=sent["message_id"])["message"]["from"]
    return found


@promise("record.declared.apart")
async def test_the_clients_name_comes_from_the_request_or_its_header_and_is_declared(door: Door) -> None:
    named = await sender(door, client="some-client")
    assert named["client"] == "some-client"
    assert "client" in named["declared"]
    by_header = await sender(door, version=HANDSHAKE[-1], headers={"Waypost-Client": "claude-code"})
    assert by_header["client"] == "claude-code"
    unknown = await sender(door, version=HANDSHAKE[-1])
    assert unknown["client"] is None


@promise("record.declared.apart")
@pytest.mark.parametrize("name", ["", "   ", 5, None, ["x"]])
async def test_a_name_that_is_none_is_left_out(door: Door, name: object) -> None:
    info = {"io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}}
    found = await sender(door, version=HANDSHAKE[-1], meta=info)
    assert found["client"] is None


@promise("record.declared.apart")
async def test_the_record_says_that_a_message_came_by_mcp(door: Door) -> None:
    assert (await sender(door))["via"] == {"door": "mcp", "scope_source": "explicit"}


@promise("scope.source.labels", "scope.source.session_argument_is_declared")
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_a_session_stated_in_meta_or_header_is_the_bound_one(door: Door, version: str) -> None:
    door.run("session.put", project="a", session_id="S1")
    for asked in ({"meta": {"waypost/session": "S1"}}, {"headers": {"Waypost-Session": "S1"}}):
        listed = await door.answer("message_list", {}, version=version, **asked)
        assert listed["scope_source"] == "session"
        assert listed["resolved_scope"]["project"] == "a"
    argument = await door.answer("message_list", {"session": "S1"}, version=version)
    assert argument["scope_source"] == "declared"


@promise("api.types.wrong_refused", "api.ids.malformed_refused")
@pytest.mark.parametrize("meta", [{"waypost/session": "two words"}, {"waypost/session": 5}])
async def test_a_malformed_session_is_refused_as_a_tool_error(door: Door, meta: dict[str, Any]) -> None:
    refused = await door.refusal("message_list", {"project": "a"}, meta=meta)
    assert refused["code"] == "invalid_input"
    assert "waypost/session" in refused["detail"]
    refused = await door.refusal("message_list", {"project": "a"}, headers={"Waypost-Session": "two words"})
    assert refused["code"] == "invalid_input"


@promise("idempotency.key.every_door", "idempotency.key.first_answer")
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_a_key_in_meta_makes_a_repeat_answer_the_first_answer(door: Door, version: str) -> None:
    given = {**SEND, "repeat": True}
    meta = {"waypost/idempotency-key": "key-1"}
    first = await door.answer("message_send", given, version=version, meta=meta)
    assert await door.answer("message_send", given, version=version, meta=meta) == first
    other = await door.answer("message_send", given, version=version, meta={"waypost/idempotency-key": "key-2"})
    assert other["message_id"] != first["message_id"]
    refused = await door.refusal("message_send", {**given, "body": "Something else."}, version=version, meta=meta)
    assert refused["code"] == "idempotency_mismatch"


@promise("idempotency.key.malformed_refused")
@pytest.mark.parametrize("key", ["", "x" * 300, "key\u00e9", 5, ["key"]])
async def test_a_malformed_key_is_refused(door: Door, key: object) -> None:
    refused = await door.refusal("message_send", SEND, meta={"waypost/idempotency-key": key})
    assert refused["code"] == "invalid_input"
    assert door.run("message.list", project="b")["items"] == []


@promise("identity.session.who_registers")
async def test_a_session_given_through_the_bridge_is_introduced_in_the_directorys_project(
    door: Door, tmp_path: Path
) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    door.run("project.put", workspace="default", project="c", directory=str(checkout))
    headers = {**BRIDGE, "Waypost-Directory": quote(str(checkout)), "Waypost-Client": "codex"}
    popped = await door.answer("message_pop", {"session": "S1"}, headers=headers)
    assert popped["scope_source"] == "workdir"
    session = door.run("session.show", session_id="S1")["session"]
    assert (session["project"], session["client"]) == ("c", "codex")
    sent = await door.answer("message_send", {"to_project": "b", "body": "Please look."}, headers=headers)
    via = door.run("message.view", project="b", message_id=sent["message_id"])["message"]["from"]["via"]
    assert via == {"door": "bridge", "scope_source": "workdir"}


@promise("identity.session.who_registers")
async def test_only_the_run_files_key_makes_a_request_the_bridges(door: Door) -> None:
    for key in ("", "another"):
        found = await sender(door, headers={**BRIDGE, "Waypost-Key": key})
        assert found["via"]["door"] == "mcp"


@promise("web.queue.read_only")
async def test_a_browsers_cookie_reaches_no_tool(door: Door) -> None:
    sent = await door.answer("message_send", SEND)
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "message_pop", "arguments": {"project": "b"}},
    }
    refused = await door.post(call, headers={"Cookie": "waypost_page=anything"})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert door.run("message.view", project="b", message_id=sent["message_id"])["message"]["status"] == "open"
