"""Keeping the store, settings, docs and completion."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.doors.command_line import CommandLine
from tests.promises.marks import promise
from waypost.cli.docs import docs_folder
from waypost.cli.reference import write_reference


def test_a_backup_is_written_and_restored(either: CommandLine) -> None:
    web = either.project("web")
    kept = either.send(web, web, body="kept")
    copy = either.work / f"{web}.db"
    assert either.json("backup", str(copy)) == {"path": str(copy)}
    assert either.run("backup", str(copy)).code == "conflict"
    assert either.json("backup", str(copy), "--overwrite") == {"path": str(copy)}
    restored = CommandLine(either.home / f"other-{web}")
    assert restored.json("restore", str(copy))["kept"] is None
    assert restored.json("message", "view", "--id", kept)["message"]["id"] == kept


def test_a_backup_beside_the_shell_lands_in_its_directory(either: CommandLine) -> None:
    web = either.project("web")
    either.json("backup", f"{web}-here.db", at=web)
    assert (either.work / web / f"{web}-here.db").exists()


def test_restore_keeps_what_it_replaces_and_begins_an_epoch(shell: CommandLine) -> None:
    web = shell.project("web")
    shell.json("backup", "copy.db")
    later = shell.send(web, web, body="later")
    restored = shell.json("restore", str(shell.work / "copy.db"))
    assert restored["epoch"] == 2
    assert Path(restored["kept"]).exists()
    assert shell.run("message", "view", "--id", later).code == "message_not_found"


def test_restore_needs_the_server_stopped(shell: CommandLine) -> None:
    shell.project("web")
    shell.json("backup", "copy.db")
    with shell.serving():
        refused = shell.run("restore", str(shell.work / "copy.db"))
        assert (refused.status, refused.code) == (1, "store_busy")
        assert "waypost stop" in refused.err
    assert shell.run("restore", "no-such-file.db").code == "not_found"


def test_migrate_says_the_schema(either: CommandLine) -> None:
    assert either.json("migrate")["schema_version"] >= 3
    assert "schema is" in either.run("migrate").out


@promise("cli.config.show", "day_one.settings.precedence", "cli.options.agree")
def test_config_shows_each_setting_its_value_and_its_origin(shell: CommandLine) -> None:
    folder = shell.home / "config"
    folder.mkdir()
    (folder / "config.toml").write_text(
        "[server]\nport = 8000\nhost = '::1'\n[limits]\nbody = 9000\n", encoding="utf-8"
    )
    variables = {"WAYPOST_PORT": "9000"}
    shown = {one["name"]: one for one in shell.json("config", "show", variables=variables)["settings"]}
    assert (shown["server.port"]["value"], shown["server.port"]["from"]) == (9000, "environment WAYPOST_PORT")
    assert shown["server.host"]["value"] == "::1"
    assert shown["limits.body"]["from"] == str(folder / "config.toml")
    assert shown["limits.subject"]["from"] == "default"
    given = {one["name"]: one for one in shell.json("config", "show", "--database", "x.db")["settings"]}
    assert given["database"]["from"] == "option --database"
    named = {
        one["name"]: one for one in shell.json("config", "show", variables={"WAYPOST_DATABASE": "/x.db"})["settings"]
    }
    assert (named["database"]["value"], named["database"]["from"]) == ("/x.db", "environment WAYPOST_DATABASE")
    assert "limits.body" in shell.run("config", "show").out


@promise("day_one.settings.malformed")
def test_a_malformed_setting_is_named(shell: CommandLine) -> None:
    folder = shell.home / "config"
    folder.mkdir()
    for text, word in (("[server]\nprot = 1\n", "prot"), ("[limits]\nbody = 'x'\n", "body"), ("[", "TOML")):
        (folder / "config.toml").write_text(text, encoding="utf-8")
        refused = shell.run("project", "list")
        assert (refused.status, refused.code) == (1, "invalid_input")
        assert word in refused.err


@promise("cli.docs.offline")
def test_docs_are_listed_and_shown(shell: CommandLine) -> None:
    topics = shell.json("docs")["topics"]
    assert {"architecture", "reference/cli"} <= set(topics)
    page = (docs_folder() / "architecture.md").read_text(encoding="utf-8")
    assert shell.run("docs", "architecture").out.strip() == page.strip()
    assert shell.json("docs", "cli")["text"].startswith("# Command line")


@promise("cli.docs.offline")
def test_the_wheel_is_told_to_carry_the_docs() -> None:
    table = tomllib.loads((docs_folder().parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert table["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"] == {"docs": "waypost/docs"}


@promise("cli.completion.shells")
@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_completion_is_printed_and_offers_commands(shell: CommandLine, kind: str) -> None:
    script = shell.finish("completion", kind)
    assert script.status == 0
    assert "_WAYPOST_COMPLETE" in script.out
    variables = {
        "_WAYPOST_COMPLETE": f"{kind}_complete",
        "COMP_WORDS": "waypost message l",
        "COMP_CWORD": "2" if kind != "fish" else "l",
    }
    offered = shell.finish(variables=variables)
    assert "list" in offered.out


def test_the_reference_page_is_current() -> None:
    page = docs_folder() / "reference" / "cli.md"
    assert page.read_text(encoding="utf-8") == write_reference(), (
        "run python -m waypost.cli.reference docs/reference/cli.md"
    )


def test_the_reference_page_is_written_by_its_command(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "waypost.cli.reference", str(tmp_path / "cli.md")], check=True, timeout=50)
    assert (tmp_path / "cli.md").read_text(encoding="utf-8") == write_reference()


def test_a_folder_that_cannot_be_made_is_a_refusal_and_no_failure(shell: CommandLine) -> None:
    (shell.home / "state").write_text("a file where a folder should be", encoding="utf-8")
    refused = shell.run("restart", "--json")
    assert (refused.status, refused.code) == (1, "store_unavailable")
    assert str(shell.home / "state") in refused.answer["detail"]
