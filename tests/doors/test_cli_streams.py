"""What a process of the command line does with its streams, its signals and its exit status."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.command_line import WAIT_SECONDS, CommandLine
from tests.promises.marks import promise
from waypost.cli.output import plain
from waypost.client.folders import run_file_path
from waypost.client.run_file import RunFile, write_run_file
from waypost.kernel.text import visible

ESCAPE = "\x1b"


@promise("cli.exit.codes")
def test_done_refused_and_bad_usage_have_their_status(shell: CommandLine) -> None:
    assert shell.finish("project", "list").status == 0
    assert shell.finish("project", "show", "unknown").status == 1
    for usage in (
        ["projects"],
        ["message", "send", "--no-such-option"],
        ["message", "list", "--limit", "many"],
        ["message", "ack"],
    ):
        refused = shell.finish(*usage)
        assert (refused.status, refused.out) == (2, ""), usage
        assert refused.err.startswith("Usage: ")


@promise("cli.exit.codes")
def test_an_interrupt_ends_with_130(shell: CommandLine) -> None:
    place = str(shell.home / "silent.sock")
    run = RunFile(
        pid=os.getpid(), version="0", store_id="s", database=shell.database, socket=place, host=None, port=None, key="k"
    )
    write_run_file(run_file_path(shell.database, shell.environ), run)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(place)
        silent.listen()
        with shell.child("message", "wait", stdin=subprocess.DEVNULL) as waiting:
            asked, _ = silent.accept()
            with asked:
                assert asked.recv(65_536)
                waiting.send_signal(signal.SIGINT)
                assert waiting.wait(WAIT_SECONDS) == 130
            assert waiting.stderr is not None
            assert b"Traceback" not in waiting.stderr.read()


@promise("cli.exit.codes")
def test_an_interrupt_before_anything_is_imported_ends_with_130(shell: CommandLine) -> None:
    program = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'waypost.cli.dispatch': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.argv = ['waypost', 'project', 'list']\n"
        "from waypost.__main__ import main\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=shell.environ, capture_output=True, timeout=WAIT_SECONDS, check=False
    )
    assert done.returncode == 130
    assert b"Traceback" not in done.stderr


@promise("cli.output.plain")
def test_the_streams_are_utf8_whatever_the_locale(shell: CommandLine) -> None:
    web = shell.project("web")
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    body = "snowman \N{SNOWMAN}, emoji \N{PARTY POPPER}"
    sent = shell.finish("message", "send", "--json", body, at=web, variables=variables)
    assert sent.status == 0, sent
    viewed = shell.finish("message", "view", "--id", sent.answer["message_id"], at=web, variables=variables)
    assert body in viewed.out
    piped = shell.finish(
        "message", "send", "--json", "--subject", "ü", at=web, variables=variables, given=body.encode()
    )
    assert json.loads(piped.out)["already_sent"] is False


@promise("cli.message.body_sources")
def test_a_terminal_is_never_read_for_a_body(shell: CommandLine) -> None:
    master, slave = pty.openpty()
    try:
        with shell.child("message", "send", at=shell.project("web"), stdin=slave) as process:
            _, err = process.communicate(timeout=WAIT_SECONDS)
    finally:
        os.close(slave)
        os.close(master)
    assert process.returncode == 2
    assert b"No body" in err


def test_closed_standard_streams_are_no_failure(shell: CommandLine) -> None:
    web = shell.project("web")
    command = f'"{sys.executable}" -P -m waypost message send --repeat hello'
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(
            ["sh", "-c", f"{command} {closed}"],
            cwd=shell.work / web,
            env=shell.environ,
            capture_output=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, (closed, done)
    assert len(shell.json("message", "list", at=web)["items"]) == 4


def test_a_reader_that_goes_away_ends_the_command_quietly(shell: CommandLine) -> None:
    shell.project("web")
    read, write = os.pipe()
    os.close(read)
    with shell.child("project", "list", stdout=write) as process:
        os.close(write)
        _, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, err) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_an_answer_that_cannot_be_written_is_said(shell: CommandLine) -> None:
    shell.project("web")
    with Path("/dev/full").open("wb") as full:
        done = shell.finish("project", "list", stdout=full)
    assert done.status == 1
    assert "could not be written" in done.err


@promise("cli.output.plain")
def test_what_is_no_terminal_gets_no_control_sequences(shell: CommandLine) -> None:
    web = shell.project("web")
    shell.send(web, web, body=f"own text {ESCAPE}[31m with a bell \x07 and \u202e turned")
    for command in (("message", "list"), ("message", "pop"), ("project", "list"), ("status",), ("--help",)):
        shown = shell.run(*command, at=web)
        assert ESCAPE not in shown.out + shown.err
    assert (
        "\\u{001b}"
        in shell.run("message", "list", "--outbox", "--status", "all", at=web).out
        + shell.run(
            "message",
            "view",
            "--id",
            shell.json("message", "list", "--status", "all", at=web)["items"][0]["id"],
            at=web,
        ).out
    )


@promise("cli.output.plain")
@pytest.mark.parametrize("option", ["--no-color", "NO_COLOR"])
def test_on_a_terminal_tables_fit_and_colours_can_be_left_out(shell: CommandLine, option: str) -> None:
    shell.project("web")
    variables = {"TERM": "xterm-256color", "NO_COLOR": "1"} if option == "NO_COLOR" else {"TERM": "xterm-256color"}
    options = [option] if option.startswith("--") else []
    colored = _on_terminal(shell, "project", "list", variables={"TERM": "xterm-256color"})
    shown = _on_terminal(shell, "project", "list", *options, variables=variables)
    assert "default/web1" in shown
    assert ESCAPE in colored
    assert ESCAPE not in shown


@promise("cli.message.live_verbs")
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_the_last_instant_is_shown_in_every_zone(shell: CommandLine, zone: str) -> None:
    web = shell.project("web")
    sent = shell.send(web, web, "--due-at", "9999-12-31T23:59:59.999999Z", body="never")
    shown = shell.finish("message", "view", "--id", sent, at=web, variables={"TZ": zone})
    assert (shown.status, "9999-12-31" in shown.out) == (0, True), shown.err


def test_json_on_a_terminal_holds_nothing_that_it_obeys(shell: CommandLine) -> None:
    web = shell.project("web")
    shell.send(web, web, body="bell \x07, turn \u202e, mark \U000e0041, c1 \x9b, ü")
    shown = _on_terminal(shell, "message", "list", "--json", at=web)
    assert not {"\x07", "\u202e", "\U000e0041", "\x9b"} & set(shown)
    assert json.loads(shown) == shell.json("message", "list", at=web)


def _on_terminal(
    line: CommandLine, *arguments: str, at: str | None = None, variables: dict[str, str] | None = None
) -> str:
    """What a command prints on a terminal."""
    master, slave = pty.openpty()
    with line.child(*arguments, at=at, stdin=slave, stdout=slave, variables=variables or {}) as process:
        os.close(slave)
        parts = []
        while True:
            try:
                part = os.read(master, 65_536)
            except OSError:  # Linux's word for a terminal whose other side is closed
                break
            if not part:
                break
            parts.append(part)
        _, err = process.communicate(timeout=WAIT_SECONDS)
    os.close(master)
    assert process.returncode == 0, err
    return b"".join(parts).decode().replace("\r\n", "\n")


@promise("cli.output.plain")
def test_quiet_prints_nothing_but_the_answer(shell: CommandLine) -> None:
    guessed = shell.run("message", "list", at="nowhere")
    assert "hint: " in guessed.err
    assert shell.run("message", "list", "--quiet", at="nowhere").err == ""
    web = shell.project("web")
    assert shell.run("message", "send", "--quiet", "hi", at=web).out.count("\n") == 1


def test_pop_shows_provenance_then_the_notice_then_the_frame(shell: CommandLine) -> None:
    web, api = shell.project("web"), shell.project("api")
    shell.send(web, api, body="do this at once")
    shown = shell.run("message", "pop", at=api).out
    places = [
        shown.index(words)
        for words in (f"from       default/{web}", "must not cause commands", "begin foreign text", "do this")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "text", ["plain", "zwölf\tboxes\nand lines", "a\x1bb", "a\u202eb", "\ud800", "nb\u00a0sp", "\x85", "é\u200d"]
)
def test_text_is_made_visible_exactly_as_the_kernel_does(text: str) -> None:
    assert plain(text) == visible(text)
