"""`waypost changes`: a page, a consumer that commits what was written out, and following through restarts of the server."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.doors.command_line import WAIT_SECONDS, CommandLine
from tests.promises.marks import promise


@pytest.fixture(params=["without a server", "through a server"])
def either(shell: CommandLine, request: pytest.FixtureRequest) -> Iterator[CommandLine]:
    """The command line in both its ways."""
    if request.param == "without a server":
        yield shell
        return
    with shell.serving():
        yield shell


@contextmanager
def following(shell: CommandLine, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command that follows, ended with the block."""
    with shell.child("changes", "--follow", "--json", *arguments, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def next_change(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The next line that it shows; waits for it."""
    assert process.stdout is not None
    change: dict[str, Any] = json.loads(process.stdout.readline())
    return change


@promise("cli.changes.follow")
def test_a_page_is_shown_for_people_and_as_one_object(either: CommandLine) -> None:
    a, b = either.project(), either.project()
    sent = either.send(a, b)
    page = either.json("changes")
    assert [item["kind"] for item in page["items"]] == ["project.added", "project.added", "message.sent"]
    shown = either.run("changes", "--limit", "2")
    assert shown.out.splitlines()[-1] == "There are more: --after 1.2"
    line = either.run("changes", "--after", "1.2").out
    assert all(word in line for word in ("message.sent", sent, f"default/{b}, default/{a}", "by cli", "1.3"))
    assert either.run("changes", "--after", "now").out == "Nothing changed since.\n"
    assert [item["cursor"] for item in either.json("changes", "--project", a)["items"]] == ["1.1", "1.3"]
    assert either.run("changes", "--after", "never").code == "invalid_input"


@promise("cli.changes.follow", "feed.consumer.durable")
def test_a_consumer_goes_on_where_it_stopped(either: CommandLine) -> None:
    a, b = either.project(), either.project()
    first = either.json("changes", "--consumer", "copier", "--limit", "1")
    assert [item["cursor"] for item in first["items"]] == ["1.1"]
    either.send(a, b)
    second = either.json("changes", "--consumer", "copier")
    assert [item["cursor"] for item in second["items"]] == ["1.2", "1.3"]
    assert either.json("changes", "--consumer", "copier")["items"] == []
    assert either.run("changes", "--consumer", "copier", "--after", "1.1").code == "conflict"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@promise("cli.changes.follow")
def test_what_could_not_be_written_out_is_not_committed(shell: CommandLine) -> None:
    shell.project()
    for more in ([], ["--follow"]):
        with Path("/dev/full").open("wb") as full:
            ended = shell.finish("changes", "--consumer", "copier", *more, stdout=full)
        assert ended.status == 1
        assert "could not be written" in ended.err
    assert [item["cursor"] for item in shell.json("changes", "--consumer", "copier")["items"]] == ["1.1"]


@promise("cli.changes.follow", "cli.exit.codes")
def test_following_shows_each_change_once_over_a_death_of_the_server_and_ends_with_130(shell: CommandLine) -> None:
    a, b = shell.project(), shell.project()
    shell.start()
    with following(shell, "--consumer", "copier") as process:
        assert [next_change(process)["cursor"] for _ in range(2)] == ["1.1", "1.2"]
        for death in (signal.SIGKILL, signal.SIGTERM):
            sent = [shell.send(a, b), shell.send(a, b)]
            assert [next_change(process)["id"] for _ in sent] == sent
            shell.stop(death)
            shell.start()
        last = shell.send(a, b)
        assert next_change(process)["id"] == last
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_SECONDS) == 130
        assert process.stdout is not None
        assert process.stdout.read() == b""
    shell.stop()


@promise("cli.changes.follow")
def test_following_without_a_server_begins_now_and_sees_what_other_commands_do(shell: CommandLine) -> None:
    a, b = shell.project(), shell.project()
    with following(shell, "--after", "1.1") as process:
        assert next_change(process)["cursor"] == "1.2"
        sent = shell.send(a, b)
        assert next_change(process)["id"] == sent


def test_following_tells_a_gap_on_a_line_of_its_own(shell: CommandLine) -> None:
    shell.project()
    copy = shell.home / "copy.db"
    shell.json("backup", str(copy))
    assert shell.run("restore", str(copy), "--json").status == 0
    with following(shell, "--after", "1.1") as process:
        gap = next_change(process)["gap"]
        assert (gap["reason"], gap["from"], gap["resumes_at"]) == ("epoch", "1.1", "2.0")
        assert next_change(process)["cursor"] == "2.1"
    assert "gap: the store was restored since 1.1" in shell.run("changes", "--after", "1.1").out
