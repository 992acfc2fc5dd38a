"""Two worker processes and one piece of work: the one that slept through its lease finishes nothing and changes nothing outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from tests.end_to_end.server_process import SOURCES, ServerProcess, child_environment
from tests.promises.marks import promise

LEASE_SECONDS = 2
WAIT_SECONDS = 60.0


class Worker:
    """A process of `holder`, told step by step."""

    def __init__(self, server: ServerProcess, message_id: str, session: str, effect: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.end_to_end.holder", server.url, message_id, session, str(effect)],
            cwd=SOURCES,
            env=child_environment(server.home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self._process.kill()
        self._process.communicate()

    def order(self, step: str) -> None:
        """Tells it to take a step; a sleeping process takes it when it wakes."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{step}\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """What it answers to the step."""
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def take(self, step: str) -> dict[str, Any]:
        """Tells it and waits for the answer."""
        self.order(step)
        return self.answer()

    def sleep(self) -> None:
        """Stops it where it is, until it has stopped."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOWAIT)

    def wake(self) -> None:
        """Lets it go on."""
        self._process.send_signal(signal.SIGCONT)


@pytest.fixture
def hasty_server(home: Path, engine: str, request: pytest.FixtureRequest) -> Iterator[ServerProcess]:
    """A real server on each engine, whose leases last two seconds."""
    config = home / "config"
    config.mkdir()
    database = ""
    if engine == "postgres":
        database = f"database = {json.dumps(request.getfixturevalue('postgres_url'))}\n"
    (config / "config.toml").write_text(f"{database}[limits]\nlease_seconds = {LEASE_SECONDS}\n", encoding="utf-8")
    with ServerProcess(home) as process:
        process.add_projects("a", "b")
        yield process


@pytest.mark.timeout(180)
@promise("mail.lease.fences_side_effects", "mail.complete.stale_token_refused", "mail.lease.length_is_a_setting")
def test_a_holder_that_slept_through_its_lease_is_kept_out(hasty_server: ServerProcess, tmp_path: Path) -> None:
    server, effect = hasty_server, tmp_path / "effect.jsonl"
    sent = {"from_project": "a", "to_project": "b", "body": "Please publish the release.", "actionable": True}
    work = server.call("POST", "/v1/messages", sent)["message_id"]
    server.call("POST", f"/v1/messages/{work}/ack", {"project": "b", "session": "S2", "occurrence": 1})
    with Worker(server, work, "S1", effect) as first, Worker(server, work, "S2", effect) as second:
        assert first.take("claim")["lease"]["generation"] == 1
        first.sleep()
        # S2 has read it, so that this wait ends when the lease does.
        waited = server.call("GET", "/v1/messages/wait?project=b&session=S2&timeout_seconds=60")
        assert [item["id"] for item in waited["items"]] == [work]
        claimed = second.take("claim")
        assert (claimed["lease"]["generation"], claimed["lease"]["holder"]) == (2, "S2")
        assert second.take("effect") == {"done": True}
        first.wake()
        assert first.take("effect") == {"done": False}, "the guard has seen a later generation"
        assert first.take("complete")["code"] == "lease_lost"
        answer = second.take("complete")
        while answer.get("code") == "lease_lost":  # a machine that was slower than the lease
            assert second.take("claim")["lease"]["generation"] > 2
            answer = second.take("complete")
        assert answer["status"] == "done"
    assert {json.loads(line)["session"] for line in effect.read_text(encoding="utf-8").splitlines()} == {"S2"}
    message = server.call("GET", f"/v1/messages/{work}?project=b")["message"]
    assert "Done by S2." in message["outcome"]
