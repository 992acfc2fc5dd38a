"""Refusals at this door: every code is a tool error with the problem document of all doors, and changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.doors.mcp.harness import HANDSHAKE, MODERN, Door, open_door
from tests.doors.refused_calls import ERRORS, refused_calls, refused_leases
from tests.promises.marks import promise
from waypost.assembly.settings import LimitSettings
from waypost.kernel.errors import WaypostError
from waypost.operations.call import Answer, Call
from waypost.server.context import ServerContext
from waypost.server.errors import UNEXPECTED
from waypost.server.mcp import calls

pytestmark = pytest.mark.anyio


def refusing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Lets every operation fail with that error."""

    async def refuse(context: ServerContext, name: str, call: Call) -> Answer:
        raise error

    monkeypatch.setattr(calls, "run_operation", refuse)


@promise("api.errors.mcp_code", "api.codes.one_status_each")
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
async def test_every_refusal_is_a_tool_error_with_its_code(
    door: Door, error: type[WaypostError], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = error("What was wrong. Nothing was changed.", hint="What to do.")
    refusing(monkeypatch, refused)
    for version in (HANDSHAKE[0], MODERN):
        result = await door.call("message_list", {"project": "a"}, version=version)
        assert result["isError"] is True
        assert result["structuredContent"] == refused.problem()
        assert result["content"] == [
            {"type": "text", "text": f"{error.code}: What was wrong. Nothing was changed. What to do."}
        ]


@promise("api.errors.never_internal")
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_an_unexpected_failure_answers_one_fixed_sentence(
    door: Door, version: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refusing(monkeypatch, KeyError("secret inside"))
    result = await door.call("message_list", {"project": "a"}, version=version)
    assert result["isError"] is True
    assert result["structuredContent"] == UNEXPECTED
    assert "secret inside" not in json.dumps(result)
    assert "secret inside" in caplog.text


@promise(
    "api.errors.mcp_code",
    "api.unknown_fields.refused",
    "api.types.wrong_refused",
    "api.ids.malformed_refused",
    "text.invalid.refused_with_position",
    "api.codes.leases",
)
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_each_refusal_has_its_code_and_changes_nothing(door: Door, version: str) -> None:
    def sent(source: str, target: str, **fields: Any) -> str:
        answer = door.run("message.send", from_project=source, to_project=target, body=f"{fields}", **fields)
        message_id: str = answer["message_id"]
        return message_id

    popped = sent("a", "b", subject="popped")
    door.run("message.pop", project="b", message_id=popped)
    known = (sent("a", "b"), sent("b", "a"), sent("a", "b", delay_seconds=3_600), popped)
    work = sent("a", "b", actionable=True)
    token = door.run("message.claim", project="b", session="S1", message_id=work, occurrence=1)["token"]
    before = everything(door)
    for code, operation, arguments in (*refused_calls(*known), *refused_leases(known, work, token)):
        tool = operation.replace(".", "_")
        refused = await door.refusal(tool, arguments, version=version)
        assert refused["code"] == code, (tool, arguments, refused)
        assert everything(door) == before, (tool, arguments)


def everything(door: Door) -> list[dict[str, Any]]:
    """All that stands in the mailboxes, and the sessions that are known."""
    lists = [door.run("message.list", project=project, status="all") for project in ("a", "b")]
    return [*lists, door.run("session.list")]


@promise("mail.bounds.unread_256", "mail.bounds.rate", "mail.bounds.settings", "api.errors.mcp_code")
async def test_full_inboxes_and_fast_senders_are_refused(tmp_path: Any) -> None:
    async with open_door(tmp_path, limits=LimitSettings(inbox=2, sends_a_minute=3)) as door:
        given = {"from_project": "a", "repeat": True, "body": "Please look."}
        for _ in range(2):
            await door.answer("message_send", {**given, "to_project": "b"})
        refused = await door.refusal("message_send", {**given, "to_project": "b"})
        assert (refused["code"], refused["status"]) == ("inbox_full", 409)
        door.run("project.put", workspace="default", project="c")
        for target in ("a", "c", "c"):
            await door.answer("message_send", {**given, "to_project": target, "session": "S1"})
        refused = await door.refusal("message_send", {**given, "to_project": "a", "session": "S1"})
        assert (refused["code"], refused["status"]) == ("rate_limited", 429)


@promise("mail.bounds.loop_guard", "api.errors.mcp_code")
async def test_a_chain_of_replies_between_agents_is_cut(tmp_path: Any) -> None:
    async with open_door(tmp_path, limits=LimitSettings(loop_replies=2)) as door:
        sent = await door.answer("message_send", {"from_project": "a", "to_project": "b", "body": "Ping."})
        for number in range(2):
            own = ("b", "a")[number]
            arguments = {"project": own, "message_id": sent["message_id"], "body": f"Pong {number}."}
            sent = await door.answer("message_reply", arguments)
        refused = await door.refusal(
            "message_reply", {"project": "b", "message_id": sent["message_id"], "body": "And again."}
        )
        assert refused["code"] == "loop_guard"


@promise("text.invalid.repaired")
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_text_that_cannot_be_stored_is_repaired_where_asked_for(door: Door, version: str) -> None:
    sent = await door.answer(
        "message_send",
        {"from_project": "a", "to_project": "b", "body": "caf\u00e9 a\ud800b\0c", "repair": True},
        version=version,
    )
    body = door.run("message.view", project="b", message_id=sent["message_id"])["message"]["body"]
    assert "caf\u00e9 a\ufffdb\ufffdc" in body


@promise("api.sizes.bounded_before_parsing")
async def test_a_message_above_the_bound_is_refused_unread(door: Door) -> None:
    response = await door.post(b"[" * 1_000_001)
    assert response.status_code == 413
    assert response.json()["code"] == "invalid_input"
