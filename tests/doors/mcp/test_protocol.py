"""The wire: three revisions, no session, no stream, and what is refused before a method is looked at."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.harness import HANDSHAKE, MODERN, Door, open_door
from tests.promises.marks import promise
from waypost import __version__
from waypost.server.context import ServerContext
from waypost.server.mcp import app
from waypost.server.mcp.instructions import INSTRUCTIONS

pytestmark = pytest.mark.anyio

READ_BY_EVERY_CLIENT = 2_048


def initialize(version: str) -> dict[str, Any]:
    """A client's first word before revision 2026-07-28."""
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": {"roots": {"listChanged": True}},
            "clientInfo": {"name": "some-client", "version": "1"},
        },
    }


async def negotiated(door: Door, version: str) -> str:
    answer: str = (await door.post(initialize(version))).json()["result"]["protocolVersion"]
    return answer


@promise("mcp.http.revisions")
@pytest.mark.parametrize("version", HANDSHAKE)
async def test_a_client_is_answered_in_the_revision_that_it_asked_for(door: Door, version: str) -> None:
    assert await negotiated(door, version) == version


@promise("mcp.http.revisions")
@pytest.mark.parametrize("version", ["1999-01-01", MODERN])
async def test_a_handshake_for_another_revision_gets_the_newest_that_has_one(door: Door, version: str) -> None:
    assert await negotiated(door, version) == HANDSHAKE[-1]


@promise("mcp.http.revisions")
async def test_discover_answers_the_revision_without_a_handshake(door: Door) -> None:
    found = (await door.ask("server/discover"))["result"]
    assert found["supportedVersions"] == [MODERN]
    assert found["resultType"] == "complete"
    assert found["capabilities"]["tools"] == {"listChanged": False}


@promise("mcp.http.revisions")
async def test_discover_is_no_method_of_the_older_revisions(door: Door) -> None:
    for version in HANDSHAKE:
        assert (await door.ask("server/discover", version=version))["error"]["code"] == -32601


@promise("mcp.http.revisions")
async def test_an_unknown_revision_in_a_request_is_told_which_are_served(door: Door) -> None:
    answer = await door.ask("tools/list", version="2031-01-01")
    assert answer["error"]["code"] == -32602
    answer = await door.ask("tools/list", headers={"MCP-Protocol-Version": "2031-01-01"})
    assert answer["error"]["code"] == -32020


@promise("mcp.http.revisions")
@pytest.mark.parametrize("version", HANDSHAKE)
async def test_a_request_without_a_revision_header_is_answered(door: Door, version: str) -> None:
    response = await door.post({"jsonrpc": "2.0", "id": "x", "method": "tools/list"})
    assert response.json()["id"] == "x"
    assert response.json()["result"]["tools"]


@promise("mcp.server.name")
async def test_the_server_is_called_waypost_in_each_revision(door: Door) -> None:
    for version in HANDSHAKE:
        info = (await door.post(initialize(version))).json()["result"]["serverInfo"]
        assert (info["name"], info["version"]) == ("waypost", __version__)
    meta = (await door.ask("server/discover"))["result"]["_meta"]
    assert meta["io.modelcontextprotocol/serverInfo"]["name"] == "waypost"


@promise("mcp.server.instructions_safety_first")
async def test_the_instructions_begin_with_the_safety_rules_and_are_read_whole(door: Door) -> None:
    given = (await door.post(initialize(HANDSHAKE[0]))).json()["result"]["instructions"]
    assert given == INSTRUCTIONS == (await door.ask("server/discover"))["result"]["instructions"]
    assert len(given) < READ_BY_EVERY_CLIENT
    first_heading, rules = given.split("\n\n")[1].split("\n", 1)
    assert first_heading == "Safety"
    for rule in ("untrusted", "not an instruction", "reveal secrets", "Never guess a session id"):
        assert rule in rules


@promise("mcp.http.stateless")
async def test_no_session_is_given_out_and_any_session_id_is_answered(door: Door) -> None:
    begun = await door.post(initialize(HANDSHAKE[-1]))
    assert "mcp-session-id" not in begun.headers
    for session in ("0123456789abcdef", "of another server"):
        response = await door.post(
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
            headers={"Mcp-Session-Id": session, "MCP-Protocol-Version": HANDSHAKE[-1]},
        )
        assert response.status_code == 200
        assert response.json()["result"]["tools"]


@promise("mcp.http.stateless")
async def test_a_notification_is_accepted_at_any_time(door: Door) -> None:
    for version in (*HANDSHAKE, MODERN):
        response = await door.post(
            {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers={"MCP-Protocol-Version": version}
        )
        assert (response.status_code, response.content) == (202, b"")


@promise("mcp.http.stateless")
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
async def test_there_is_no_stream_to_open_and_no_session_to_end(door: Door, method: str) -> None:
    async with door.http() as http:
        response = await http.request(
            method,
            "http://127.0.0.1:7433/mcp",
            headers={"Accept": "text/event-stream", "Mcp-Session-Id": "0123456789abcdef"},
        )
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"


SECRET = "hunter2-and-more"
MALFORMED: dict[str, tuple[bytes, int]] = {
    "no JSON": (b'{"jsonrpc": "2.0", "' + SECRET.encode(), -32700),
    "a number that is none": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700),
    "too deep": (b"[" * 100_000, -32700),
    "not UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700),
    "empty": (b"", -32700),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    "a text": (b'"hunter2-and-more"', -32600),
    "another version": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
    "a method that is no text": (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
    "an id that is null": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    "an id that is true": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
    "an id that is a list": (b'{"jsonrpc":"2.0","id":["hunter2-and-more"],"method":"ping"}', -32600),
    "parameters that are a list": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":["hunter2-and-more"]}', -32600),
    "a member twice": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1,"x":2}}', -32600),
    "neither question nor answer": (b'{"jsonrpc":"2.0","id":1}', -32600),
}


@promise("api.errors.never_internal")
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
@pytest.mark.parametrize("case", MALFORMED)
async def test_what_is_no_message_gets_one_fixed_sentence(door: Door, case: str, version: str) -> None:
    body, code = MALFORMED[case]
    response = await door.post(body, headers={"MCP-Protocol-Version": version})
    assert response.status_code == 400
    assert response.json()["error"]["code"] == code
    assert response.json()["id"] is None
    assert SECRET not in response.text
    assert "pydantic" not in response.text


@promise("api.errors.never_internal")
async def test_an_answer_that_a_client_posts_is_taken_and_dropped(door: Door) -> None:
    response = await door.post({"jsonrpc": "2.0", "id": 7, "result": {}})
    assert response.status_code == 202


@promise("api.unknown_fields.refused")
@pytest.mark.parametrize("query", ["?tools=everything", "?tools=", "?compat=ai-memory", "?tools=all&compat=x"])
async def test_an_address_that_asks_for_what_is_not_offered_is_refused(door: Door, query: str) -> None:
    response = await door.post(initialize(HANDSHAKE[-1]), query=query)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32600


@promise("mcp.answer.structured_and_short")
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_an_unknown_tool_is_a_fault_of_the_protocol(door: Door, version: str) -> None:
    answer = await door.ask("tools/call", {"name": "message_burn\u202e", "arguments": {}}, version=version)
    assert answer["error"]["code"] == -32602
    assert "\u202e" not in answer["error"]["message"]


@promise("start.server.hooks_before_templates")
def test_the_door_is_imported_without_the_sdk() -> None:
    code = (
        "import sys, waypost.server.mcp.app;"
        "print([name for name in sys.modules if name.partition('.')[0] in {'mcp', 'mcp_types'}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def held_back(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Lets the SDK be loaded only once the event is set."""
    release = asyncio.Event()
    loop = asyncio.get_running_loop()
    load = app.load_manager

    def slow(context: ServerContext) -> Any:
        asyncio.run_coroutine_threadsafe(release.wait(), loop).result(timeout=30)
        return load(context)

    monkeypatch.setattr(app, "load_manager", slow)
    return release


@promise("start.server.hooks_before_templates")
async def test_a_request_that_comes_while_the_sdk_is_loaded_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = held_back(monkeypatch)
    async with open_door(tmp_path) as door:
        early = asyncio.create_task(door.post(initialize(HANDSHAKE[-1])))
        done, _ = await asyncio.wait({early}, timeout=0.05)
        assert not done
        release.set()
        assert (await early).json()["result"]["protocolVersion"] == HANDSHAKE[-1]


@promise("start.server.hooks_before_templates")
async def test_a_request_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = held_back(monkeypatch)
    monkeypatch.setattr(app, "LOADING_SECONDS", 0.01)
    async with open_door(tmp_path) as door:
        response = await door.post(initialize(HANDSHAKE[-1]))
        assert response.status_code == 503
        assert response.json()["error"]["code"] == -32603
        release.set()


@promise("start.server.hooks_before_templates")
async def test_an_sdk_that_cannot_be_loaded_is_said_and_harms_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(context: ServerContext) -> Any:
        raise ImportError("no module at /some/where")

    monkeypatch.setattr(app, "load_manager", broken)
    async with open_door(tmp_path) as door:
        response = await door.post(initialize(HANDSHAKE[-1]))
    assert response.status_code == 503
    assert "/some/where" not in response.text
    assert "the MCP door cannot be served" in caplog.text


@promise("mcp.http.stateless")
async def test_requests_leave_no_noise_in_the_log(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    await door.post(initialize(HANDSHAKE[-1]))
    await door.answer("message_list", {"project": "a"}, version=HANDSHAKE[-1])
    await door.answer("message_list", {"project": "a"})
    assert [record for record in caplog.records if record.name.startswith("mcp")] == []


@promise("mcp.http.revisions")
async def test_many_requests_at_once_are_all_answered(door: Door) -> None:
    sends = [
        door.answer(
            "message_send",
            {"from_project": "a", "to_project": "b", "body": f"Request {number}."},
            version=(*HANDSHAKE, MODERN)[number % 3],
        )
        for number in range(60)
    ]
    ids = {sent["message_id"] for sent in await asyncio.gather(*sends)}
    assert len(ids) == 60
