"""Decisions at this door: asked and waited for by every session, answered only with the whole set, and never what requires root."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.doors.mcp.harness import HANDSHAKE, MODERN, Door
from tests.promises.marks import promise

pytestmark = pytest.mark.anyio

QUESTION = {
    "from_project": "a",
    "to_project": "b",
    "question": "Merge it?",
    "options": [{"id": "yes", "label": "Merge it"}, {"id": "no", "label": "Send it back"}],
}


async def ask(door: Door, **fields: Any) -> str:
    decision_id: str = (await door.answer("decision_ask", {**QUESTION, **fields}))["decision_id"]
    return decision_id


@promise("decision.wait.returns_answer", "mcp.http.tools_all")
async def test_a_wait_returns_once_the_question_is_answered_elsewhere(door: Door) -> None:
    asked = await ask(door)
    waiting = asyncio.create_task(door.call("decision_wait", {"project": "a", "decision_id": asked}))
    arguments = {"project": "b", "decision_id": asked, "option": "yes", "comment": "Go on."}
    answered = await door.call("decision_answer", arguments, query="?tools=all")
    assert answered["structuredContent"]["decision"]["state"] == "answered"
    async with asyncio.timeout(30):
        waited = await waiting
    assert waited["structuredContent"]["decision"]["answer"]["option"] == "yes"
    words = waited["content"][0]["text"]
    assert "Answer: yes, by default/b" in words
    assert waited["structuredContent"]["decision"]["answer"]["comment"] in words
    assert waited["structuredContent"]["security_notice"] in words


@promise("decision.wait.returns_answer")
async def test_a_wait_whose_time_is_up_says_to_call_again(door: Door) -> None:
    asked = await ask(door)
    result = await door.call("decision_wait", {"project": "a", "decision_id": asked, "timeout_seconds": 0})
    assert result["structuredContent"]["retry"] is True
    assert "Call again" in result["content"][0]["text"]


@promise("decision.answer.root_only")
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_an_agent_never_answers_what_requires_root(door: Door, version: str) -> None:
    asked = await ask(door, requires_root=True, question=f"Deploy by {version}?")
    arguments = {"project": "b", "decision_id": asked, "option": "yes"}
    refused = await door.call("decision_answer", arguments, version=version, query="?tools=all")
    assert (refused["isError"], refused["structuredContent"]["code"]) == (True, "not_permitted_to_answer")
    plain = await door.answer(
        "message_send",
        {
            "from_project": "b",
            "to_project": "a",
            "subject": f"decision-reply: {asked}",
            "body": f"question_id: {asked}\noption: yes",
        },
        version=version,
    )
    assert plain["decision"]["state"] == "unaccepted"
    assert door.run("decision.view", project="a", decision_id=asked)["decision"]["state"] == "open"


async def test_a_list_shows_provenance_and_the_frames_of_the_operation(door: Door) -> None:
    asked = await ask(door)
    result = await door.call("decision_list", {"project": "b"}, query="?tools=all")
    words = result["content"][0]["text"]
    assert f"decision {asked} | open | from default/a | to default/b" in words
    assert result["structuredContent"]["items"][0]["question"] in words
    assert result["structuredContent"]["security_notice"] in words
