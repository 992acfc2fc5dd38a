"""Tokens at the command line: made by the owner, kept by `login` for its owner alone, used for their place only."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.doors.command_line import CommandLine
from tests.promises.marks import promise
from waypost.identity.token_text import TokenKind, make_token


def operator(line: CommandLine) -> str:
    """A new operator's token, made as the owner."""
    return str(line.json("token", "create", "--operator", "--yes")["secret"])


def log_in(line: CommandLine, token: str, *more: str) -> None:
    """Keeps a token, given on standard input."""
    done = line.run("login", *more, stdin=token.encode())
    assert done.status == 0, done
    assert token not in done.out + done.err


@pytest.fixture(params=["alone", "served"])
def line(shell: CommandLine, request: pytest.FixtureRequest) -> CommandLine:
    """The command line over a fresh home, without a server and with one."""
    if request.param == "served":
        shell.start()
    return shell


@promise("rights.operator.token", "cli.admin.users_tokens_grants")
def test_the_owner_makes_an_operator_who_administers_with_the_option_only(line: CommandLine) -> None:
    line.json("project", "add", str(line.folder("web")), "--project", "web")
    assert line.run("user", "add", "wendy").code == "forbidden"
    refused = line.run("user", "add", "wendy", "--as-operator")
    assert refused.code == "forbidden"
    assert "waypost login" in refused.err
    log_in(line, operator(line))
    assert line.run("user", "add", "wendy").code == "forbidden"
    assert line.json("user", "add", "wendy", "--as-operator")["created"] is True
    granted = line.json("grant", "set", "wendy", "web", "read,write", "--as-operator")
    assert granted["grant"]["rights"] == ["read", "write"]
    made = line.json(
        "token", "create", "--agent", "--user", "wendy", "--project", "web", "--only", "web=read", "--as-operator"
    )
    assert (made["token"]["kind"], made["token"]["project"]) == ("agent", "web")
    assert len(line.json("token", "list", "--as-operator")["items"]) == 2
    assert line.json("token", "revoke", made["token"]["id"], "--as-operator")["token"]["revoked_at"]
    assert line.json("grant", "list", "--as-operator")["items"][0]["user"] == "wendy"
    assert line.json("user", "show", "wendy", "--as-operator")["grants"][0]["project"] == "web"
    assert line.json("grant", "remove", "wendy", "web", "--as-operator")["grant"]["rights"] == []
    assert line.json("user", "remove", "wendy", "--as-operator")["version"] == 2
    assert line.json("user", "me", "--as-operator")["credential"] == "operator"
    assert line.json("user", "me")["rights"] == "owner"
    assert line.json("logout")["forgotten"] == 1
    assert line.run("user", "list", "--as-operator").code == "forbidden"


@promise("rights.operator.token")
def test_an_operators_token_is_asked_for_on_a_terminal_or_takes_yes(shell: CommandLine) -> None:
    refused = shell.run("token", "create", "--operator")
    assert refused.status == 2
    assert "--yes" in refused.err
    assert shell.run("token", "create", "--operator", "--agent", "--yes").status == 2
    shown = shell.run("token", "create", "--operator", "--yes")
    assert shown.out.startswith("waypost_operator_")
    assert shown.out.count("\n") == 1
    assert "not shown again" in shown.err


@promise("rights.operator.token", "security.argv.no_secrets")
def test_the_file_of_tokens_is_for_its_owner_alone_and_refused_otherwise(shell: CommandLine) -> None:
    log_in(shell, operator(shell))
    file = shell.home / "config" / "logins.json"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    refused = shell.run("user", "list", "--as-operator")
    assert refused.code == "invalid_input"
    assert "chmod 600" in refused.err
    file.chmod(0o600)
    assert shell.run("user", "list", "--as-operator").status == 0
    file.write_text("{", encoding="utf-8")
    assert shell.run("user", "list", "--as-operator").code == "invalid_input"


@promise("security.argv.no_secrets")
def test_a_token_is_read_from_a_file_of_ones_own_and_is_no_option(shell: CommandLine) -> None:
    token = operator(shell)
    file = shell.home / "token"
    file.write_text(f"{token}\n", encoding="utf-8")
    file.chmod(0o644)
    assert shell.run("login", "--token-file", str(file)).code == "invalid_input"
    file.chmod(0o600)
    assert shell.run("login", "--token-file", str(file)).status == 0
    assert shell.run("login", "--token", token).status == 2
    assert shell.run("login", token).status == 2
    for wrong in ("", "nonsense", token[:-1]):
        assert shell.run("login", stdin=wrong.encode()).code == "invalid_input"
    assert shell.run("login", stdin=make_token(TokenKind.OPERATOR).encode()).code == "unauthenticated"


@promise("security.tokens.beyond_loopback", "security.bind.loopback_only", "cli.admin.users_tokens_grants")
def test_a_server_beyond_loopback_needs_a_token_and_is_used_by_its_address(shell: CommandLine) -> None:
    refused = shell.finish("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.status == 1
    assert "no tokens" in refused.err
    assert "waypost token create --operator" in refused.err
    token = operator(shell)
    log_in(shell, token)
    shell.json("project", "add", str(shell.folder("web")), "--project", "web")
    shell.json("user", "add", "wendy", "--as-operator")
    shell.json("grant", "set", "wendy", "web", "read,write", "--as-operator")
    wendy = shell.json("token", "create", "--user", "wendy", "--as-operator")["secret"]
    shell.start("--host", "0.0.0.0")
    run = shell.run_file
    assert run is not None
    elsewhere = CommandLine(shell.home / "elsewhere")  # another account: no run file, no key
    url = ["--url", f"http://127.0.0.1:{run.port}"]
    assert elsewhere.run("message", "list", *url).code == "unauthenticated"
    log_in(elsewhere, wendy, *url)
    assert elsewhere.json("user", "me", *url)["user"] == "wendy"
    sent = elsewhere.json("message", "send", "--from-project", "web", "--to-project", "web", "hello", *url)
    assert elsewhere.json("message", "list", "--project", "web", *url)["items"][0]["id"] == sent["message_id"]
    assert elsewhere.run("user", "list", *url).code == "forbidden"
    assert elsewhere.run("user", "list", *url, "--as-operator").code == "forbidden"
    log_in(elsewhere, token, *url)
    assert len(elsewhere.json("user", "list", *url, "--as-operator")["items"]) == 2
    assert elsewhere.run("user", "list", *url).code == "forbidden"
    assert shell.json("message", "list", "--project", "web")["items"][0]["id"] == sent["message_id"]
    assert elsewhere.json("logout", *url)["forgotten"] == 2
    assert elsewhere.run("message", "list", *url).code == "unauthenticated"


def test_a_persons_token_is_of_no_use_for_the_own_store(shell: CommandLine) -> None:
    log_in(shell, operator(shell))
    shell.json("user", "add", "wendy", "--as-operator")
    wendy = shell.json("token", "create", "--user", "wendy", "--as-operator")["secret"]
    assert shell.run("login", stdin=wendy.encode()).code == "invalid_input"
    plain = shell.run("login", "--url", "http://post.example", stdin=wendy.encode())
    assert plain.code == "invalid_input"
    assert "clear" in plain.err


@promise("security.argv.no_secrets", "security.logs.no_bodies")
def test_no_token_is_in_arguments_logs_or_any_file_but_the_one_for_tokens(shell: CommandLine) -> None:
    token = operator(shell)
    log_in(shell, token)
    with shell.serving():
        shell.json("user", "list", "--as-operator")
        assert shell.server is not None
        arguments = subprocess.run(
            ["ps", "-ww", "-o", "args=", "-p", str(shell.server.pid)], capture_output=True, check=True
        ).stdout.decode()
        assert "waypost_" not in arguments
    holding = [path for path in Path(shell.home).rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    assert [path.name for path in holding] == ["logins.json"]
    assert json.loads(holding[0].read_text(encoding="utf-8"))["logins"][0]["token"] == token
    assert os.stat(holding[0].parent).st_mode & 0o077 == 0  # noqa: PTH116 - the folder was made by login
