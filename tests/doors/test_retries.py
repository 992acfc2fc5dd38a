"""Nothing is asked again but under the idempotency key that the first request carried; a command makes one where it got none."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.doors.fake_server import FakeServer, Handler, Recorded
from tests.promises.marks import promise
from waypost.client.errors import AnswerLost
from waypost.client.transport import request

SOURCES = str(Path(__file__).resolve().parents[2] / "src")


def drops_sends(handler: Handler, sent: Recorded) -> bool:
    """Reads a send whole, then closes the connection without an answer, as a server that dies does."""
    if sent.method == "POST" and sent.path == "/v1/messages":
        handler.close_connection = True
        return True
    return False


@promise("client.retry.only_keyed")
@pytest.mark.parametrize("key", [None, "k-1"])
def test_a_command_whose_answer_was_lost_asks_again_under_one_key(home: Path, database: str, key: str | None) -> None:
    with FakeServer(database) as server:
        server.before = drops_sends
        keyed = ["--idempotency-key", key] if key else []
        run = subprocess.run(
            [sys.executable, "-m", "waypost", "message", "send", "--to-project", "b", *keyed, "hello"],
            env={**os.environ, "PYTHONPATH": SOURCES},
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=50,
            check=False,
        )
        sends = [sent for sent in server.requests if sent.path == "/v1/messages"]
    assert run.returncode == 1, run.stdout + run.stderr
    assert len(sends) > 1, "a lost answer is asked for again"
    keys = {send.headers.get("idempotency-key") for send in sends}
    assert len(keys) == 1
    assert keys == {key} if key is not None else None not in keys
    assert "error:" in run.stderr


@promise("client.retry.only_keyed")
def test_the_transport_itself_never_asks_twice(home: Path, database: str) -> None:
    with FakeServer(database) as server:
        server.before = drops_sends
        with pytest.raises(AnswerLost):
            request(server.run, "POST", "/v1/messages", body=b"{}", deadline=time.monotonic() + 10)
        sends = [sent for sent in server.requests if sent.path == "/v1/messages"]
    assert len(sends) == 1
