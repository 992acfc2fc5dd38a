"""Real Claude Code and Codex, offline: what their models would have read of Waypost, and what came of it."""

from __future__ import annotations

import json
import re

import pytest

from tests.clients.agents import Desktop, program_of
from tests.clients.model import Model, Step
from tests.doors.command_line import CommandLine
from tests.doors.conftest import shell
from tests.promises.marks import promise

__all__ = ["shell"]

pytestmark = [pytest.mark.clients, pytest.mark.slow, pytest.mark.timeout(400)]
SECRET = "melon harvest at dawn"


@pytest.fixture
def desktop(shell: CommandLine) -> Desktop:
    missing = [client for client in ("claude-code", "codex") if program_of(client) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: run `make clients`")
    return Desktop(shell)


def call(client: str, tool: str, **arguments: object) -> list[Step]:
    """The steps by which a client's model calls a tool: Claude Code hides those of servers behind a search."""
    if client == "codex":
        return [Step(tool=tool, arguments=arguments)]
    name = f"mcp__waypost__{tool}"
    return [Step(tool="ToolSearch", arguments={"query": f"select:{name}"}), Step(tool=name, arguments=arguments)]


@promise("client.real.driven", "hook.output.exact_shape", "setup.clients.full")
@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_the_notice_reaches_the_model_and_the_message_comes_framed_by_its_tool_over_a_restart(
    desktop: Desktop, client: str
) -> None:
    line = desktop.line
    before = desktop.files()
    here, other = line.project("here"), line.project("other")
    agent = desktop.agent(client, here)
    with line.serving():
        desktop.setup("--write", "--client", client)
        line.send(other, here, body=SECRET)
        with Model([Step(text="nothing done")]) as model:
            agent.work("hello", model)
        read = model.read()
        assert f"1 unread message waits in the inbox of default/{here}" in read
        assert re.search(r"this session is [0-9a-f-]{36}, and its project is default/" + here, read)
        assert SECRET not in read, "no word of a sender reaches a model by itself"
    with line.serving(), Model([*call(client, "message_pop"), Step(text="popped")]) as model:
        assert "popped" in agent.work("check your inbox", model)
        answer = model.read()
        assert "Waypost is a post office for coding agents" in json.dumps(model.requests), "the server's instructions"
        assert SECRET in answer
        assert re.search(r"begin foreign text [0-9a-f]{16}", answer)
        assert line.json("message", "list", at=here)["items"] == []
    assert list((line.home / "log").glob("hook.log")) == [], "no hook failed"
    desktop.setup("--remove")
    left = desktop.files()
    assert {name: left.get(name) for name in before} == before
    ours = (b"waypost hook", b"mcp_servers.waypost", b'"waypost"')
    settings = {name: content for name, content in left.items() if name.endswith((".json", ".toml"))}
    assert [name for name, content in settings.items() if any(words in content for words in ours)] == []


@promise("client.real.driven")
def test_claude_code_asks_codex_pops_and_replies_and_claude_code_reads(desktop: Desktop) -> None:
    line = desktop.line
    web, api = line.project("web"), line.project("api")
    claude, codex = desktop.agent("claude-code", web), desktop.agent("codex", api)
    with line.serving():
        desktop.setup("--write", "--client", "claude-code", "--client", "codex")
        asked = call("claude-code", "message_send", to_project=api, subject="export", body="Please add /export.")
        with Model([*asked, Step(text="I asked.")]) as model:
            claude.work("ask the api project for an export endpoint", model)
        with Model([*call("codex", "message_pop"), Step(text="I see.")]) as model:
            codex.work("check your inbox", model)
        assert "Please add /export." in model.read()
        (message,) = [one["id"] for one in line.json("message", "list", "--status", "closed", at=api)["items"]]
        with Model([*call("codex", "message_reply", message_id=message, body="/export is there."), Step()]) as model:
            codex.work("do it and reply", model)
        with Model([*call("claude-code", "message_pop"), Step(text="Good.")]) as model:
            claude.work("anything new?", model)
        assert "1 unread message waits" in model.read()
        assert "/export is there." in model.read()
