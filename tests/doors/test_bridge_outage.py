"""The bridge while its server is away, dies, moves, is slow to start, or is somebody else's."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.bridge_process import BridgeProcess
from tests.doors.fake_server import FakeServer, Handler, Recorded
from tests.promises.marks import promise
from waypost.client.folders import run_file_path
from waypost.client.run_file import read_run_file, write_run_file

pytestmark = pytest.mark.usefixtures("fake_serve")


@pytest.fixture
def bridge(home: Path, fake_serve: None) -> Iterator[BridgeProcess]:
    """A bridge whose server is the fake one, started on demand."""
    with BridgeProcess(home) as process:
        yield process


def starts(database: str) -> list[int]:
    """The process numbers of the servers that were started."""
    path = Path(f"{database}.starts")
    return [int(line.split()[0]) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def kill_server(database: str) -> None:
    """Kills the running server as a crash would: the run file stays."""
    run = read_run_file(run_file_path(database))
    assert run is not None
    os.kill(run.pid, signal.SIGKILL)


def calls(database: str, tool: str) -> list[dict[str, Any]]:
    """The bodies of the calls of a tool that started servers have seen."""
    lines = Path(f"{database}.requests").read_text(encoding="utf-8").splitlines()
    bodies = [json.loads(body) for _, path, body in map(json.loads, lines) if path.startswith("/mcp") and body]
    return [body for body in bodies if body.get("method") == "tools/call" and body["params"]["name"] == tool]


@promise("bridge.server.joined_or_started")
def test_where_no_server_runs_the_bridge_starts_one_and_answers(database: str, bridge: BridgeProcess) -> None:
    assert bridge.initialize()["result"]["serverInfo"]["name"] == "fake"
    assert len(starts(database)) == 1


@promise("bridge.server.joined_or_started", "day_one.server.detached")
def test_ten_bridges_at_once_start_one_server(home: Path, database: str) -> None:
    bridges = [BridgeProcess(home) for _ in range(10)]
    try:
        for bridge in bridges:
            bridge.send("initialize", 1)
        assert [bridge.receive()["id"] for bridge in bridges] == [1] * 10
    finally:
        for bridge in bridges:
            bridge.__exit__()
    assert len(starts(database)) == 1


@promise("bridge.restart.next_call")
@pytest.mark.parametrize("tcp", [False, True], ids=["socket", "another port"])
def test_after_a_kill_between_two_calls_the_next_call_succeeds(
    database: str, home: Path, monkeypatch: pytest.MonkeyPatch, tcp: bool
) -> None:
    if tcp:
        monkeypatch.setenv("WAYPOST_TEST_TCP", "1")
    with BridgeProcess(home) as bridge:
        bridge.initialize()
        bridge.call("echo", 2)
        bridge.receive()
        kill_server(database)
        bridge.call("echo", 3)
        answer = bridge.receive()
    assert (answer["id"], "result" in answer) == (3, True)
    assert len(starts(database)) == 2


@promise("bridge.call.once")
def test_a_call_whose_answer_was_cut_is_repeated_with_the_same_key(database: str, bridge: BridgeProcess) -> None:
    bridge.initialize()
    bridge.call("die", 2)
    assert bridge.receive() == {"jsonrpc": "2.0", "id": 2, "result": {"survived": True}}
    assert len(starts(database)) == 2
    keys = [call["params"]["_meta"]["waypost/idempotency-key"] for call in calls(database, "die")]
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_a_busy_server_is_asked_again_with_the_same_key(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:

        def busy_twice(handler: Handler, request: Recorded) -> bool:
            if request.tool != "echo" or len(server.calls("echo")) > 2:
                return False
            handler.send_json(503, {"status": 503, "code": "store_busy", "detail": "Busy.", "hint": ""})
            return True

        server.before = busy_twice
        bridge.initialize()
        bridge.call("echo", 2)
        assert "result" in bridge.receive()
        assert len({request.body for request in server.calls("echo")}) == 1
        assert len(server.calls("echo")) == 3


def test_a_stream_that_ends_without_its_response_is_repeated(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:

        def cut_once(handler: Handler, request: Recorded) -> bool:
            if request.tool != "echo" or len(server.calls("echo")) > 1:
                return False
            with handler.stream() as write:
                write(b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n')
            return True

        server.before = cut_once
        bridge.initialize()
        bridge.call("echo", 2)
        assert bridge.receive()["method"] == "notifications/progress"
        assert bridge.receive()["id"] == 2


def test_a_request_that_ends_every_server_is_given_up_with_a_sentence(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:

        def cut(handler: Handler, request: Recorded) -> bool:
            if request.tool == "echo":
                handler.head(200, {"Content-Type": "application/json", "Content-Length": "10"})
                handler.close_connection = True
            return request.tool == "echo"

        server.before = cut
        bridge.initialize()
        bridge.call("echo", 2)
        answer = bridge.receive()
        assert answer["error"]["data"]["code"] == "store_unavailable"
        assert len(server.calls("echo")) == 5
        bridge.send("ping", 3)
        assert bridge.receive()["id"] == 3


def test_a_server_that_cannot_start_is_reported_with_what_it_printed(
    home: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_TEST_FAIL", "1")
    with BridgeProcess(home) as bridge:
        answer = bridge.initialize()
        bridge.send("ping", 2)
        second = bridge.receive()
        assert bridge.end() == (0, [])
    assert "the store is [31m broken" in answer["error"]["message"]
    assert second["id"] == 2
    assert "error" in second
    assert len(starts(database)) == 3


@promise("bridge.foreign_server.refused", "store.runfile.stale_ignored")
@pytest.mark.parametrize("unix", [True, False], ids=["socket", "port"])
def test_a_foreign_server_behind_the_run_file_gets_no_key_that_it_could_use_and_is_replaced(
    home: Path, database: str, unix: bool
) -> None:
    with FakeServer(database, unix=unix) as foreign:
        foreign.sent_store_id = "another-store"
        with BridgeProcess(home) as bridge:
            answer = bridge.initialize()
        assert answer["result"]["serverInfo"]["name"] == "fake"
        assert len(starts(database)) == 1
        if not unix:
            assert all("waypost-key" not in request.headers for request in foreign.requests)


@promise("bridge.foreign_server.refused", "store.runfile.stale_ignored")
def test_a_run_file_that_leads_nowhere_is_ignored(database: str, bridge: BridgeProcess) -> None:
    with FakeServer(database) as server:
        stale = server.run
        server.stop(leave_run_file=True)
        write_run_file(run_file_path(database), stale)
        assert "result" in bridge.initialize()
    assert len(starts(database)) == 1


def test_a_call_cancelled_while_no_server_answers_is_never_sent(
    home: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(database) as server:
        busy = {"status": 503, "code": "store_busy", "detail": "Busy.", "hint": ""}

        def always_busy(handler: Handler, request: Recorded) -> bool:
            if request.tool == "echo":
                handler.send_json(503, busy)
            return request.tool == "echo"

        server.before = always_busy
        with BridgeProcess(home) as bridge:
            bridge.initialize()
            bridge.call("echo", 2)
            server.wait_for(lambda seen: any(request.tool == "echo" for request in seen))
            bridge.send("notifications/cancelled", requestId=2)
            server.wait_for(lambda seen: any(request.rpc == "notifications/cancelled" for request in seen))
            assert bridge.end() == (0, [])
