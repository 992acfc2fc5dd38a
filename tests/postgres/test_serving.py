"""`waypost serve` on a Postgres database: the same commands, several nodes, and the password nowhere but where it was given."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.doors.command_line import CommandLine
from tests.postgres_cluster import VARIABLE, Cluster
from tests.promises.marks import promise

PASSWORD = f"hush-{secrets.token_hex(8)}"


@pytest.fixture
def guarded_url(cluster: Cluster, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The test's database over TCP, where an account of its own needs a password."""
    monkeypatch.delenv("PGPASSWORD", raising=False)
    given = conninfo_to_dict(postgres_url)
    role = f"waypost_test_{secrets.token_hex(4)}"
    cluster.execute(f"create role {role} login password '{PASSWORD}'")
    with psycopg.connect(postgres_url) as connection:
        connection.execute(f"grant all on schema waypost to {role}".encode())
        connection.execute(f"grant all on all tables in schema waypost to {role}".encode())
        connection.execute(f"grant all on all sequences in schema waypost to {role}".encode())
    host = "127.0.0.1" if str(given["host"]).startswith("/") else given["host"]
    yield f"postgresql://{role}:{PASSWORD}@{host}:{given['port']}/{given['dbname']}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"drop owned by {role} cascade".encode())
    cluster.execute(f"drop role {role}")


def shell_on(home: Path, url: str) -> CommandLine:
    """A command line whose store is the database."""
    shell = CommandLine(home)
    shell.environ["WAYPOST_DATABASE"] = url
    return shell


def files_below(folder: Path) -> Iterator[Path]:
    """Every regular file below a folder."""
    return (file for file in folder.rglob("*") if file.is_file())


@promise("postgres.engine.same_promises", "security.argv.no_secrets")
def test_a_server_serves_a_database_and_keeps_its_password_to_itself(guarded_url: str, tmp_path: Path) -> None:
    shell = shell_on(tmp_path / "home", guarded_url)
    with shell.serving():
        run = shell.run_file
        assert run is not None
        web = shell.project("web")
        sent = shell.send(web, web, body="kept in Postgres")
        assert [item["id"] for item in shell.json("message", "list", at=web)["items"]] == [sent]
        status = shell.json("status", at=web)
        assert status["store"]["engine"] == "postgres"
        assert status["database"] == run.database == guarded_url.replace(f":{PASSWORD}", "")
        arguments = Path(f"/proc/{run.pid}/cmdline")
        assert not arguments.exists() or PASSWORD.encode() not in arguments.read_bytes()
        assert PASSWORD not in str(shell.run("config", "show", at=web)) + str(shell.run("doctor", at=web)) + str(status)
    assert [file for file in files_below(tmp_path) if PASSWORD.encode() in file.read_bytes()] == []
    assert shell.json("message", "view", "--id", sent, at=web)["message"]["id"] == sent, "without a server, too"


@promise("security.argv.no_secrets")
def test_a_password_in_an_option_is_refused_and_not_repeated(tmp_path: Path) -> None:
    shell = CommandLine(tmp_path)
    refused = shell.run("message", "list", "--database", "postgresql://maria:hush@127.0.0.1:1/post")
    assert (refused.status, refused.code) == (1, "invalid_input")
    assert "PGPASSWORD" in refused.err
    assert "hush" not in refused.err + refused.out


@promise("postgres.errors.clear")
def test_backup_and_restore_of_a_database_name_its_own_tools(postgres_url: str, tmp_path: Path) -> None:
    shell = shell_on(tmp_path, postgres_url)
    kept = shell.run("backup", str(tmp_path / "copy"))
    assert (kept.status, kept.code) == (1, "invalid_input")
    assert "pg_dump" in kept.err
    back = shell.run("restore", str(tmp_path / "copy"))
    assert (back.status, back.code) == (1, "invalid_input")
    assert "pg_restore" in back.err
    assert not (tmp_path / "copy").exists()


@promise("postgres.errors.clear")
def test_serving_a_database_out_of_reach_says_so_without_the_password(tmp_path: Path) -> None:
    shell = shell_on(tmp_path / "home", f"postgresql://maria:{PASSWORD}@127.0.0.1:1/post")
    refused = shell.finish("serve", "--port", "0")
    assert refused.status == 1
    assert "cannot be reached: postgresql://maria@127.0.0.1:1/post" in refused.err
    assert PASSWORD not in refused.err
    assert [file for file in files_below(tmp_path) if PASSWORD.encode() in file.read_bytes()] == []


@promise("postgres.nodes.news_within_a_second")
def test_two_servers_on_one_database_are_one_post_office(postgres_url: str, tmp_path: Path) -> None:
    one, two = (shell_on(tmp_path / name, postgres_url) for name in ("one", "two"))
    with one.serving(), two.serving():
        web = one.project("web")
        two.folder(web)
        waiting = two.child("message", "wait", "--project", web, "--timeout-seconds", "60", "--json", at=web)
        sent = one.send(web, web, body="across nodes")
        out, err = waiting.communicate(timeout=40)
        assert sent in out.decode(), err
        popped: list[Any] = [shell.json("message", "pop", "--project", web, at=web)["message"] for shell in (two, one)]
        assert [message and message["id"] for message in popped] == [sent, None]


def test_the_variable_for_a_server_of_ones_own_is_documented() -> None:
    assert VARIABLE in Path(__file__).resolve().parents[2].joinpath("CONTRIBUTING.md").read_text(encoding="utf-8")
