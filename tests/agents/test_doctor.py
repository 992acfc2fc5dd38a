"""`waypost doctor` and `status` on coding agents: each fault of a client's files by name, with the command that mends it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.client_home import ClientHome
from tests.agents.payloads import payload
from tests.doors.command_line import CommandLine
from tests.promises.marks import promise


@pytest.fixture
def there(shell: CommandLine, tmp_path: Path) -> ClientHome:
    return ClientHome(shell, tmp_path / "home")


def checks(there: ClientHome, client: str, at: Path | None = None) -> list[Any]:
    found = there.run("doctor", "--json", at=at).answer["checks"]
    return [one for one in found if one["check"] == client]


@promise("doctor.clients.each")
def test_a_client_that_is_there_and_not_set_up_is_noted_with_the_command(there: ClientHome) -> None:
    (one,) = checks(there, "claude-code")
    assert (one["state"], one["found"], one["remedy"]) == (
        "odd",
        "not set up",
        "waypost setup --write --client claude-code",
    )


@promise("doctor.clients.each")
def test_dead_paths_missing_parts_and_doubled_hooks_are_told_apart(there: ClientHome) -> None:
    there.setup("--write", "--client", "claude-code")
    (good,) = checks(there, "claude-code")
    assert (good["state"], "set up for the user" in good["found"]) == ("good", True)
    settings = there.folder / ".claude/settings.json"
    value = json.loads(settings.read_text())
    value["hooks"]["PostToolUse"] *= 2
    settings.write_text(json.dumps(value))
    (doubled,) = checks(there, "claude-code")
    assert (doubled["state"], "stand twice" in doubled["found"]) == ("bad", True)
    assert doubled["remedy"].startswith("waypost setup --remove --client claude-code && waypost setup --write")
    there.program.unlink()
    found = [one["found"] for one in checks(there, "claude-code")]
    assert any(f"{there.program} is named and is no program" in words for words in found)
    (there.folder / ".claude.json").write_text("{}")
    assert any("MCP server missing" in one["found"] for one in checks(there, "claude-code"))


@promise("doctor.clients.each")
def test_a_broken_file_is_named(there: ClientHome) -> None:
    (there.folder / ".cursor/mcp.json").write_text("{ broken")
    (one,) = checks(there, "cursor")
    assert (one["state"], ".cursor/mcp.json" in one["found"]) == ("bad", True)


@promise("doctor.clients.each")
def test_both_levels_at_once_are_bad(there: ClientHome) -> None:
    repository = there.line.folder("api")
    there.setup("--write", "--client", "cursor", "--level", "project", at=repository)
    there.setup("--write", "--client", "cursor")  # from elsewhere, where the project's files are not seen
    found = checks(there, "cursor", at=repository)
    assert ("bad", "waypost setup --remove --client cursor --level project") in [
        (one["state"], one["remedy"]) for one in found
    ]


@promise("doctor.clients.each")
def test_hooks_that_codex_does_not_trust_yet_are_told(there: ClientHome) -> None:
    there.setup("--write", "--client", "codex")
    (one,) = checks(there, "codex")
    assert "SessionStart, UserPromptSubmit, PostToolUse, PostCompact" in one["found"]
    assert "/hooks" in one["remedy"]
    config, hooks = there.folder / ".codex/config.toml", there.folder / ".codex/hooks.json"
    events = ("session_start", "user_prompt_submit", "post_tool_use", "post_compact")
    with config.open("a") as file:
        for event in events:
            file.write(f'\n[hooks.state."{hooks}:{event}:0:0"]\ntrusted_hash = "sha256:00"\n')
    assert [one["state"] for one in checks(there, "codex")] == ["good"]


@promise("doctor.clients.each")
def test_the_last_event_and_the_tools_come_from_the_running_server(there: ClientHome) -> None:
    there.setup("--write", "--client", "claude-code")
    with there.line.serving():
        sent = json.dumps(payload("claude-code", "SessionStart", "S1", str(there.line.work))).encode()
        patient = {"WAYPOST_HOOK_BUDGET_MS": "30000"}
        there.line.finish("hook", "claude-code", "SessionStart", given=sent, variables=patient)
        found = there.run("doctor", "--json").answer["checks"]
        by_name = {one["check"]: one for one in found}
        assert "last event SessionStart at 20" in by_name["claude-code"]["found"]
        assert by_name["mcp tools"]["state"] == "good"
        assert int(by_name["mcp tools"]["found"].split()[0]) >= 5
        assert there.run("status", "--json").answer["agents"] == ["claude-code"]
        assert "agents    claude-code" in there.run("status").out
