"""`waypost setup` over a whole home: shown first, written once, kept, taken back byte for byte, and refused clearly."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.agents.client_home import THEIRS, VARIABLES, ClientHome
from tests.doors.command_line import CommandLine
from tests.promises.marks import promise
from waypost.agents.files.jsonc import parse, value_of
from waypost.agents.known import INSTALLERS

FULL = ("claude-code", "codex", "cursor", "opencode", "pi", "kimi-code", "gemini-cli", "copilot-cli", "muse-code")
ALONE = ("vscode", "zed", "claude-desktop")


@pytest.fixture
def there(shell: CommandLine, tmp_path: Path) -> ClientHome:
    return ClientHome(shell, tmp_path / "home")


def states(answer: Any) -> dict[str, str]:
    return {record["client"]: record["state"] for record in answer["clients"]}


@promise("setup.find.shows_first")
def test_setup_finds_the_clients_shows_and_writes_nothing(there: ClientHome) -> None:
    before = there.files()
    answer = there.setup()
    assert states(answer) == dict.fromkeys((*FULL, *ALONE), "changes")
    assert there.files() == before
    words = there.line.run("setup", "--program", str(there.program), variables={"HOME": str(there.folder)}).out
    assert "Nothing was written" in words
    assert "hook claude-code SessionStart || true" in words
    assert "sk-secret" not in words


@promise("setup.find.shows_first")
def test_a_home_without_clients_finds_none_and_makes_nothing(shell: CommandLine, tmp_path: Path) -> None:
    home = tmp_path / "bare"
    home.mkdir()
    result = shell.run(
        "setup", "--write", "--program", "/bin/true", "--json", variables={"HOME": str(home), "PATH": str(home)}
    )
    assert (result.status, result.answer["clients"]) == (0, [])
    assert list(home.iterdir()) == []


@promise(
    "setup.clients.full", "setup.clients.mcp_only", "setup.write.merges", "setup.write.no_secret", "hook.line.stable"
)
def test_write_puts_everything_beside_what_was_there(there: ClientHome) -> None:
    assert states(there.setup("--write")) == dict.fromkeys((*FULL, *ALONE), "changes")
    home, program = there.folder, str(there.program)

    def read(name: str) -> Any:
        return value_of(parse((home / name).read_text(encoding="utf-8")))

    claude = read(".claude.json")
    assert claude["mcpServers"] == {
        "other": {"command": "x"},
        "waypost": {"type": "stdio", "command": program, "args": ["mcp"]},
    }
    starts = read(".claude/settings.json")["hooks"]["SessionStart"]
    assert starts[0]["hooks"][0]["command"] == "echo theirs"
    assert starts[1]["hooks"] == [
        {"type": "command", "command": f"{program} hook claude-code SessionStart || true", "timeout": 5}
    ]
    codex = tomllib.loads((home / ".codex/config.toml").read_text())
    assert codex["mcp_servers"] == {"other": {"command": "x"}, "waypost": {"command": program, "args": ["mcp"]}}
    assert set(read(".codex/hooks.json")["hooks"]) == {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostCompact"}
    cursor = read(".cursor/hooks.json")
    assert (cursor["version"], cursor["hooks"]["sessionStart"][0]["command"]) == (
        1,
        f"{program} hook cursor sessionStart || true",
    )
    assert read(".config/opencode/opencode.jsonc")["mcp"]["waypost"] == {
        "type": "local",
        "command": [program, "mcp"],
        "enabled": True,
    }
    assert not (home / ".config/opencode/opencode.json").exists()
    kimi = tomllib.loads((home / ".kimi-code/config.toml").read_text())["hooks"]
    assert [set(hook) for hook in kimi] == [{"event", "command"}, *[{"event", "command", "timeout"}] * 3]
    gemini = read(".gemini/settings.json")
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0] == {
        "name": "waypost-BeforeAgent",
        "type": "command",
        "command": f"{program} hook gemini-cli BeforeAgent || true",
        "timeout": 5000,
    }
    assert read(".copilot/mcp-config.json")["mcpServers"]["waypost"]["tools"] == ["*"]
    assert read(".copilot/hooks/waypost.json")["hooks"]["sessionStart"][0]["timeoutSec"] == 5
    assert read(".config/muse/settings.json")["mcp_servers"]["waypost"]["mode"] == "optional"
    assert read(".config/Code/User/mcp.json")["servers"]["waypost"]["args"] == ["mcp"]
    assert read(".config/zed/settings.json")["context_servers"]["waypost"]["command"] == program
    assert "// mine" in (home / ".config/zed/settings.json").read_text()
    assert read(".config/Claude/claude_desktop_config.json")["mcpServers"]["waypost"]["command"] == program
    assert f'const PROGRAM = "{program}";' in (home / ".pi/agent/extensions/waypost.ts").read_text()
    assert f'const PROGRAM = "{program}"' in (home / ".config/opencode/plugin/waypost.js").read_text()
    key = there.line.run_file.key if there.line.run_file else "no key is written anywhere"
    assert not [name for name, content in there.files().items() if key.encode() in content]


@promise("client.skills.installed")
def test_two_short_skills_stand_where_the_client_reads_skills(there: ClientHome) -> None:
    there.setup("--write")
    for folder in (".claude", ".codex", ".gemini", ".config/opencode", ".pi/agent"):
        for name in ("waypost-messages", "waypost-memory"):
            text = (there.folder / folder / "skills" / name / "SKILL.md").read_text()
            assert text.startswith(f"---\nname: {name}\n")
            assert len(text) < 2_500


@promise("setup.write.idempotent")
def test_a_second_run_writes_nothing(there: ClientHome) -> None:
    there.setup("--write")
    once = there.files()
    assert states(there.setup("--write")) == dict.fromkeys((*FULL, *ALONE), "same")
    assert there.files() == once


@promise("setup.remove.byte_for_byte")
def test_remove_leaves_every_file_and_folder_as_it_was(there: ClientHome) -> None:
    before = there.files()
    there.setup("--write")
    assert there.files() != before
    there.setup("--remove")
    assert there.files() == before
    assert there.setup("--remove")["clients"] == []
    notes = there.line.home / "state" / "setup"
    assert [path for path in notes.rglob("*") if path.is_file()] == []


@promise("setup.remove.byte_for_byte")
def test_remove_keeps_what_its_owner_wrote_meanwhile(there: ClientHome) -> None:
    settings = there.folder / ".claude/settings.json"
    zed = there.folder / ".config/zed/settings.json"
    before = zed.read_text()
    there.setup("--write")
    value = json.loads(settings.read_text())
    value["theme"] = "dark"
    settings.write_text(json.dumps(value, indent=4))
    zed.write_text(zed.read_text().replace('"One"', '"Two"'))
    there.setup("--remove")
    assert zed.read_text() == before.replace('"One"', '"Two"')
    left = json.loads(settings.read_text())
    assert (left["theme"], left["hooks"]["SessionStart"]) == (
        "dark",
        [{"hooks": [{"type": "command", "command": "echo theirs"}]}],
    )
    assert "waypost" not in settings.read_text()


@promise("setup.write.keeps_choices")
def test_an_upgrade_keeps_what_the_user_chose_and_mends_only_a_path_that_is_gone(there: ClientHome) -> None:
    there.setup("--write")
    settings = there.folder / ".claude/settings.json"
    settings.write_text(settings.read_text().replace('"timeout": 5', '"timeout": 9'))
    there.setup("--write")
    assert settings.read_text().count('"timeout": 9') == 3
    moved = there.program.with_name("moved") / "waypost"
    moved.parent.mkdir()
    there.program.rename(moved)
    there.program = moved
    answer = there.setup("--write")
    assert {record["state"] for record in answer["clients"]} == {"changes"}
    assert settings.read_text().count(f"{moved} hook claude-code") == 3
    assert settings.read_text().count('"timeout": 9') == 3


@promise("setup.write.backs_up_and_verifies")
def test_each_file_that_was_there_is_copied_first(there: ClientHome) -> None:
    answer = there.setup("--write")
    copies = {file["path"]: file["copy"] for record in answer["clients"] for file in record["files"] if file["copy"]}
    for name, text in THEIRS.items():
        if name != ".pi/agent/settings.json":
            copy = Path(copies[str(there.folder / name)])
            assert copy.read_bytes() == text.encode()
            assert copy.stat().st_mode & 0o777 == 0o600


@promise("setup.write.one_level")
def test_the_other_level_is_refused_while_one_is_set_up(there: ClientHome) -> None:
    there.setup("--write", "--client", "claude-code")
    repository = there.line.folder("api")
    (repository / ".claude").mkdir()
    answer = there.setup("--write", "--client", "claude-code", "--level", "project", status=1, at=repository)
    assert "told twice" in answer["clients"][0]["problem"]
    assert list((repository / ".claude").iterdir()) == []
    there.setup("--remove", "--client", "claude-code")
    there.setup("--write", "--client", "claude-code", "--level", "project", at=repository)
    assert (repository / ".mcp.json").exists()
    answer = there.setup("--write", "--client", "claude-code", status=1, at=repository)
    assert str(repository / ".claude/settings.json") in answer["clients"][0]["problem"]


@promise("setup.broken_file.untouched")
@pytest.mark.parametrize("content", [b"{ broken", b"\xff\xfe{}", b'{"hooks": []}'])
def test_a_broken_file_is_left_untouched_and_named_and_the_others_are_done(there: ClientHome, content: bytes) -> None:
    settings = there.folder / ".claude/settings.json"
    settings.write_bytes(content)
    answer = there.setup("--write", "--client", "claude-code", "--client", "cursor", status=1)
    assert settings.read_bytes() == content
    broken = [file for record in answer["clients"] for file in record["files"] if file["state"] == "failed"]
    assert [file["path"] for file in broken] == [str(settings)]
    assert "left as it is" in broken[0]["problem"]
    assert states(answer)["cursor"] == "changes"


@promise("setup.broken_file.untouched")
def test_anothers_file_of_our_name_is_left_untouched(there: ClientHome) -> None:
    plugin = there.folder / ".config/opencode/plugin/waypost.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("// mine")
    there.setup("--write", "--client", "opencode", status=1)
    assert plugin.read_text() == "// mine"


@promise("setup.broken_file.untouched")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_home_is_refused_clearly(there: ClientHome) -> None:
    folder = there.folder / ".cursor"
    folder.chmod(0o555)
    try:
        answer = there.setup("--write", "--client", "cursor", status=1)
    finally:
        folder.chmod(0o755)
    assert "cannot be written" in str(answer)


@promise("setup.broken_file.untouched")
def test_a_home_that_cannot_hold_files_is_refused_clearly(shell: CommandLine, tmp_path: Path) -> None:
    blocked = tmp_path / "home"
    blocked.write_text("a file where a folder should be")
    result = shell.run(
        "setup", "--write", "--client", "cursor", "--program", "/bin/true", "--json", variables={"HOME": str(blocked)}
    )
    assert result.status == 1
    problems = [file["problem"] for record in result.answer["clients"] for file in record["files"]]
    assert all("cannot be" in problem for problem in problems)
    assert blocked.read_text() == "a file where a folder should be"


@promise("setup.write.merges")
def test_a_configuration_behind_a_link_is_written_where_the_link_leads(there: ClientHome) -> None:
    dotfiles = there.folder / "dotfiles"
    dotfiles.mkdir()
    settings = there.folder / ".claude/settings.json"
    settings.rename(dotfiles / "settings.json")
    settings.symlink_to(dotfiles / "settings.json")
    (dotfiles / "settings.json").chmod(0o640)
    before = there.files()
    there.setup("--write", "--client", "claude-code")
    assert settings.is_symlink()
    assert "waypost" in (dotfiles / "settings.json").read_text()
    assert (dotfiles / "settings.json").stat().st_mode & 0o777 == 0o640
    there.setup("--remove", "--client", "claude-code")
    assert there.files() == before


@promise("setup.find.shows_first")
def test_an_unknown_client_is_refused_with_the_names(there: ClientHome) -> None:
    result = there.line.run("setup", "--client", "nobody", "--program", str(there.program))
    assert (result.status, result.code) == (1, "invalid_input")
    assert all(installer.name in result.err for installer in INSTALLERS)


@promise("setup.remove.byte_for_byte")
def test_uninstall_takes_all_back_and_purge_removes_the_folders(there: ClientHome) -> None:
    before = there.files()
    there.setup("--write")
    there.line.json("project", "list")
    variables = {"HOME": str(there.folder), **dict.fromkeys(VARIABLES, "")}
    kept = there.line.run("uninstall", "--json", variables=variables)
    assert (kept.status, there.files()) == (0, before)
    assert Path(there.line.database).exists()
    purged = there.line.run("uninstall", "--purge", "--json", variables=variables)
    assert purged.status == 0
    assert not Path(there.line.database).exists()
