"""The generated OpenCode plugin and Pi extension in a real Node, driven as their clients drive them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.bridge_process import SOURCES
from tests.doors.command_line import CommandLine
from tests.node.programs import node
from tests.promises.marks import promise
from waypost.agents.generated import generated

HARNESS = Path(__file__).parent / "adapters.mjs"
SECONDS = 55


def drive(client: str, template: str, program: Path, folder: Path, **environ: str) -> Any:
    """What reached the model through the adapter that is made for `program`."""
    file = folder / ("plugin.mjs" if template.endswith(".js") else "extension.ts")
    file.write_text(generated(template, str(program)), encoding="utf-8")
    done = subprocess.run(
        [_node(), HARNESS, client, file],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **environ},
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _node() -> Path:
    program = node()
    if program is None:
        pytest.skip("no Node.js 22: run `make node`")
    return program


def script(folder: Path, body: str) -> Path:
    """A program in waypost's place."""
    place = folder / "waypost"
    place.write_text(f"#!/bin/sh\n{body}\n")
    place.chmod(0o755)
    return place


@pytest.mark.node
@promise("setup.clients.full", "client.delivery.boundaries")
def test_the_opencode_plugin_puts_the_hooks_words_before_the_model(tmp_path: Path) -> None:
    told = script(tmp_path, f'cat >> {tmp_path}/given; echo " $3" >> {tmp_path}/given; echo "told at $3"')
    result = drive("opencode", "opencode_plugin.js", told, tmp_path)
    added = result["prompt"]["parts"][1]
    assert (added["text"], added["synthetic"], added["sessionID"], added["messageID"]) == (
        "told at chat.message",
        True,
        "S1",
        "msg_1",
    )
    assert added["id"].startswith("prt_")
    assert result["child"]["parts"] == [], "a subagent's session is not the user's"
    assert result["text"]["output"] == "the output\n\ntold at tool.execute.after"
    assert result["mcp"]["content"][1] == {"type": "text", "text": "told at tool.execute.after"}
    given = [line.rpartition(" ") for line in (tmp_path / "given").read_text().splitlines()]
    assert [event for _, _, event in given] == [
        "session.created",
        "chat.message",
        "tool.execute.after",
        "tool.execute.after",
        "session.compacted",
        "session.deleted",
    ]
    assert {json.loads(sent)["sessionID"] for sent, _, _ in given} == {"S1"}


@pytest.mark.node
@promise("hook.failure.harmless")
@pytest.mark.parametrize("body", ["exit 1", "sleep 30", "kill -9 $$", None], ids=["fails", "hangs", "dies", "is gone"])
def test_an_adapter_whose_program_fails_changes_nothing(tmp_path: Path, body: str | None) -> None:
    program = script(tmp_path, body or "")
    if body is None:
        program.unlink()
    result = drive("opencode", "opencode_plugin.js", program, tmp_path)
    assert len(result["prompt"]["parts"]) == 1
    assert result["text"]["output"] == "the output"


@pytest.mark.node
@promise("setup.clients.full", "client.delivery.boundaries")
def test_the_pi_extension_registers_the_tools_and_tells_before_a_turn(shell: CommandLine) -> None:
    folder = shell.folder("pi-project")
    program = script(folder, f'exec {sys.executable} -P -m waypost "$@"')
    shell.project("writer")
    with shell.serving():
        shell.json("project", "add", str(folder), "--project", "pi-project")
        shell.send("writer1", "pi-project", body="for the next turn")
        environ = {**shell.environ, "PYTHONPATH": SOURCES, "WAYPOST_HOOK_BUDGET_MS": "1900"}
        result = drive("pi", "pi_extension.ts", program, folder, **environ)
    message = result["turn"]["message"]
    assert "1 unread message waits in the inbox of default/pi-project" in message["content"]
    assert "this session is P1" in message["content"]
    assert {tool["type"] for tool in result["tools"]} == {"object"}
    assert {"message_list", "message_send", "message_pop"} <= {tool["name"] for tool in result["tools"]}
    assert "1 message (default/pi-project, found by workdir)" in result["listed"]["content"][0]["text"]
    shutil.rmtree(folder)
