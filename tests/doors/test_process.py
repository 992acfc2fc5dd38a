"""The real process: it starts, says where to look, refuses clearly, stops whoever listens, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.doors.server_process import ServerProcess
from tests.promises.marks import promise
from waypost.client.folders import database_path, run_file_path
from waypost.client.run_file import read_run_file
from waypost.client.transport import Connection, request
from waypost.store.sqlite.lock import StoreLock

ANY_PORT = ("--port", "0")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("home")]


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    with ServerProcess(*ANY_PORT) as process:
        process.ready()
        yield process


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        yield port


@promise("store.runfile.private", "store.runfile.found_by_store", "cli.serve.says_where")
def test_a_server_names_itself_in_a_private_run_file_and_says_where_to_look(server: ServerProcess) -> None:
    run, place = server.ready(), Path(run_file_path(database_path()))
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert (run.pid, run.database, run.host) == (server.process.pid, database_path(), "127.0.0.1")
    assert run.socket is not None
    assert stat.S_IMODE(Path(run.socket).stat().st_mode) == 0o600
    assert server.ask("GET", "/v1/store")[1]["store_id"] == run.store_id
    status, _, said = server.stop()
    assert status == 0
    assert f"http://127.0.0.1:{run.port}/web" in said
    assert database_path() in said
    assert "waypost open" in said
    assert run.key not in said


@promise("store.runfile.stale_ignored")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_well_and_nothing_is_left(server: ServerProcess, number: int) -> None:
    assert server.leftovers() != set()
    assert server.stop(number)[0] == 0
    assert server.leftovers() == set()


def test_open_streams_and_long_polls_do_not_hold_it_up(server: ServerProcess) -> None:
    run = server.ready()
    assert server.ask("PUT", "/v1/projects/default/a", {})[0] == 200
    targets = ["/v1/messages/wait?project=a&timeout_seconds=300", "/web/events", "/v1/messages/wait?project=a"]
    connections = [Connection(run) for _ in targets]
    try:
        for connection, target in zip(connections, targets, strict=True):
            connection._socket.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert server.ask("GET", "/v1/store")[0] == 200
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(30)
    finally:
        for connection in connections:
            connection.close()
    assert server.end()[0] == 0
    assert server.leftovers() == set()


@promise("rights.owner.may")
def test_the_owner_stops_it_by_a_request(server: ServerProcess) -> None:
    status, answer = server.ask("POST", "/v1/server:stop", {})
    assert (status, answer) == (200, {"stopping": True, "pid": server.process.pid})
    assert server.end()[0] == 0


@promise("store.runfile.stale_ignored", "store.commit.durable_before_answer")
def test_after_a_kill_the_next_one_takes_over_with_all_that_was_acknowledged(server: ServerProcess) -> None:
    old = server.ready()
    server.ask("PUT", "/v1/projects/default/a", {})
    sent = server.ask("POST", "/v1/messages", {"from_project": "a", "to_project": "a", "body": "kept"})[1]["message_id"]
    server.process.kill()
    server.process.wait(10)
    assert len(server.leftovers()) == 2
    with ServerProcess(*ANY_PORT) as second:
        new = second.ready()
        assert (new.store_id, new.socket) == (old.store_id, old.socket)
        assert new.key != old.key
        items = second.ask("GET", "/v1/messages?project=a")[1]["items"]
        assert [item["id"] for item in items] == [sent]
        assert second.stop()[0] == 0
    assert ServerProcess.leftovers() == set()


@promise("store.lock.second_server")
def test_a_second_server_on_the_same_store_is_refused_and_told_who_has_it(server: ServerProcess) -> None:
    with ServerProcess(*ANY_PORT) as second:
        status, _, said = second.end()
    assert (status, f"process {server.process.pid}" in said, "store_busy" in said) == (1, True, True)
    assert "waypost status" in said
    assert server.ready().pid == server.process.pid


@promise("store.lock.second_server")
def test_a_store_that_a_command_has_open_is_refused_and_its_run_file_left() -> None:
    lock = StoreLock.acquire(Path(database_path()))
    try:
        with ServerProcess(*ANY_PORT) as process:
            status, _, said = process.end()
    finally:
        lock.release()
    assert (status, "store_busy" in said, f"process {os.getpid()}" in said) == (1, True, True)


@promise("cli.serve.port_in_use")
def test_a_taken_port_is_refused_with_the_way_to_another(taken_port: int) -> None:
    with ServerProcess("--port", str(taken_port)) as process:
        status, _, said = process.end()
    assert (status, str(taken_port) in said, "--port" in said, "another program" in said) == (1, True, True, True)
    assert not Path(database_path()).exists()


@promise("cli.serve.port_in_use")
def test_a_port_that_another_waypost_has_is_said_to_be_so(server: ServerProcess, tmp_path: Path) -> None:
    port = str(server.ready().port)
    with ServerProcess("--port", port, "--database", str(tmp_path / "other.db")) as second:
        status, _, said = second.end()
    assert (status, "another Waypost" in said) == (1, True)


@promise("day_one.server.starts_once")
def test_a_server_that_nobody_watches_takes_a_free_port_and_says_nothing(taken_port: int) -> None:
    environ = {"WAYPOST_AUTOSTART": "1", "WAYPOST_PORT": str(taken_port)}
    with ServerProcess(environ=environ) as process:
        assert process.ready().port not in {0, taken_port}
        assert process.stop() == (0, "", "")


@promise("security.bind.loopback_only")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_a_bind_beyond_loopback_refuses_to_start(host: str) -> None:
    with ServerProcess("--host", host, *ANY_PORT) as process:
        status, _, said = process.end()
    assert (status, "tokens" in said, "invalid_input" in said) == (1, True, True)
    assert not Path(database_path()).exists()


@promise("auth.required.everywhere")
def test_where_tokens_are_required_the_owner_comes_in_and_makes_the_first(home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text("[auth]\nrequired = true\n", encoding="ascii")
    with ServerProcess(*ANY_PORT) as process:
        run = process.ready()
        assert request(run, "GET", "/v1/users:me")[0] == 200
        with closing(HTTPConnection("127.0.0.1", run.port or 0, timeout=20)) as plain:
            plain.request("GET", "/v1/users:me")
            assert plain.getresponse().status == 401


@promise("store.corrupt.clear_error")
def test_a_damaged_store_refuses_to_start_and_is_left_as_it_is() -> None:
    place = Path(database_path())
    place.parent.mkdir(parents=True)
    place.write_bytes(b"this is no database" * 100)
    with ServerProcess(*ANY_PORT) as process:
        status, _, said = process.end()
    assert (status, "store_unavailable" in said, "Traceback" in said) == (1, True, False)
    assert place.read_bytes() == b"this is no database" * 100


@promise("day_one.settings.malformed")
@pytest.mark.parametrize(
    ("line", "named"),
    [("port = 'many'", "server.port"), ("host = 'no such host'", "host"), ("prot = 1", "server.prot")],
)
def test_a_malformed_setting_refuses_to_start_and_is_named(home: Path, line: str, named: str) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(f"[server]\n{line}\n", encoding="ascii")
    with ServerProcess() as process:
        status, _, said = process.end()
    assert (status, "invalid_input" in said, named in said) == (1, True, True)


MODULES = """
import asyncio, json, sys
from pathlib import Path
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import open_waypost
from waypost.server.app import build_app
from waypost.server.context import make_context
from waypost.server.listening import bind_tcp
from waypost.server.process import Process

waypost = open_waypost(Path(sys.argv[1]), Settings())
context = make_context(waypost, Settings())
listener = bind_tcp("127.0.0.1", 0)

async def ask():
    reader, writer = await asyncio.open_connection(*listener.getsockname()[:2])
    writer.write(b"GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
    answer = await reader.read()
    print(json.dumps([answer.decode("latin-1").split()[1], sorted(sys.modules)]))
    while "mcp.server.streamable_http_manager" not in sys.modules:
        await asyncio.sleep(0.01)
    context.request_stop()

tasks = []
app = build_app(context)
Process(context, app, ready=lambda: tasks.append(asyncio.ensure_future(ask()))).run(sockets=[listener])
context.close()
waypost.close()
"""


@promise("start.server.hooks_before_templates")
def test_the_server_is_ready_before_the_mcp_sdk_and_the_templates_are_loaded(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MODULES, str(home / "waypost.db")],
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    status, modules = json.loads(done.stdout)
    assert status == "200"
    assert {name.partition(".")[0] for name in modules} & {"mcp", "jinja2", "prometheus_client"} == set()


def test_the_log_tells_of_start_and_stop_and_holds_no_key(server: ServerProcess, home: Path) -> None:
    run = server.ready()
    server.stop()
    log = (home / "log" / "server.log").read_text(encoding="utf-8")
    assert '"event":"started"' in log
    assert '"event":"stopped"' in log
    assert run.key not in log
    assert read_run_file(run_file_path(database_path())) is None
