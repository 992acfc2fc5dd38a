"""The bridge before a fake server: what it forwards, how it answers, what it adds, how it ends."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.doors.bridge_process import SOURCES, BridgeProcess
from tests.doors.fake_server import FakeServer, Handler, Recorded
from tests.promises.marks import promise

pytestmark = pytest.mark.usefixtures("no_serve")

MODERN = "2026-07-28"


def meta(**more: object) -> dict[str, object]:
    names = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    return {**names, "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "2"}, **more}


def test_the_client_is_answered_and_its_revision_goes_with_later_requests(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:
        answer = bridge.initialize()
        bridge.send("tools/list", "two")
        listed = bridge.receive()
        requests = server.wait_for(lambda seen: any(request.rpc == "tools/list" for request in seen))
    assert (answer["id"], answer["result"]["protocolVersion"]) == (1, "2025-06-18")
    assert listed == {"jsonrpc": "2.0", "id": "two", "result": {"tools": []}}
    first = next(request for request in requests if request.rpc == "initialize")
    later = next(request for request in requests if request.rpc == "tools/list")
    assert "mcp-protocol-version" not in first.headers
    assert later.headers["mcp-protocol-version"] == "2025-06-18"
    assert later.headers["accept"] == "application/json, text/event-stream"


@promise("bridge.directory.carried", "bridge.session.only_stated")
def test_each_request_carries_key_store_door_directory_and_client(
    home: Path, database: str, bridge: BridgeProcess
) -> None:
    with FakeServer(database) as server:
        bridge.initialize()
        bridge.call("echo", 2)
        bridge.receive()
        bridge.call("echo", 3, _meta={"waypost/session": "s-1"})
        bridge.receive()
        bridge.call("echo", 4, _meta={"waypost/session": "not a session\n"})
        bridge.receive()
        without, given, malformed = server.calls("echo")
        assert without.headers["waypost-key"] == server.run.key
    assert without.headers["waypost-store"] == server.store_id
    assert without.headers["waypost-door"] == "bridge"
    assert without.headers["waypost-client"] == "a-client"
    assert unquote(without.headers["waypost-directory"]) == str((home / "work").resolve())
    assert "waypost-session" not in without.headers
    assert given.headers["waypost-session"] == "s-1"
    assert "waypost-session" not in malformed.headers


@promise("bridge.directory.carried")
def test_the_directory_that_the_client_names_is_taken_before_the_working_directory(home: Path, database: str) -> None:
    named = home / "with space and ü"
    named.mkdir()
    with FakeServer(database) as server, BridgeProcess(home, CLAUDE_PROJECT_DIR=str(named)) as bridge:
        bridge.initialize()
        requests = server.wait_for(lambda seen: any(request.path == "/v1/projects" for request in seen))
    registered = next(request for request in requests if request.path == "/v1/projects")
    assert registered.json == {"directory": str(named)}
    assert registered.headers["waypost-directory"].isascii()
    assert unquote(registered.headers["waypost-directory"]) == str(named)
    assert registered.headers["idempotency-key"]


@promise("bridge.directory.carried")
def test_a_tool_call_waits_until_the_directory_is_registered(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:

        def registration_later(handler: Handler, request: Recorded) -> bool:
            if request.path == "/v1/projects":
                server.release.wait(10)
            return False

        server.before = registration_later
        bridge.initialize()
        server.wait_for(lambda seen: any(request.path == "/v1/projects" for request in seen))
        bridge.call("echo", 2)
        bridge.send("ping", 3)
        assert bridge.receive()["id"] == 3
        assert server.calls("echo") == []
        server.release.set()
        assert bridge.receive()["id"] == 2
        bridge.call("echo", 4)
        bridge.receive()
        assert sum(request.path == "/v1/projects" for request in server.requests) == 1


def test_a_tool_call_gets_an_idempotency_key_and_keeps_the_clients_own(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database):
        bridge.initialize()
        bridge.call("echo", 2, _meta={"progressToken": 7})
        first = bridge.receive()["result"]["echo"]["_meta"]
        bridge.call("echo", 3)
        second = bridge.receive()["result"]["echo"]["_meta"]
        bridge.call("echo", 4, _meta={"waypost/idempotency-key": "mine"})
        own = bridge.receive()["result"]["echo"]["_meta"]
    assert first["progressToken"] == 7
    assert uuid.UUID(first["waypost/idempotency-key"]).version == 4
    assert first["waypost/idempotency-key"] != second["waypost/idempotency-key"]
    assert own == {"waypost/idempotency-key": "mine"}


def test_a_request_of_the_newest_revision_gets_the_headers_that_repeat_its_body(
    database: str, bridge: BridgeProcess
) -> None:
    with FakeServer(database) as server:
        bridge.send("server/discover", 0, _meta=meta())
        bridge.receive()
        bridge.call("echo", 1, _meta=meta())
        bridge.receive()
        bridge.send("prompts/get", 2, name="grüße", _meta=meta())
        bridge.receive()
        seen = {request.rpc: request.headers for request in server.requests if request.rpc}
    assert seen["server/discover"]["mcp-protocol-version"] == MODERN
    assert seen["server/discover"]["mcp-method"] == "server/discover"
    assert (seen["tools/call"]["mcp-method"], seen["tools/call"]["mcp-name"]) == ("tools/call", "echo")
    assert seen["tools/call"]["waypost-client"] == "modern"
    assert seen["prompts/get"]["mcp-name"] == "=?base64?Z3LDvMOfZQ==?="


def test_notifications_on_the_way_come_before_the_response_of_a_streamed_answer(
    database: str, bridge: BridgeProcess
) -> None:
    with FakeServer(database):
        bridge.initialize()
        bridge.call("progress", 2)
        assert bridge.receive()["method"] == "notifications/progress"
        assert bridge.receive() == {"jsonrpc": "2.0", "id": 2, "result": {"done": True}}


def test_notifications_of_the_client_are_forwarded_and_answered_with_nothing(
    database: str, bridge: BridgeProcess
) -> None:
    with FakeServer(database) as server:
        bridge.initialize()
        bridge.send("notifications/initialized")
        server.wait_for(lambda seen: any(request.rpc == "notifications/initialized" for request in seen))
        status, rest = bridge.end()
    assert (status, rest) == (0, [])


def test_slow_calls_hold_up_nobody_and_those_above_the_bound_wait_their_turn(
    database: str, bridge: BridgeProcess
) -> None:
    with FakeServer(database) as server:
        bridge.initialize()
        for number in range(15):
            bridge.call("slow", 100 + number)
        server.wait_for(lambda seen: sum(request.tool == "slow" for request in seen) == 15)
        bridge.send("ping", 2)
        assert bridge.receive()["id"] == 2
        for number in range(15, 20):
            bridge.call("slow", 100 + number)
        server.wait_for(lambda seen: sum(request.tool == "slow" for request in seen) == 16)
        server.release.set()
        assert {bridge.receive()["id"] for _ in range(20)} == set(range(100, 120))


def test_a_cancelled_request_loses_its_connection_and_gets_no_answer(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:
        bridge.initialize()
        bridge.call("until_closed", "7")
        server.wait_for(lambda seen: any(request.tool == "until_closed" for request in seen))
        bridge.send("notifications/cancelled", requestId=7)  # another request: the number, not the string
        bridge.send("ping", 8)
        assert bridge.receive()["id"] == 8
        bridge.send("notifications/cancelled", requestId="7")
        server.wait_for(lambda seen: any(request.method == "CLOSED" for request in seen))
        server.wait_for(lambda seen: sum(request.rpc == "notifications/cancelled" for request in seen) == 2)
        assert bridge.end() == (0, [])


@promise("bridge.stdout.only_protocol")
@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"{nonsense", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b"42", -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":5}', -32600, 5),
        (b'{"jsonrpc":"2.0","id":"x","method":7}', -32600, "x"),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"a":"' + b"x" * (16 << 20) + b'"}}', -32600, 9),
        (b'{"method":"tools/call","params":{"a":"' + b"x" * (16 << 20) + b'"},"id":"t"}', -32600, "t"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_line_that_is_no_message_gets_an_error_and_the_next_one_is_served(
    database: str, bridge: BridgeProcess, line: bytes, code: int, request_id: object
) -> None:
    with FakeServer(database):
        bridge.write(line)
        refused = bridge.receive()
        assert (refused["error"]["code"], refused["id"]) == (code, request_id)
        bridge.write(b"\r\n")
        bridge.send("ping", 2)
        assert bridge.receive()["id"] == 2
        assert bridge.end() == (0, [])


@promise("bridge.stdout.only_protocol")
def test_escaped_lone_surrogates_and_odd_bodies_pass_through_both_ways(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:
        bridge.write(b'{"jsonrpc": "2.0",  "id": 1, "method": "tools/list", "params": {"x": "\\ud800", "y": 1.10}}')
        bridge.receive()
        assert server.asked("tools/list")[0].body.endswith(b'"params": {"x": "\\ud800", "y": 1.10}}')

        def broken_over_lines(handler: Handler, request: Recorded) -> bool:
            if request.tool is None:
                return False
            handler.send_json(200, b'{"jsonrpc":"2.0",\r\n"id":2,\n"result":{"x":"\\udfff\\n\xc3\xbc"}}')
            return True

        server.before = broken_over_lines
        bridge.write(
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":"\\udead\xc3\xbc"}}}'
        )
        assert bridge.raw() == b'{"jsonrpc":"2.0",  "id":2, "result":{"x":"\\udfff\\n\xc3\xbc"}}\n'
        assert b'"a":"\\udead\\u00fc"' in server.calls("echo")[0].body


@promise("bridge.stdout.only_protocol")
@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (403, {"status": 403, "code": "forbidden", "detail": "You lack read.", "hint": "Ask."}, "You lack read. Ask."),
        (500, b"<html>", "status 500"),
        (400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32020, "message": "no match"}}, "no match"),
        (503, {"status": 503, "code": "schema_newer", "detail": "Newer.", "hint": ""}, "Newer."),
        (200, {"unexpected": 1}, "status 200"),
    ],
)
def test_an_answer_outside_the_protocol_becomes_an_error_of_the_request(
    database: str, bridge: BridgeProcess, status: int, body: object, words: str
) -> None:
    with FakeServer(database) as server:

        def refuse(handler: Handler, request: Recorded) -> bool:
            if request.rpc == "tools/list":
                handler.send_json(status, body)
            return request.rpc == "tools/list"

        server.before = refuse
        bridge.send("tools/list", 2)
        answer = bridge.receive()
    assert answer["id"] == 2
    assert words in answer["error"]["message"]


def test_options_travel_as_the_query_of_the_servers_path(home: Path, database: str) -> None:
    with FakeServer(database) as server, BridgeProcess(home, "--tools", "all", "--compat=ai-memory") as bridge:
        bridge.initialize()
        assert server.asked("initialize")[0].path == "/mcp?tools=all&compat=ai-memory"


@pytest.mark.parametrize("arguments", [["--unknown"], ["--tools"], ["--database", "mysql://host/x"]])
def test_options_that_are_unknown_or_wrong_end_the_bridge_with_a_sentence(home: Path, arguments: list[str]) -> None:
    with BridgeProcess(home, *arguments) as bridge:
        assert bridge.finished() == (2, [])
        assert bridge.process.stderr is not None
        assert b"usage: waypost mcp" in bridge.process.stderr.read()


def test_at_the_end_of_input_what_is_in_flight_is_still_answered(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:
        bridge.initialize()
        bridge.call("slow", 2)
        server.wait_for(lambda seen: any(request.tool == "slow" for request in seen))
        bridge.process.stdin.close()  # type: ignore[union-attr] # it is a pipe
        server.release.set()
        status, rest = bridge.finished()
    assert status == 0
    assert [json.loads(line)["id"] for line in rest] == [2]


def test_a_last_line_without_its_end_is_served(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database):
        assert bridge.process.stdin is not None
        bridge.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
        status, rest = bridge.end()
    assert (status, [json.loads(line)["id"] for line in rest]) == (0, [1])


def test_a_termination_signal_ends_the_bridge_as_the_end_of_input_does(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:
        bridge.initialize()
        bridge.send("ping", 2)
        bridge.receive()
        bridge.call("slow", 3)
        server.wait_for(lambda seen: any(request.tool == "slow" for request in seen))
        bridge.process.stdin.write(b"{begun")  # type: ignore[union-attr] # as above
        bridge.process.stdin.flush()  # type: ignore[union-attr] # as above
        bridge.process.terminate()
        server.release.set()
        status, rest = bridge.finished()
    assert status == 0
    assert [json.loads(line)["id"] for line in rest] == [3]


@promise("bridge.stdout.only_protocol")
def test_what_something_else_prints_never_reaches_the_client(home: Path, database: str) -> None:
    stub = home / "stub"
    stub.mkdir()
    module = "import waypost.bridge.session as session\n_init = session.Session.__init__\n"
    module += "def shouting(self, *arguments):\n    print('stray words', flush=True)\n    _init(self, *arguments)\n"
    (stub / "sitecustomize.py").write_text(f"{module}session.Session.__init__ = shouting\n", encoding="utf-8")
    with FakeServer(database), BridgeProcess(home, PYTHONPATH=f"{stub}{os.pathsep}{SOURCES}") as bridge:
        assert bridge.initialize()["id"] == 1
        assert bridge.end() == (0, [])
        assert bridge.process.stderr is not None
        assert b"stray words" in bridge.process.stderr.read()
