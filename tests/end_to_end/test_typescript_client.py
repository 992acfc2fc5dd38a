"""Two clients of the official TypeScript SDK, each through its own bridge, exchange a message across a killed server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.server_process import WAIT_SECONDS, ServerProcess, child_environment
from tests.node.programs import MODULES, node
from tests.promises.marks import promise

pytestmark = pytest.mark.node

SCRIPT = MODULES.parent / "exchange.mjs"
ASKING, ANSWERING = 0, 1


class Exchange:
    """The script as a child process: one step in, one answer out; a step that takes too long ends the script."""

    def __init__(self, program: Path, home: Path, directories: list[Path]) -> None:
        self._process = subprocess.Popen(
            [program, SCRIPT, sys.executable, *directories],
            env=child_environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def step(self, who: int, tool: str | None = None, **arguments: Any) -> dict[str, Any]:
        """The answer of one step."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        step = {"who": who, "tool": tool, "arguments": arguments} if tool else {"who": who}
        limit = threading.Timer(WAIT_SECONDS, self._process.kill)
        limit.start()
        try:
            self._process.stdin.write(f"{json.dumps(step)}\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            limit.cancel()
        assert line, "the script ended"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def call(self, who: int, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool call that succeeds."""
        result = self.step(who, tool, **arguments)
        assert not result.get("isError"), result
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    def end(self) -> int:
        """Closes its input; the exit status."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            return self._process.wait(WAIT_SECONDS)
        finally:
            self._process.kill()
            self._process.wait(WAIT_SECONDS)
            self._process.stdout.close()


@pytest.fixture
def program() -> Path:
    """The Node.js that has the SDK. In CI it must be there."""
    found = node() if MODULES.exists() else None
    if found is None and not os.environ.get("CI"):
        pytest.skip("the TypeScript SDK is not installed: make node")
    assert found is not None
    return found


@promise("mcp.http.stateless", "mcp.http.revisions", "bridge.restart.next_call", "bridge.directory.carried")
@pytest.mark.timeout(180)
def test_two_typescript_clients_exchange_a_message_across_a_killed_server(
    server: ServerProcess, home: Path, program: Path
) -> None:
    directories = [home / "work" / name for name in ("asking", "answering")]
    for directory in directories:
        directory.mkdir(parents=True)
    exchange = Exchange(program, home, directories)
    try:
        told = exchange.step(ASKING)
        assert told["server"]["name"] == "waypost"
        assert told["tools"][0]["name"] == "message_send"
        exchange.step(ANSWERING)
        sent = exchange.call(ASKING, "message_send", to_project="answering", body="Which port does the export use?")
        assert sent["to"]["project"] == "answering"
        server.kill()
        with server.restarted():
            listed = exchange.call(ANSWERING, "message_list")
            assert (listed["scope_source"], listed["resolved_scope"]["project"]) == ("workdir", "answering")
            assert [item["id"] for item in listed["items"]] == [sent["message_id"]]
            popped = exchange.call(ANSWERING, "message_pop", message_id=sent["message_id"])
            assert "Which port" in popped["message"]["body"]
            assert popped["message"]["from"]["via"] == {"door": "bridge", "scope_source": "workdir"}
            exchange.call(ANSWERING, "message_reply", message_id=sent["message_id"], body="7433")
            assert "7433" in exchange.call(ASKING, "message_pop")["message"]["body"]
            refused = exchange.step(ASKING, "message_ack", message_id=sent["message_id"], occurrence=1)
            assert refused["isError"] is True
            assert refused["structuredContent"]["code"] == "session_required"
    finally:
        status = exchange.end()
    assert status == 0
