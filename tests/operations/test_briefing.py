"""briefing: text of the own project's mail alone, a count for all else, each item in full once, and nothing marked as read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.operations.office import Office, refused
from tests.promises.marks import promise
from waypost.kernel.text import SECURITY_NOTICE

SECRET_WORDS = "melon harvest"


@pytest.fixture
def briefed(office: Office) -> Office:
    """Project b with a session whose project is certain, because its door is bound to it."""
    office.run("session.put", project="b", session_id="B1")
    return office


def brief(office: Office, session: str = "B1", **fields: Any) -> Any:
    return office.run("briefing.show", caller=replace(office.caller, bound_session=session), **fields)


def own_send(office: Office, session: str = "B1", **fields: Any) -> str:
    """A message of project b to itself, sent by a bound session, so that its sender's project is certain."""
    sent = office.run(
        "message.send", caller=replace(office.caller, bound_session=session), **{"body": SECRET_WORDS, **fields}
    )
    return str(sent["message_id"])


@promise(
    "agent.text.same_project_only",
    "agent.notice.users_and_wakes",
    "agent.text.declared_is_foreign",
    "agent.notice.count_and_own_names",
    "briefing.mail.count_and_scope",
)
@pytest.mark.parametrize(
    "foreign",
    [
        {"from_project": "a", "to_project": "b"},
        {"from_project": "b", "to_project": "b"},
        {"from_project": "a", "to_user": "maria"},
        {"from_project": "b", "to_project": "b", "delivery": "wake"},
    ],
    ids=["another project's", "merely declared", "to the user", "a wake"],
)
def test_mail_that_is_not_surely_the_own_projects_is_a_count_and_never_a_word(
    briefed: Office, foreign: dict[str, Any]
) -> None:
    briefed.run("message.send", subject=SECRET_WORDS, body=SECRET_WORDS, **foreign)
    answer = brief(briefed)
    assert (answer["pending_message_count"], answer["only_counted"], answer["inbox_block"]) == (1, 1, None)
    assert "default/b" in answer["notice"]
    assert "1 unread message" in answer["notice"]
    assert "untrusted" in answer["notice"]
    assert SECRET_WORDS not in str(answer)
    own = own_send(briefed, body="the own project's words")
    beside = brief(briefed)
    assert [shown["message_id"] for shown in beside["shown"]] == [own], "foreign text came along with the own project's"
    assert (beside["pending_message_count"], beside["only_counted"]) == (2, 1)
    assert SECRET_WORDS not in str(beside)


@promise("agent.text.same_project_only")
def test_a_wake_of_the_own_project_is_a_count_too(briefed: Office) -> None:
    own_send(briefed, delivery="wake")
    answer = brief(briefed)
    assert (answer["only_counted"], answer["inbox_block"]) == (1, None)


@promise("agent.text.same_project_only", "agent.block.start_in_full", "agent.notice.consumes_nothing")
def test_the_own_projects_mail_stands_in_the_block_at_the_start_of_a_session(briefed: Office) -> None:
    reminder = own_send(briefed, delay_seconds=60)
    note = own_send(briefed, subject="for later")
    assert brief(briefed)["shown"] == [{"message_id": note, "occurrence": 1}]
    briefed.clock.pass_seconds(3_660)
    answer = brief(briefed)
    assert [shown["message_id"] for shown in answer["shown"]] == [note, reminder]
    assert SECRET_WORDS in answer["inbox_block"]
    assert "(1 h 0 min late), reminder" in answer["inbox_block"]
    assert (answer["notice"], answer["only_counted"], answer["left_out"]) == (None, 0, 0)
    assert answer["security_notice"] == SECURITY_NOTICE
    assert briefed.ids(project="b", session="B1") == [note, reminder], "a briefing marked something as read"


@promise(
    "agent.block.shown_once_told",
    "agent.block.prompt_new_in_full",
    "agent.block.tool_new_only",
    "agent.block.left_out_stays_pending",
)
def test_an_item_is_offered_in_full_until_the_hook_says_that_it_was_printed(briefed: Office) -> None:
    first = own_send(briefed)
    for boundary in ("session_start", "prompt", "after_tool"):
        assert SECRET_WORDS in brief(briefed, boundary=boundary)["inbox_block"], boundary
    told: Any = {"items": [{"message_id": first, "occurrence": 1}]}
    assert briefed.run("briefing.shown", project="b", session="B1", **told) == {"noted": 1}
    second = own_send(briefed, body="the second one")
    prompt = brief(briefed, boundary="prompt")
    assert (SECRET_WORDS in prompt["inbox_block"], "the second one" in prompt["inbox_block"]) == (False, True)
    assert f"Still unread, shown before: {first} (1)" in prompt["inbox_block"]
    after_tool = brief(briefed, boundary="after_tool")
    assert (first in after_tool["inbox_block"], after_tool["left_out"]) == (False, 1)
    assert [shown["message_id"] for shown in after_tool["shown"]] == [second]
    start = brief(briefed, boundary="session_start")
    assert [shown["message_id"] for shown in start["shown"]] == [first, second], "compaction forgets what was shown"


@promise("agent.block.shown_once_told")
def test_what_was_shown_to_one_session_is_news_for_another_and_not_for_one_that_continues_it(briefed: Office) -> None:
    first = own_send(briefed)
    briefed.run("briefing.shown", project="b", session="B1", items=[{"message_id": first, "occurrence": 1}])
    briefed.run("session.put", project="b", session_id="B2")
    briefed.run("session.put", project="b", session_id="B3", continues="B1")
    assert SECRET_WORDS in brief(briefed, "B2", boundary="prompt")["inbox_block"]
    assert SECRET_WORDS not in brief(briefed, "B3", boundary="prompt")["inbox_block"]


@promise("agent.block.old_information_skipped")
def test_a_session_that_starts_after_information_was_first_acked_does_not_get_it(briefed: Office) -> None:
    note, work = own_send(briefed), own_send(briefed, body="work", actionable=True)
    for message in (note, work):
        briefed.run("message.ack", project="b", session="B1", message_id=message, occurrence=1)
    briefed.clock.pass_seconds(1)
    briefed.run("session.put", project="b", session_id="B2")
    assert [shown["message_id"] for shown in brief(briefed, "B2")["shown"]] == [work]
    assert briefed.ids(project="b", session="B2") == [work]
    briefed.run("session.put", project="b", session_id="B3", continues="B0")
    briefed.run("session.continue", session_id="B3", continues="B1")
    assert briefed.ids(project="b", session="B3") == [], "who continues the reader has read it too"
    later = own_send(briefed, body="for whoever comes")
    briefed.run("message.ack", project="b", session="B1", message_id=later, occurrence=1)
    assert briefed.ids(project="b", session="B2") == [work, later], "it was there when this was first read"
    assert brief(briefed)["pending_message_count"] == 0


@promise("agent.block.empty_prints_nothing", "agent.notice.absent_when_empty")
def test_with_nothing_unread_there_is_nothing_to_print(briefed: Office) -> None:
    answer = brief(briefed)
    assert (answer["notice"], answer["inbox_block"], answer["pending_message_count"]) == (None, None, 0)


@promise("agent.notice.users_and_wakes")
def test_a_number_that_was_told_before_is_one_short_line(briefed: Office) -> None:
    briefed.send()
    first = brief(briefed)
    again = brief(briefed, told=first["only_counted"])["notice"]
    assert again == "Waypost: 1 unread message waits in the inbox of default/b, as before."
    briefed.send(body="another")
    assert "untrusted" in brief(briefed, told=first["only_counted"])["notice"]


@promise("scope.read.guess_answered")
def test_a_guess_is_answered_with_a_count_and_a_hint_and_without_text(briefed: Office) -> None:
    own_send(briefed)
    answer = briefed.run("briefing.show")
    assert answer["scope_source"] == "last_active"
    assert (answer["pending_message_count"], answer["only_counted"], answer["inbox_block"]) == (1, 1, None)
    assert "guessed" in answer["hint"]
    assert SECRET_WORDS not in str(answer)


@promise("agent.block.shown_once_told")
def test_only_a_recipient_session_can_say_that_it_was_shown_something(briefed: Office) -> None:
    note = own_send(briefed)
    items = [{"message_id": note, "occurrence": 1}]
    with refused(briefed, "session_required"):
        briefed.run("briefing.shown", project="b", items=items)
    briefed.run("session.put", project="a", session_id="A1")
    with refused(briefed, "not_recipient"):
        briefed.run("briefing.shown", project="a", session="A1", items=items)
    stale = [{"message_id": note, "occurrence": 2}]
    assert briefed.run("briefing.shown", project="b", session="B1", items=stale) == {"noted": 0}


@promise("identity.session.continues_declared", "briefing.session.continue_parameter")
def test_a_briefing_that_begins_a_session_notes_what_it_continues(briefed: Office) -> None:
    mail = briefed.send(to_session="B1")["message_id"]
    answer = briefed.run("briefing.begin", project="b", session="B9", session_continue="B1")
    assert answer["pending_message_count"] == 1
    assert briefed.run("session.show", session_id="B9")["session"]["continues"] == ["B1"]
    assert briefed.ids(project="b", session="B9") == [mail]
    with refused(briefed, "invalid_input"):
        briefed.run("briefing.begin", project="b", session="B9", session_continue="B9")
    with refused(briefed, "session_required"):
        briefed.run("briefing.begin", project="b", session_continue="B1")
