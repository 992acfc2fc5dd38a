"""The real command on everything that can go wrong: exit status 0, the client's output or none, and one line in the log."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents.payloads import payload
from tests.doors.bridge_process import SOURCES
from tests.doors.command_line import CommandLine, Result
from tests.promises.marks import promise
from waypost.client.folders import run_file_path, socket_path
from waypost.client.run_file import RunFile, read_run_file, write_run_file

PATIENT = {"WAYPOST_HOOK_BUDGET_MS": "30000", "WAYPOST_HOOK_START_SERVER": "0"}
START = ("claude-code", "SessionStart")
IDENTITY = "this session is S1"
# What a hook prints must not depend on where it is run from nor on the machine's mood.
NOISE = b'{"session_id": "S1", "cwd": "/nowhere", "prompt": "' + bytes(range(0x20)) + b'"}'


def log_lines(line: CommandLine) -> list[str]:
    path = line.home / "log" / "hook.log"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def hook(line: CommandLine, raw: bytes, *words: str, at: str = "here", **variables: str) -> Result:
    return line.finish("hook", *(words or START), given=raw, at=at, variables={**PATIENT, **variables})


def start_of(line: CommandLine, session: str = "S1", **more: Any) -> bytes:
    return json.dumps(payload(*START, session, str(line.folder("here")), **more)).encode()


@pytest.fixture(scope="module")
def served() -> Iterator[CommandLine]:
    """One server for the tests that leave it alone."""
    import tempfile  # noqa: PLC0415 - for this fixture alone

    folder = Path(tempfile.mkdtemp(prefix="wp-"))
    line = CommandLine(folder)
    try:
        line.start()
        yield line
    finally:
        line.stop()
        shutil.rmtree(folder)


@promise("hook.exit.always_zero", "hook.output.exact_shape", "hook.payload.bounded")
@pytest.mark.parametrize(
    ("raw", "speaks"),
    [
        (b"", True),
        (b"garbage \xff\xfe\x00", True),
        (b'{"session_id": "S1", "cwd": ', True),
        (b"[1, 2, 3]", True),
        (b'{"session_id": 5, "cwd": {}, "source": []}', True),
        (b'{"session_id": "' + b"x" * 500 + b'"}', True),
        (b'{"session_id": "..\\u202e\\ud83d", "cwd": "\\u0000"}', True),
        (NOISE, True),
        (b"[" * 200_000, True),
        (b'{"a":' * 50_000, True),
    ],
    ids=[
        "empty",
        "garbage",
        "truncated",
        "array",
        "wrong types",
        "long id",
        "hostile id",
        "controls",
        "deep",
        "deep objects",
    ],
)
def test_bad_input_ends_with_0_and_valid_output(served: CommandLine, raw: bytes, speaks: bool) -> None:
    before = len(log_lines(served))
    result = hook(served, raw)
    assert (result.status, result.err) == (0, "")
    if result.out:
        assert set(json.loads(result.out)) == {"hookSpecificOutput"}
    assert len(log_lines(served)) - before <= 1


@promise("hook.payload.bounded")
@pytest.mark.parametrize("megabytes", [2, 10])
def test_a_payload_of_any_size_is_read_by_its_beginning(served: CommandLine, megabytes: int) -> None:
    raw = start_of(served, f"B{megabytes}", tool_response="x" * megabytes * 1_000_000)
    result = hook(served, raw)
    assert (result.status, result.err) == (0, "")
    assert f"this session is B{megabytes}" in result.out


@promise("hook.payload.bounded")
def test_words_within_a_tools_result_never_pose_as_the_clients_own(served: CommandLine) -> None:
    inner = {"tool_response": {"session_id": "EVIL", "cwd": "/"}, "filler": "x" * 100_000, "session_id": "S9"}
    result = hook(served, json.dumps(inner).encode())
    assert result.status == 0
    assert "EVIL" not in result.out


@promise("hook.exit.always_zero")
@pytest.mark.parametrize(
    "words",
    [
        ("nobody", "SessionStart"),
        ("claude-code", "Nothing"),
        ("claude-code",),
        ("--wrong",),
        ("claude-code", "SessionStart", "more"),
        ("claude-code", "SessionStart", "--database", "ftp://x/y"),
        ("claude-code", "SessionStart", "--database"),
        ("\u202e", "\t"),
    ],
)
def test_bad_arguments_end_with_0_without_output_and_one_log_line(served: CommandLine, words: tuple[str, ...]) -> None:
    before = len(log_lines(served))
    result = hook(served, start_of(served), *words)
    assert (result.status, result.out) == (0, "") if words[-1] != "--database" else result.status == 0
    assert len(log_lines(served)) - before == (0 if words[-1] == "--database" else 1)


@promise("hook.failure.harmless")
@pytest.mark.parametrize("closed", ["stdin", "stdout", "both"])
def test_closed_streams_are_no_failure_of_the_agent(served: CommandLine, closed: str) -> None:
    words = {"stdin": "<&-", "stdout": ">&-", "both": "<&- >&-"}[closed]
    command = f"exec {shlex.quote(sys.executable)} -P -m waypost hook claude-code SessionStart {words}"
    environ = {**served.environ, **PATIENT, "PYTHONPATH": SOURCES}
    done = subprocess.run(
        ["sh", "-c", command],
        check=False,
        input=start_of(served),
        capture_output=True,
        env=environ,
        cwd=served.work,
        timeout=50,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@promise("hook.budget.300ms")
def test_an_input_that_never_ends_is_not_waited_for(served: CommandLine) -> None:
    patient = {"WAYPOST_HOOK_BUDGET_MS": "8000"}
    with served.child("hook", *START, at="here", variables=patient) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(start_of(served, "E1"))
        process.stdin.flush()
        assert process.wait(50) == 0  # while its input is open
        assert b"this session is E1" in process.stdout.read()


@promise("hook.budget.300ms", "hook.failure.harmless")
def test_when_the_time_is_over_the_hook_ends_in_silence_with_one_log_line(shell: CommandLine) -> None:
    with pretender(shell, None), shell.child("hook", *START, at="here", variables={}) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.wait(50) == 0  # of its own, while input and server are silent
        assert process.stdout.read() == b""
    assert len(log_lines(shell)) == 1


@promise("hook.failure.harmless", "hook.store.never_opened")
def test_without_a_server_a_hook_is_silent_and_touches_no_store(shell: CommandLine) -> None:
    for words in (START, ("claude-code", "UserPromptSubmit"), ("codex", "PostToolUse")):
        result = hook(shell, start_of(shell), *words)
        assert (result.status, result.out, result.err) == (0, "", "")
    assert [line.rpartition(": ")[2] for line in log_lines(shell)] == ["No server runs."] * 3
    assert not Path(shell.database).exists()


@promise("hook.start.starts_server")
def test_a_sessions_start_starts_a_server_and_the_news_comes_at_the_next_boundary(shell: CommandLine) -> None:
    try:
        result = hook(shell, start_of(shell), WAYPOST_HOOK_START_SERVER="1")
        assert (result.status, result.out, result.err) == (0, "", "")
        assert "One was started." in log_lines(shell)[0]
        assert shell.finish("project", "list").status == 0  # waits for the store, which only its server has now
        wait_for_server(shell)
        assert IDENTITY in hook(shell, start_of(shell), "claude-code", "UserPromptSubmit").out
    finally:
        shell.run("stop")


def wait_for_server(line: CommandLine) -> None:
    """Waits until the server that was started says where it is."""
    give_up = threading.Event()
    for _ in range(2_000):
        if line.run_file is not None and line.run("status", "--json").answer["server"]:
            return
        give_up.wait(0.02)
    raise AssertionError("no server came")


@promise("hook.start.starts_server")
def test_the_setting_forbids_the_start(shell: CommandLine) -> None:
    (shell.home / "config").mkdir()
    (shell.home / "config" / "config.toml").write_text("[hooks]\nstart_server = false\nbudget_ms = 30000\n")
    result = shell.finish("hook", *START, given=start_of(shell), at="here")
    assert (result.status, result.out) == (0, "")
    assert "started" not in log_lines(shell)[0]
    assert shell.run_file is None


@contextmanager
def pretender(line: CommandLine, answer: bytes | None) -> Iterator[None]:
    """A program where the run file says that the server is: it answers these bytes, or nothing at all."""
    path = socket_path(line.database, line.environ)
    assert path is not None
    place = run_file_path(line.database, line.environ)
    run = RunFile(
        pid=os.getpid(),
        version="0",
        store_id="s" * 32,
        database=line.database,
        socket=path,
        host=None,
        port=None,
        key="k" * 64,
    )
    write_run_file(place, run)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    kept: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            kept.append(connection)
            if answer is not None:
                connection.recv(65_536)
                connection.sendall(answer)
                connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in kept:
            connection.close()
        thread.join(30)
        Path(place).unlink()
        Path(path).unlink()


FOREIGN = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nWaypost-Store: other\r\n\r\nevil"
BROKEN = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\nWaypost-Store: " + b"s" * 32 + b"\r\n\r\nhalf"
REFUSING = b"HTTP/1.1 503 No\r\nContent-Length: 2\r\nWaypost-Store: " + b"s" * 32 + b"\r\n\r\n{}"


@promise("hook.failure.harmless", "hook.budget.300ms")
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "in time"),
        (FOREIGN, "not the server"),
        (BROKEN, "closed the connection"),
        (REFUSING, "answered 503"),
        (b"SSH-2.0-x\r\n", "HTTP"),
    ],
    ids=["hung", "foreign", "dies", "refuses", "no http"],
)
def test_a_server_that_is_none_makes_silence_and_one_log_line(
    shell: CommandLine, answer: bytes | None, words: str
) -> None:
    budget = {} if answer is not None else {"WAYPOST_HOOK_BUDGET_MS": "1000"}
    with pretender(shell, answer):
        result = hook(shell, start_of(shell), **budget)
    assert (result.status, result.out, result.err) == (0, "", "")
    (line,) = log_lines(shell)
    assert words in line


@promise("hook.failure.harmless")
def test_folders_that_are_missing_or_read_only_are_no_failure(shell: CommandLine) -> None:
    result = hook(shell, start_of(shell), WAYPOST_HOME="/dev/null/nowhere", WAYPOST_HOOK_START_SERVER="1")
    assert (result.status, result.out, result.err) == (0, "", "")
    gone = shell.folder("gone")
    command = f"rmdir {shlex.quote(str(gone))}; exec {shlex.quote(sys.executable)} -P -m waypost hook claude-code SessionStart"
    environ = {**shell.environ, **PATIENT, "PYTHONPATH": SOURCES}
    done = subprocess.run(
        ["sh", "-c", command], check=False, input=b"{}", capture_output=True, env=environ, cwd=gone, timeout=50
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@promise("hook.failure.harmless")
@pytest.mark.parametrize("content", [b"\xff\x00", b"database = [", b'[hooks]\nbudget_ms = "x"\n', b"[hooks\n"])
def test_an_unreadable_configuration_is_no_failure(shell: CommandLine, content: bytes) -> None:
    (shell.home / "config").mkdir()
    (shell.home / "config" / "config.toml").write_bytes(content)
    result = shell.finish(
        "hook", *START, given=start_of(shell), at="here", variables={"WAYPOST_HOOK_START_SERVER": "0"}
    )
    assert (result.status, result.out, result.err) == (0, "", "")
    assert len(log_lines(shell)) == 1


@promise("hook.failure.harmless", "hook.exit.always_zero")
@pytest.mark.parametrize("left", ["nothing", "a broken script"])
def test_a_removed_package_is_no_failure_because_of_how_the_line_ends(tmp_path: Path, left: str) -> None:
    script = tmp_path / "waypost"
    if left != "nothing":
        script.write_text(f"#!{sys.executable} -I\nimport waypost_that_was_removed\n")
        script.chmod(0o755)
    line = f"{shlex.quote(str(script))} hook claude-code UserPromptSubmit || true"
    done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, timeout=50, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@promise("hook.output.exact_shape", "hook.start.registers")
def test_through_the_real_server_what_was_printed_is_noted(served: CommandLine) -> None:
    assert "this session is P1" in hook(served, start_of(served, "P1", source="startup")).out
    assert hook(served, start_of(served, "P1"), "claude-code", "UserPromptSubmit").out == ""
    assert read_run_file(run_file_path(served.database, served.environ)) is not None
