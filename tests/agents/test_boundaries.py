"""What a session is told at the boundaries of its work: in which order, how often, and when it counts as told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.agents.desk import Desk, text_of
from tests.operations.office import VirtualClock
from tests.promises.marks import promise
from waypost.agents.claude_code import CLAUDE_CODE
from waypost.agents.client import plain
from waypost.agents.muse_code import MUSE_CODE
from waypost.kernel.text import SECURITY_NOTICE
from waypost.server.hooks.telling import Part, shaped

WORD = "melon harvest"
START, PROMPT, TOOL = "SessionStart", "UserPromptSubmit", "PostToolUse"
CLAUDE = "claude-code"


@promise("hook.start.registers")
def test_a_start_makes_project_and_session_known_with_client_and_user(desk: Desk) -> None:
    place = desk.folder / "fresh"
    place.mkdir()
    said = desk.say(CLAUDE, START, "N1", at=place)
    assert "this session is N1, and its project is default/fresh" in said
    session = desk.rest.ok("GET", "/v1/sessions/N1")["session"]
    assert (session["project"], session["client"], session["continues"]) == ("fresh", CLAUDE, [])
    assert session["user"]


@promise("hook.start.registers")
def test_a_forked_or_resumed_session_continues_what_its_client_names(desk: Desk) -> None:
    desk.fire(CLAUDE, START, "S1")
    desk.fire(CLAUDE, START, "S2", source="fork", forked_from="S1")
    desk.fire("codex", START, "S3", source="resume", previous_session_id="S2")
    assert desk.rest.ok("GET", "/v1/sessions/S2")["session"]["continues"] == ["S1"]
    assert desk.rest.ok("GET", "/v1/sessions/S3")["session"]["continues"] == ["S2"]


@promise("hook.start.order_and_budgets", "agent.block.start_in_full")
def test_the_inbox_stands_before_the_identity_and_the_own_projects_words_in_a_frame(desk: Desk) -> None:
    desk.foreign("foreign words")
    desk.own(WORD)
    said = desk.say(CLAUDE, START)
    places = [said.index(words) for words in ("1 unread message waits", "begin foreign text", WORD, SECURITY_NOTICE)]
    assert places == sorted(places)
    assert said.endswith("take session=S1.")
    assert "foreign words" not in said


@promise("hook.start.order_and_budgets")
def test_brief_handoff_and_identity_come_once_and_again_only_when_the_context_was_lost(desk: Desk) -> None:
    assert "this session is" in desk.say(CLAUDE, START, source="startup")
    assert desk.fire(CLAUDE, PROMPT) == b""
    assert desk.fire(CLAUDE, START, source="resume") == b""
    assert "this session is" in desk.say(CLAUDE, START, source="compact")
    assert desk.fire(CLAUDE, PROMPT) == b""


@promise("client.delivery.boundaries", "hook.start.order_and_budgets")
def test_after_a_compaction_that_prints_nothing_the_next_prompt_tells_all_again(desk: Desk) -> None:
    desk.own(WORD)
    assert WORD in desk.say("codex", START)
    assert WORD not in desk.say("codex", PROMPT)
    assert desk.fire("codex", "PostCompact") == b""
    said = desk.say("codex", PROMPT)
    assert WORD in said
    assert "this session is S1" in said


@promise("agent.block.shown_once_told")
def test_what_was_not_printed_is_offered_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.server.hooks.offers.UNCONFIRMED_SECONDS", 0.0)
    desk.fire(CLAUDE, START)
    desk.own(WORD)
    assert WORD in text_of(desk.fire(CLAUDE, TOOL, print_it=False))
    assert WORD in text_of(desk.fire(CLAUDE, TOOL))
    assert desk.fire(CLAUDE, TOOL) == b""


@promise("agent.block.shown_once_told")
def test_two_tools_that_end_at_once_do_not_both_tell(desk: Desk) -> None:
    desk.fire(CLAUDE, START)
    desk.own(WORD)
    assert WORD in text_of(desk.fire(CLAUDE, TOOL, print_it=False))
    assert desk.fire(CLAUDE, TOOL) == b"", "the first may still be printing"


@promise("hook.start.unchanged_is_one_line")
def test_another_message_is_news_though_their_number_is_the_same(desk: Desk, clock: VirtualClock) -> None:
    desk.fire(CLAUDE, START)
    first = desk.foreign("one")
    assert "1 unread message" in desk.say(CLAUDE, PROMPT)
    desk.rest.ok("POST", "/v1/messages/pop", {"project": "here", "message_id": first})
    clock.pass_seconds(1)
    desk.foreign("two")
    said = desk.say(CLAUDE, TOOL)
    assert "1 unread message" in said
    assert "as before" not in said


@promise("client.delivery.boundaries", "client.delivery.cheap")
def test_a_hundred_tool_calls_beside_an_unread_item_of_1000_characters_add_under_1500(desk: Desk) -> None:
    desk.fire(CLAUDE, START)
    desk.own("x" * 1_000)
    texts = [desk.fire(CLAUDE, TOOL) for _ in range(100)]
    assert "x" * 1_000 in text_of(texts[0])
    assert sum(len(text_of(text)) for text in texts if text) < 1_500


@promise("hook.told.once")
@pytest.mark.parametrize("boundary", ["start", "prompt"])
def test_cursor_which_runs_claude_codes_hooks_too_is_told_once(desk: Desk, boundary: str) -> None:
    as_cursor = {"start": "sessionStart", "prompt": "beforeSubmitPrompt"}[boundary]
    as_claude = {"start": START, "prompt": PROMPT}[boundary]
    borrowed: Any = {"cursor_version": "3.7.21", "conversation_id": "C1", "session_id": "other-name"}
    if boundary == "prompt":
        desk.fire("cursor", "sessionStart", "C1")
    desk.own(WORD)
    said = [desk.fire("cursor", as_cursor, "C1"), desk.fire(CLAUDE, as_claude, "C1", **borrowed)]
    assert [bool(text) for text in said] == [True, False]
    assert desk.rest.ok("GET", "/v1/sessions/C1")["session"]["client"] == "cursor"


@promise("hook.told.once")
def test_the_order_of_the_two_does_not_matter(desk: Desk) -> None:
    borrowed: Any = {"cursor_version": "3.7.21", "conversation_id": "C1"}
    assert desk.fire(CLAUDE, START, "C1", **borrowed)
    assert desk.fire("cursor", "sessionStart", "C1") == b""


@promise("client.delivery.boundaries")
def test_a_subagents_events_say_nothing_because_its_context_is_not_the_sessions(desk: Desk) -> None:
    desk.fire(CLAUDE, START)
    desk.own(WORD)
    assert desk.fire(CLAUDE, TOOL, agent_id="sub-1") == b""
    assert WORD in desk.say(CLAUDE, TOOL)


@promise("identity.session.keeps_project")
def test_a_session_that_changes_its_directory_is_told_of_its_own_project(desk: Desk) -> None:
    desk.fire(CLAUDE, START)
    desk.foreign()
    assert "the inbox of default/here" in desk.say(CLAUDE, PROMPT, at=desk.other)


@promise("hook.start.registers")
def test_a_session_first_heard_of_at_a_prompt_is_begun_there(desk: Desk) -> None:
    assert "this session is L1" in desk.say(CLAUDE, PROMPT, "L1")
    assert desk.fire(CLAUDE, PROMPT, "L1") == b""


@promise("identity.marker.unconfirmed")
def test_a_marker_that_names_anothers_project_learns_nothing_and_is_told_how_to_be_confirmed(desk: Desk) -> None:
    hostile = desk.folder / "hostile"
    hostile.mkdir()
    (hostile / ".waypost.toml").write_text('project = "here"\n')
    desk.own(WORD)
    said = desk.say(CLAUDE, START, "H1", at=hostile)
    assert "waypost project allow" in said
    assert "unread" not in said
    assert WORD not in said
    assert desk.fire(CLAUDE, PROMPT, "H1", at=hostile).count(b"waypost project allow") <= 1
    assert desk.fire(CLAUDE, PROMPT, "H1", at=hostile) == b""
    assert desk.fire(CLAUDE, TOOL, "H1", at=hostile) == b""


@promise("hook.start.order_and_budgets")
def test_what_does_not_fit_a_client_is_left_out_by_name_and_the_identity_is_kept() -> None:
    parts = [
        Part(name="handoff", text="h" * 2_000),
        Part(name="memory brief", text="b" * 9_000),
        Part(name="identity", text="identity " + "i" * 100, kept=True),
    ]
    text = json.loads(shaped(CLAUDE_CODE, CLAUDE_CODE.events[0].shape or plain, START, parts))["hookSpecificOutput"][
        "additionalContext"
    ]
    assert len(text) <= CLAUDE_CODE.characters
    assert "the memory brief was left out" in text
    assert "h" * 2_000 in text
    assert text.endswith("i")


@promise("hook.start.order_and_budgets")
def test_muse_codes_bound_is_counted_in_bytes() -> None:
    parts = [Part(name="memory brief", text="\u20ac" * 9_000), Part(name="identity", text="i", kept=True)]
    assert len(shaped(MUSE_CODE, plain, START, parts)) <= 16_382


@promise("hook.failure.harmless")
def test_hooks_are_answered_for_the_owner_alone(desk: Desk) -> None:
    assert desk.rest.ask("POST", "/v1/hooks/claude-code/SessionStart", b"{}").status == 403
    assert desk.rest.ask("POST", "/v1/hooks:told", {"session": "S1"}).status == 403


def leave_handoff(desk: Desk, clock: VirtualClock, **fields: Any) -> str:
    """A handoff of an earlier session here, which has been quiet long enough for it to be offered."""
    desk.fire(CLAUDE, START, "EARLIER")
    asked = {"session": "EARLIER", "summary": WORD, **fields}
    headers = {"waypost-working-directory": str(desk.here), "waypost-session": "EARLIER", "waypost-door": "bridge"}
    made = desk.rest.ok("POST", "/v1/handoffs", asked, headers=headers, owner=True)
    clock.pass_seconds(700)
    return str(made["handoff_id"])


def state_of(desk: Desk, handoff: str) -> Any:
    items = desk.rest.ok("GET", "/v1/handoffs?project=here&state=all")["items"]
    return next(item["state"] for item in items if item["id"] == handoff)


@promise("hook.start.order_and_budgets")
def test_a_handoff_is_offered_first_and_claimed_by_the_sessions_first_prompt(desk: Desk, clock: VirtualClock) -> None:
    handoff = leave_handoff(desk, clock, next_steps=["run the tests", "x" * 900, "y" * 900])
    desk.foreign()
    said = desk.say(CLAUDE, START, "S1")
    places = [said.index(words) for words in ("left this handoff", WORD, "1 unread message", "this session is S1")]
    assert places == sorted(places)
    offer = said.partition("\n\nWaypost: 1 unread")[0]
    assert len(offer) <= 2_048
    assert "It is cut here" in offer
    assert state_of(desk, handoff) == "open", "a session that never speaks consumes nothing"
    assert WORD in desk.say(CLAUDE, START, "S2")
    desk.fire(CLAUDE, PROMPT, "S1")
    assert state_of(desk, handoff) == "accepted"
    desk.fire(CLAUDE, PROMPT, "S2")
    assert WORD not in desk.say(CLAUDE, START, "S3")


@promise("hook.start.late_clients")
def test_where_the_first_prompt_tells_the_start_it_claims_the_handoff_too(desk: Desk, clock: VirtualClock) -> None:
    handoff = leave_handoff(desk, clock)
    desk.fire("kimi-code", START, "K1")
    assert WORD in desk.say("kimi-code", PROMPT, "K1")
    assert state_of(desk, handoff) == "accepted"
