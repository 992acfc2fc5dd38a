"""Refusals at this door: every code is a tool error with the problem document of all doors, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.doors.mcp.harness import HANDSHAKE, MODERN, Door, open_door
from tests.promises.marks import promise
from waypost.assembly.settings import LimitSettings
from waypost.kernel.errors import WaypostError, every_error
from waypost.operations.call import Answer, Call
from waypost.server.context import ServerContext
from waypost.server.errors import UNEXPECTED, WrongMethod
from waypost.server.mcp import calls

pytestmark = pytest.mark.anyio

ERRORS = [error for error in every_error() if error is not WrongMethod and error.__module__.startswith("waypost.")]
"""Every refusal that an operation can give; that of a wrong method belongs to HTTP and is proved where it stands."""
NOBODY = "01a22d35-6e57-7048-9039-550ed9252b92"


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


def cases(received: str, sent: str, later: str, popped: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Calls that are refused, with the code each gets. `received` lies in b's inbox and `later` is not due there; `sent` went
    from b to a; `popped` is taken."""
    to_b = {"from_project": "a", "to_project": "b"}
    yield "scope_guessed", "message_send", {"to_project": "b", "body": "x"}
    yield "scope_guessed", "message_pop", {}
    yield "scope_guessed", "message_ack", {"message_id": received, "occurrence": 1, "session": "unheard-of"}
    yield "scope_guessed", "message_cancel", {"all": True}
    yield "scope_guessed", "message_reply", {"message_id": received, "body": "x"}
    yield "unknown_recipient", "message_send", {"from_project": "a", "to_project": "bb", "body": "x"}
    yield "unknown_recipient", "message_send", {"from_project": "a", "to_user": "nobody-here", "body": "x"}
    yield "not_found", "message_list", {"project": "no-such-project"}
    yield "not_found", "message_list", {"project": "a", "from": "no-such-project"}
    yield "body_too_long", "message_send", {**to_b, "body": "x" * 8_001}
    yield "body_too_long", "message_send", {**to_b, "body": "x", "subject": "y" * 201}
    yield "invalid_text", "message_send", {**to_b, "body": "a\ud800b"}
    yield "invalid_text", "message_send", {**to_b, "body": "a\0b"}
    yield "invalid_text", "message_list", {"project": "b", "query": "\udfff"}
    yield "invalid_input", "message_list", {"project": "b", "\ud800": 1}
    yield "invalid_input", "message_send", {**to_b, "body": ""}
    yield "invalid_input", "message_send", {**to_b}
    yield "invalid_input", "message_send", {**to_b, "body": 5}
    yield "invalid_input", "message_send", {**to_b, "body": "x", "actionable": "yes"}
    yield "invalid_input", "message_send", {**to_b, "body": "x", "colour": "red"}
    yield "invalid_input", "message_send", {**to_b, "body": "x", "idempotency_key": "k"}
    yield "invalid_input", "message_send", {**to_b, "body": "x", "due_at": "tomorrow"}
    yield "invalid_input", "message_send", {**to_b, "body": "x", "delay_seconds": 5, "due_at": "2031-01-01T00:00:00Z"}
    yield "invalid_input", "message_send", {"from_workspace": "default", "to_project": "b", "body": "x"}
    yield "invalid_input", "message_view", {"project": "b", "message_id": "17"}
    yield "invalid_input", "message_list", {"project": "b", "limit": 501}
    yield "invalid_input", "message_list", {"project": "b", "status": "read"}
    yield "invalid_input", "message_list", {"project": "b", "cursor": "made up"}
    yield "invalid_input", "message_list", {"project": "two words"}
    yield (
        "invalid_input",
        "message_ack",
        {"project": "b", "session": "two words", "message_id": received, "occurrence": 1},
    )
    yield "message_not_found", "message_view", {"project": "b", "message_id": NOBODY}
    yield "message_not_found", "message_pop", {"project": "b", "message_id": NOBODY}
    yield "message_not_found", "message_send", {**to_b, "body": "x", "reply_to": NOBODY}
    yield "not_recipient", "message_pop", {"project": "b", "message_id": sent}
    yield "not_recipient", "message_reply", {"project": "b", "message_id": sent, "body": "x"}
    yield "session_required", "message_ack", {"project": "b", "message_id": received, "occurrence": 1}
    yield "stale_occurrence", "message_ack", {"project": "b", "session": "S1", "message_id": received, "occurrence": 2}
    yield "not_due", "message_pop", {"project": "b", "message_id": later}
    yield "not_due", "message_ack", {"project": "b", "session": "S1", "message_id": later, "occurrence": 1}
    yield "already_closed", "message_cancel", {"project": "a", "message_id": popped}


@promise(
    "api.errors.mcp_code",
    "api.unknown_fields.refused",
    "api.types.wrong_refused",
    "api.ids.malformed_refused",
    "text.invalid.refused_with_position",
)
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_each_refusal_has_its_code_and_changes_nothing(door: Door, version: str) -> None:
    def sent(source: str, target: str, **fields: Any) -> str:
        answer = door.run("message.send", from_project=source, to_project=target, body=f"{fields}", **fields)
        message_id: str = answer["message_id"]
        return message_id

    popped = sent("a", "b", subject="popped")
    door.run("message.pop", project="b", message_id=popped)
    given = cases(sent("a", "b"), sent("b", "a"), sent("a", "b", delay_seconds=3_600), popped)
    before = everything(door)
    for code, tool, arguments in given:
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
