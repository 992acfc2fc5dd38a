"""What people who watch ask: filters of the journal, reminders with the late ones first, and threads as far as they may be read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.office import Office, refused
from tests.operations.rights_town import MARK, Town
from tests.promises.marks import promise
from waypost.operations import activity


@promise("web.activity.journal")
def test_the_journal_is_filtered_by_kind_family_door_and_actor(office: Office) -> None:
    sent = office.send()["message_id"]
    office.run("message.pop", project="b", session="S7", message_id=sent)

    def kinds(**given: Any) -> list[str]:
        return [item["kind"] for item in office.run("activity.list", **given)["items"]]

    assert kinds(kind="message") == ["message.popped", "message.sent"]
    assert kinds(kind="message.popped") == ["message.popped"]
    assert kinds(kind="mess") == []
    assert kinds(actor="S7") == ["message.popped", "session.registered"]
    assert kinds(actor="S7", project="a") == ["message.popped"]
    assert kinds(door="mcp") == []
    assert kinds(door="rest", kind="message") == kinds(kind="message")


@promise("web.activity.journal", "mail.list.pages")
def test_filtered_pages_go_on_behind_what_they_looked_at(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "STRIDE", 3)
    monkeypatch.setattr(activity, "MOST_LOOKED_AT", 6)
    for number in range(10):
        sent = office.send(body=f"number {number}")["message_id"]
        if number % 4 == 0:
            office.run("message.pop", project="b", message_id=sent)
    everything = office.run("activity.list", limit=500)["items"]
    wanted = [item["position"] for item in everything if item["kind"] == "message.popped"]
    for limit in (1, 2, 50):
        seen, cursor = [], None
        while True:
            more: dict[str, Any] = {"cursor": cursor} if cursor else {}
            page = office.run("activity.list", kind="message.popped", limit=limit, **more)
            seen += [item["position"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == wanted


@promise("web.activity.journal", "rights.hidden.nothing_leaks")
def test_no_entry_is_found_by_a_session_that_it_does_not_show(office: Office) -> None:
    town = Town(office)
    hidden = f"{MARK}-vault"
    office.run("message.send", from_project=hidden, to_project="a", body="x", session=f"{MARK}-session")
    reader, operator = town.caller("read"), town.operator()
    assert office.run("activity.list", caller=operator, actor=f"{MARK}-session")["items"]
    found = office.run("activity.list", caller=reader, kind="message.sent")["items"]
    assert [item["actor"]["session"] for item in found] == [None]
    assert office.run("activity.list", caller=reader, actor=f"{MARK}-session")["items"] == []


@promise("web.project.reminders_and_claims")
def test_reminders_are_late_ones_first_then_what_is_scheduled_and_how_much_that_is(office: Office) -> None:
    late = office.send(body="late", delay_seconds=60)["message_id"]
    worked = office.send(body="worked", delay_seconds=60, actionable=True)["message_id"]
    done = office.send(body="done", delay_seconds=60)["message_id"]
    office.clock.pass_seconds(90)
    office.run("message.claim", project="b", session="S1", message_id=worked, occurrence=1)
    office.run("message.pop", project="b", message_id=done)
    office.send(body="plain")
    ahead = [office.send(body=str(hours), delay_seconds=hours * 3_600)["message_id"] for hours in (2, 1, 3)]
    found = office.run("activity.reminders", project="b", limit=2)
    assert [item["id"] for item in found["late"]] == [late]
    assert found["late"][0]["late_seconds"] == 30
    assert [item["id"] for item in found["scheduled"]] == [ahead[1], ahead[0]]
    assert (found["scheduled_count"], found["has_more_late"]) == (3, False)
    assert found["security_notice"]
    office.run("message.ack", project="b", session="S1", message_id=late, occurrence=1)
    assert [item["id"] for item in office.run("activity.reminders", project="b", limit=1)["late"]] == [late]
    office.run("message.pop", project="b", session="S1", message_id=late)
    assert office.run("activity.reminders", project="b")["late"] == []
    with refused(office, "not_found"):
        office.run("activity.reminders", project="nobody")


@promise("web.message.page")
def test_a_thread_is_its_latest_mail_the_oldest_of_it_first(office: Office) -> None:
    sent = office.send()["message_id"]
    ids = [sent]
    for number in range(4):
        office.clock.pass_seconds(1)
        project = "ba"[number % 2]
        ids.append(office.run("message.reply", project=project, message_id=ids[-1], body=f"{number}")["message_id"])
    office.send(body="another thread")
    for message_id in ids:
        found = office.run("activity.thread", message_id=message_id)
        assert ([item["id"] for item in found["items"]], found["is_cut"]) == (ids, False)
    cut = office.run("activity.thread", message_id=sent, limit=2)
    assert ([item["id"] for item in cut["items"]], cut["is_cut"]) == (ids[-2:], True)
    with refused(office, "message_not_found"):
        office.run("activity.thread", message_id="01a22d35-6e57-7048-9039-550ed9252b92")
