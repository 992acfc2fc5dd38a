"""The bridge with the real server, killed as a crash would: nothing of a client's session is lost and no call happens twice."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.bridge_process import BridgeProcess
from tests.promises.marks import promise
from waypost.client.folders import database_path, run_file_path
from waypost.client.run_file import read_run_file

pytestmark = pytest.mark.timeout(150)


@pytest.fixture
def bridge(home: Path) -> Iterator[BridgeProcess]:
    """A bridge in a directory of its own, and the server that it started ended with it."""
    work = home / "a-project"
    work.mkdir()
    with BridgeProcess(work) as process:
        yield process
    kill_server()


def kill_server() -> None:
    run = read_run_file(run_file_path(database_path()))
    if run is not None and run.process_lives():
        os.kill(run.pid, signal.SIGKILL)


def tool(bridge: BridgeProcess, request_id: int, name: str, **arguments: Any) -> None:
    bridge.send("tools/call", request_id, name=name, arguments=arguments)


def bodies(bridge: BridgeProcess) -> Counter[str]:
    """How often each body stands in the project's inbox."""
    tool(bridge, 9_000, "message_list", limit=200)
    answer = bridge.receive()["result"]["structuredContent"]
    return Counter(word for item in answer["items"] for word in item["body"].split() if word.startswith("body-"))


@promise("bridge.server.joined_or_started", "bridge.restart.next_call")
def test_the_bridge_starts_the_server_and_outlives_it(bridge: BridgeProcess) -> None:
    assert bridge.initialize()["result"]["serverInfo"]["name"] == "waypost"
    tool(bridge, 2, "message_send", body="body-1")
    assert bridge.receive()["result"]["isError"] is False
    kill_server()
    tool(bridge, 3, "message_send", body="body-2")
    assert bridge.receive()["result"]["isError"] is False
    assert bodies(bridge) == {"body-1": 1, "body-2": 1}
    assert bridge.end() == (0, [])


@promise("bridge.call.once")
def test_calls_in_flight_while_the_server_is_killed_take_effect_once(bridge: BridgeProcess) -> None:
    bridge.initialize()
    for number in range(60):
        tool(bridge, 100 + number, "message_send", body=f"body-{number}")
        if number in {20, 45}:
            kill_server()
    answers = [bridge.receive() for _ in range(60)]
    assert [answer for answer in answers if "error" in answer or answer["result"]["isError"]] == []
    assert bodies(bridge) == {f"body-{number}": 1 for number in range(60)}
