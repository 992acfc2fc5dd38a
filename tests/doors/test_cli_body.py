"""Where a body comes from, and what is said about it."""

from __future__ import annotations

from tests.doors.command_line import CommandLine
from tests.promises.marks import promise

LONG = "word " * 300


def _body(line: CommandLine, project: str, message: str) -> str:
    return str(line.json("message", "view", "--id", message, at=project)["message"]["body"])


@promise("cli.message.body_sources")
def test_a_body_comes_from_argument_file_or_standard_input(shell: CommandLine) -> None:
    web = shell.project("web")
    text = "zwölf `boxes` $(and) no shell\n"
    file = shell.work / "body.txt"
    file.write_text(text, encoding="utf-8")
    raw = text.encode("utf-8")
    ways: list[tuple[tuple[str, ...], bytes]] = [
        ((text,), b""),
        (("--body-file", str(file)), b""),
        (("--stdin",), raw),
        ((), raw),
    ]
    for given, stdin in ways:
        sent = shell.json("message", "send", "--repeat", *given, at=web, stdin=stdin)
        assert _body(shell, web, sent["message_id"]) == text


@promise("cli.message.body_sources")
def test_no_body_and_two_bodies_are_bad_usage(shell: CommandLine) -> None:
    for given in ((), ("one", "--stdin"), ("one", "--body-file", "x"), ("--stdin", "--body-file", "x")):
        refused = shell.run("message", "send", *given)
        assert refused.status == 2, given
        assert "body" in refused.err


@promise("cli.message.body_sources")
def test_an_argument_leaves_standard_input_alone(shell: CommandLine) -> None:
    web = shell.project("web")
    sent = shell.json("message", "send", "from the argument", at=web, stdin=b"from the pipe")
    assert _body(shell, web, sent["message_id"]) == "from the argument"


@promise("cli.message.long_argument_warned")
def test_a_long_argument_is_accepted_with_a_warning(shell: CommandLine) -> None:
    web = shell.project("web")
    sent = shell.run("message", "send", "--json", LONG, at=web)
    assert sent.status == 0
    assert sent.err.startswith("warning: ")
    assert "--body-file" in sent.err
    assert _body(shell, web, sent.answer["message_id"]) == LONG


def test_a_short_argument_and_a_long_file_are_not_warned_about(shell: CommandLine) -> None:
    web = shell.project("web")
    assert shell.run("message", "send", "short", at=web).err == ""
    assert shell.run("message", "send", "--stdin", at=web, stdin=LONG.encode()).err == ""
    assert shell.run("message", "send", "--quiet", "--repeat", LONG, at=web).err == ""


def test_over_long_and_broken_text_is_cut_or_repaired_only_on_demand(shell: CommandLine) -> None:
    web = shell.project("web")
    cut = shell.json("message", "send", "--truncate", "--stdin", at=web, stdin=b"x" * 9_000)
    assert (cut["truncated"], cut["original_length"]) == (True, 9_000)
    repaired = shell.json("message", "send", "--repair", "--stdin", at=web, stdin=b"a\0b")
    assert "\0" not in _body(shell, web, repaired["message_id"])


def test_a_secret_is_removed_and_the_sender_is_told(shell: CommandLine) -> None:
    sent = shell.run("message", "send", "the key is AKIA" + "Z7QX2M4TR9WK3PBD", at=shell.project("web"))
    assert "1 secret(s) were removed" in sent.out


def test_a_body_that_begins_with_a_dash_is_told_where_it_goes(shell: CommandLine) -> None:
    web = shell.project("web")
    refused = shell.run("message", "send", "- one point", at=web)
    assert (refused.status, "after `--`" in refused.err) == (2, True)
    sent = shell.json("message", "send", at=web, stdin=b"- one point")
    assert _body(shell, web, sent["message_id"]) == "- one point"
