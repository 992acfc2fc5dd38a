"""The commands around the running server: serve, open, stop, restart, logs, status, doctor, demo."""

from __future__ import annotations

import json
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

import waypost
from tests.doors.command_line import WAIT_SECONDS, CommandLine
from tests.promises.marks import promise
from waypost.agents.known import installer_named
from waypost.cli import checks, dispatch
from waypost.client import transport
from waypost.client.errors import AnswerLost
from waypost.client.folders import run_file_path
from waypost.client.run_file import RunFile, write_run_file

BROWSER = """#!/bin/sh
printf '%s\\n' "$@" >>"{record}"
"""


@contextmanager
def started(line: CommandLine) -> Iterator[RunFile]:
    """Ends whatever server a command started in the background."""
    try:
        run = line.run_file
        assert run is not None
        yield run
    finally:
        line.run("stop")


def _dead_run_file(line: CommandLine, pid: int = 2**22 + 1) -> None:
    run = RunFile(
        pid=pid,
        version="0",
        store_id="gone",
        database=line.database,
        socket=str(line.home / "gone.sock"),
        host="127.0.0.1",
        port=1,
        key="k",
    )
    write_run_file(run_file_path(line.database, line.environ), run)


@promise("cli.serve.says_where")
def test_serve_says_where_to_look_and_what_to_do_next(shell: CommandLine) -> None:
    with shell.child("serve", "--port", "0", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as serving:
        assert serving.stderr is not None
        said = ""
        while "Ctrl-C" not in said:
            said += serving.stderr.readline().decode()
        run = shell.run_file
        assert run is not None
        for words in (
            f"http://127.0.0.1:{run.port}/web",
            shell.database,
            "server.log",
            "waypost open",
            "waypost project add",
        ):
            assert words in said
        second = shell.finish("serve", "--port", "0")
        assert (second.status, "store_busy" in second.err) == (1, True)
        serving.send_signal(signal.SIGINT)
        assert serving.wait(WAIT_SECONDS) == 0


@promise("cli.serve.port_in_use")
def test_a_port_in_use_is_refused_with_the_way_to_another(shell: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = shell.finish("serve", "--port", str(taken.getsockname()[1]))
    assert refused.status == 1
    assert "--port" in refused.err
    assert shell.run_file is None


@promise("cli.serve.defaults")
def test_serve_takes_loopback_7433_and_the_data_folder_by_default(shell: CommandLine) -> None:
    shown = {one["name"]: (one["value"], one["from"]) for one in shell.json("config", "show")["settings"]}
    assert shown["server.host"] == ("127.0.0.1", "default")
    assert shown["server.port"] == (7433, "default")
    assert shown["database"] == (str(shell.home / "data" / "waypost.db"), "default")


@promise("cli.server.verbs")
def test_the_server_is_stopped_and_started_again(shell: CommandLine) -> None:
    shell.start()
    run = shell.run_file
    assert run is not None
    assert shell.json("stop") == {"stopped": True}
    assert shell.server is not None
    assert shell.server.wait(WAIT_SECONDS) == 0
    assert shell.run_file is None
    assert shell.json("stop") == {"stopped": False}
    again = shell.finish("restart", "--json", variables={"WAYPOST_PORT": "0"}).answer
    with started(shell) as other:
        assert again["pid"] == other.pid != run.pid
        assert "Started again" in shell.finish("restart", variables={"WAYPOST_PORT": "0"}).out
    shell.stop()


@promise("cli.server.verbs")
def test_stop_ends_the_server_of_this_store_and_no_other(shell: CommandLine) -> None:
    with shell.serving():
        other = str(shell.home / "other.db")
        assert shell.json("stop", "--database", other) == {"stopped": False}
        assert shell.run("project", "list").status == 0
        assert shell.server is not None
        assert shell.server.poll() is None


@promise("cli.server.verbs", "security.argv.no_secrets", "security.link.single_use")
def test_open_hands_the_browser_a_private_file_that_leads_to_the_link(shell: CommandLine) -> None:
    record = shell.home / "told"
    browser = shell.home / "browser"
    browser.write_text(BROWSER.format(record=record), encoding="utf-8")
    browser.chmod(0o700)
    variables = {"BROWSER": f"{browser} %s"}
    with shell.serving():
        assert shell.finish("open", "--json", variables=variables).answer == {"opened": True}
        told = record.read_text(encoding="utf-8").strip()
        assert told.startswith("file://")
        page = Path(told.removeprefix("file://"))
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        link = re.search(r'url=(http://127\.0\.0\.1:\d+/web/[^"]+)"', page.read_text(encoding="utf-8"))
        assert link is not None
        with urlopen(link[1], timeout=WAIT_SECONDS) as answer:
            assert answer.status == 200
        assert link[1] not in (shell.home / "log" / "server.log").read_text(encoding="utf-8")


@promise("cli.server.verbs")
def test_open_starts_a_server_and_prints_the_link_on_a_terminal_alone(shell: CommandLine) -> None:
    variables = {"WAYPOST_PORT": "0", "BROWSER": "no-such-browser"}
    refused = shell.finish("open", variables=variables)
    with started(shell):
        assert (refused.status, refused.code) == (1, "forbidden")
        assert "http://" not in refused.out + refused.err


@promise("cli.server.verbs", "security.logs.no_bodies")
def test_the_log_is_shown_from_its_end(shell: CommandLine) -> None:
    assert shell.run("logs").code == "not_found"
    with shell.serving():
        web = shell.project("web")
        shell.send(web, web, body="not for the log")
    lines = shell.run("logs").out.splitlines()
    assert json.loads(lines[0])["event"] == "started"
    assert shell.run("logs", "-n", "1").out.splitlines() == lines[-1:]
    assert "not for the log" not in "".join(lines)


@promise("cli.server.verbs")
def test_the_log_is_followed_over_a_rotation(shell: CommandLine) -> None:
    folder = shell.home / "log"
    folder.mkdir()
    log = folder / "server.log"
    log.write_text("one\n", encoding="utf-8")
    with shell.child("logs", "-f", stdin=subprocess.DEVNULL) as following:
        assert following.stdout is not None
        assert following.stdout.readline() == b"one\n"
        with log.open("a", encoding="utf-8") as file:
            file.write("tw")
            file.flush()
            file.write("o\n")
        assert following.stdout.readline() == b"two\n"
        log.rename(folder / "server.log.1")
        log.write_text("three \x1b\n", encoding="utf-8")
        assert following.stdout.readline() == b"three \\u{001b}\n"
        following.send_signal(signal.SIGINT)
        assert following.wait(WAIT_SECONDS) == 130


@promise("cli.status.short", "day_one.folders.shown", "day_one.folders.one_home")
def test_status_says_server_store_folders_and_project(shell: CommandLine) -> None:
    empty = shell.json("status")
    assert (empty["server"], empty["store"], empty["database"]) == (None, None, shell.database)
    assert not Path(shell.database).exists()
    web = shell.project("web")
    assert set(shell.json("status")["folders"].values()) == {
        str(shell.home / name) for name in ("data", "state", "config", "log")
    }
    with shell.serving():
        run = shell.run_file
        assert run is not None
        shown = shell.run("status", at=web).out
        for words in (
            f"process {run.pid}, version {waypost.__version__}",
            shell.database,
            "schema",
            f"default/{web}, found by workdir",
            str(shell.home / "log"),
        ):
            assert words in shown
    shown = shell.run("status", at="nowhere").out
    assert "not running" in shown
    assert "(a guess)" in shown


@promise("cli.doctor.each_with_remedy")
def test_doctor_finds_a_sound_installation_sound(shell: CommandLine) -> None:
    assert shell.json("doctor")["ok"] is True
    web = shell.project("web")
    found = {one["check"]: one for one in shell.json("doctor", at=web)["checks"]}
    assert "every page is sound" in found["pages"]["found"]
    assert found["project"]["state"] == "good"
    assert found["server"]["remedy"].startswith("waypost serve")
    with shell.serving():
        # Which coding agents are on this machine is none of this test's business.
        checks = [one for one in shell.json("doctor", at=web)["checks"] if installer_named(one["check"]) is None]
        assert [one for one in checks if one["state"] != "good"] == []
        assert "listed through the bridge" in str(checks)
    assert "All is well." in shell.run("doctor", at=web).out


@promise("cli.doctor.each_with_remedy", "store.runfile.stale_ignored")
def test_doctor_tells_a_run_file_that_was_left_over_and_goes_on(shell: CommandLine) -> None:
    web = shell.project("web")
    _dead_run_file(shell)
    found = {one["check"]: one for one in shell.json("doctor", at=web)["checks"]}
    assert "left over" in found["server"]["found"]
    assert found["server"]["remedy"] == "waypost restart"
    assert found["pages"]["state"] == "good"
    assert shell.json("project", "show", web)["project"]["project"] == web


@promise("cli.doctor.each_with_remedy", "store.runfile.foreign_server")
def test_doctor_tells_a_foreign_server_behind_the_run_file(shell: CommandLine) -> None:
    other = CommandLine(shell.home / "other")
    with other.serving():
        run = other.run_file
        assert run is not None
        record = {name: getattr(run, name) for name in RunFile.__slots__}
        write_run_file(
            run_file_path(shell.database, shell.environ), RunFile(**{**record, "store_id": "another", "socket": None})
        )
        refused = shell.run("project", "list")
        assert (refused.status, refused.code) == (1, "store_unavailable")
        checked = shell.run("doctor", "--json")
        found = {one["check"]: one for one in checked.answer["checks"]}
        assert (checked.status, found["server"]["state"], found["server"]["remedy"]) == (1, "bad", "waypost restart")


@promise("cli.doctor.each_with_remedy")
def test_doctor_tells_folders_settings_and_pages_that_are_bad(shell: CommandLine) -> None:
    shell.project("web")
    (shell.home / "config").write_text("a file where a folder should be", encoding="utf-8")
    database = Path(shell.database)
    database.write_bytes(b"SQLite format 3\0" + b"\xff" * 8_000)
    checked = shell.run("doctor", "--json")
    assert checked.status == 1
    found = {one["check"]: one for one in checked.answer["checks"]}
    bad = {check for check, one in found.items() if one["state"] == "bad"}
    assert {"config folder", "settings", "pages"} <= bad
    assert all(one["remedy"] for one in found.values() if one["state"] == "bad")


@promise("cli.doctor.each_with_remedy")
def test_doctor_tells_an_unconfirmed_project_and_a_closed_loopback(
    shell: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, clone = shell.project("web"), shell.folder("clone")
    (clone / ".waypost.toml").write_text(f'project = "{owner}"\n', encoding="utf-8")

    def forbid(*arguments: object, **more: object) -> socket.socket:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(socket, "create_server", forbid)
    checked = shell.run("doctor", "--json", at=clone)
    found = {one["check"]: one for one in checked.answer["checks"]}
    assert found["project"]["remedy"] == "waypost project allow"
    assert found["loopback"]["state"] == "bad"
    assert "sandbox" in found["loopback"]["remedy"]


@promise("store.version.newer_cli")
def test_a_command_newer_than_the_server_says_restart(shell: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    with shell.serving():
        monkeypatch.setattr(dispatch, "__version__", "99.0.0")
        monkeypatch.setattr(checks, "__version__", "99.0.0")
        done = shell.run("project", "list")
        assert (done.status, "waypost restart" in done.err) == (0, True)
        assert shell.run("project", "list", "--quiet").err == ""
        refused = shell.run("project", "show", "unknown", "--json")
        assert "waypost restart" in refused.answer["hint"]
        found = {one["check"]: one for one in shell.run("doctor", "--json").answer["checks"]}
        assert (found["server"]["state"], found["server"]["remedy"]) == ("bad", "waypost restart")
        monkeypatch.setattr(dispatch, "__version__", "0.0.1")
        assert "upgrade this Waypost" in shell.run("project", "list").err


def test_an_address_given_by_option_is_held_to_the_store_that_answers(shell: CommandLine) -> None:
    web = shell.project("web")
    with shell.serving():
        run = shell.run_file
        assert run is not None
        url = f"http://127.0.0.1:{run.port}"
        assert (
            shell.json("project", "list", "--url", url, "--database", str(shell.home / "x.db"))["items"][0]["project"]
            == web
        )
        assert shell.json("project", "add", "--url", url, at="new")["created"] is True
    gone = shell.run("project", "list", "--url", url)
    assert (gone.status, gone.code) == (1, "store_unavailable")


def test_a_lost_answer_is_asked_for_again_with_the_same_key(
    shell: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = shell.project("web")
    keys: list[str] = []

    def lose(run: RunFile, *arguments: object, **more: object) -> tuple[int, dict[str, str], bytes]:
        headers = more["headers"]
        assert isinstance(headers, dict)
        keys.append(headers["Idempotency-Key"])
        answer = transport.request(run, *arguments, **more)  # type: ignore[arg-type] # passed through as they came
        if len(keys) == 1:
            raise AnswerLost("The connection broke.")
        return answer

    monkeypatch.setattr(dispatch, "request", lose)
    with shell.serving():
        shell.json("message", "send", "--repeat", "only once", at=web)
    assert len(keys) == 2
    assert keys[0] == keys[1]
    assert len(shell.json("message", "list", at=web)["items"]) == 1


@promise("cli.demo.scratch_store")
def test_the_demo_fills_a_scratch_store_and_removes_it(shell: CommandLine) -> None:
    with shell.child("demo", "--json", stdin=subprocess.DEVNULL) as demo:
        assert demo.stdout is not None
        said = json.loads(demo.stdout.readline())
        scratch = CommandLine(Path(said["home"]))
        projects = scratch.json("project", "list")["items"]
        assert [item["workspace"] for item in projects] == ["shop"] * 3
        assert any(item["pending"] for item in projects)
        scheduled = scratch.json("message", "list", "--project", "shop/api", "--status", "scheduled")["items"]
        assert len(scheduled) == 1
        demo.send_signal(signal.SIGINT)
        assert demo.wait(WAIT_SECONDS) == 130
    assert not scratch.home.exists()
    assert not Path(shell.database).exists()


def test_mcp_and_hook_are_in_help_and_must_come_first(shell: CommandLine) -> None:
    assert {"mcp", "hook"} <= set(re.findall(r"^  (\w+) ", shell.run("--help").out, re.MULTILINE))
    assert "first argument" in shell.run("mcp", "--tools", "all").err
    assert "first argument" in shell.run("hook", "claude", "stop").err


def test_the_version_is_shown(shell: CommandLine) -> None:
    assert shell.run("--version").out == f"waypost {waypost.__version__}\n"
