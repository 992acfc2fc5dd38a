"""Starting a server in the background: alone in its session, once, and with a clear word when it fails."""

from __future__ import annotations

import fcntl
import os
import subprocess
import threading
from pathlib import Path

import pytest

from tests.doors.fake_server import FakeServer, Handler, Recorded
from tests.promises.marks import promise
from waypost.client import launch
from waypost.client.errors import ServerNotStarted
from waypost.client.launch import ready_server, start_server

# The descriptor whose absence the started server reports.
INHERITABLE = 200

pytestmark = pytest.mark.usefixtures("fake_serve")


def starts(database: str) -> list[list[str]]:
    """What each started server said: its process, its session, whether descriptor 200 was open, its working directory."""
    return [line.split() for line in Path(f"{database}.starts").read_text(encoding="utf-8").splitlines()]


@promise("day_one.server.detached")
def test_a_started_server_is_its_own_session_inherits_no_descriptor_and_leaves_our_directory(database: str) -> None:
    read, write = os.pipe()
    inheritable = fcntl.fcntl(read, fcntl.F_DUPFD, INHERITABLE)
    try:
        run = start_server(database)
    finally:
        for descriptor in (read, write, inheritable):
            os.close(descriptor)
    assert inheritable == INHERITABLE
    ((pid, session, inherited, directory),) = starts(database)
    assert int(pid) == run.pid
    assert pid == session
    assert inherited == "False"
    assert directory != str(Path.cwd())


def test_whoever_asks_at_the_same_time_gets_the_one_server(database: str) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(start_server(database).pid)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(starts(database)) == 1
    assert found == [int(starts(database)[0][0])] * 8


@promise("bridge.server.joined_or_started")
def test_a_running_server_is_joined(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: str) -> None:
        raise AssertionError("a second server was started")

    monkeypatch.setattr(launch, "_spawn", refuse)
    with FakeServer(database) as server:
        assert start_server(database).key == server.run.key


def test_a_server_that_ends_is_reported_with_the_end_of_its_log_without_control_characters(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_TEST_FAIL", "1")
    with pytest.raises(ServerNotStarted) as refused:
        start_server(database)
    assert "ended with status 1: the store is [31m broken" in refused.value.detail
    assert refused.value.hint


def test_a_server_that_is_not_ready_in_time_is_reported(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spawned: list[subprocess.Popen[bytes]] = []
    spawn = launch._spawn

    def remember(database: str, output: str) -> subprocess.Popen[bytes]:
        spawned.append(spawn(database, output))
        return spawned[0]

    monkeypatch.setattr(launch, "_spawn", remember)
    with pytest.raises(ServerNotStarted, match="is not ready"):
        start_server(database, seconds=0)
    spawned[0].kill()
    spawned[0].wait(30)


def test_no_server_is_ready_where_none_runs_or_it_says_that_it_is_not(database: str) -> None:
    assert ready_server(database) is None
    with FakeServer(database) as server:
        assert ready_server(database) is not None

        def not_ready(handler: Handler, seen: Recorded) -> bool:
            handler.send_json(503, {})
            return True

        server.before = not_ready
        assert ready_server(database) is None
