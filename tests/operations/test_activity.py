"""The journal for people who watch: newest first, by project, with actor and door, never with text."""

from __future__ import annotations

import json

from tests.operations.office import Office, refused
from tests.promises.marks import promise


@promise("web.page.live")
def test_activity_is_newest_first_and_names_actor_door_and_mailboxes(office: Office) -> None:
    office.send(subject="secret words", body="secret words")
    answer = office.run("activity.list")
    newest = answer["items"][0]
    assert newest["kind"] == "message.sent"
    assert newest["position"] == answer["head"]
    assert [one["project"] for one in newest["mailboxes"]] == ["b", "a"]
    assert newest["actor"]["door"] == "rest"
    assert newest["actor"]["project"] == "a"
    assert "secret" not in json.dumps(answer)
    positions = [item["position"] for item in answer["items"]]
    assert positions == sorted(positions, reverse=True)


@promise("web.page.live")
def test_activity_of_a_project_holds_what_concerns_it_as_sender_or_recipient(office: Office) -> None:
    office.send(from_project="a", to_project="b")
    office.send(from_project="c", to_project="a")
    office.send(from_project="b", to_project="c")
    sent = {
        project: [
            tuple(one["project"] for one in item["mailboxes"])
            for item in office.run("activity.list", project=project)["items"]
            if item["kind"] == "message.sent"
        ]
        for project in "abc"
    }
    assert sent == {"a": [("a", "c"), ("b", "a")], "b": [("c", "b"), ("b", "a")], "c": [("c", "b"), ("a", "c")]}


@promise("mail.list.pages")
def test_pages_of_activity_go_on_where_they_ended_while_more_happens(office: Office) -> None:
    for number in range(5):
        office.send(body=f"number {number}")
    before = [item["position"] for item in office.run("activity.list", limit=500)["items"]]
    seen, cursor = [], None
    while True:
        page = office.run("activity.list", limit=3, **({"cursor": cursor} if cursor else {}))
        seen += [item["position"] for item in page["items"]]
        office.send(body=f"meanwhile {len(seen)}")
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == before


@promise("web.page.live")
def test_latest_says_when_something_last_happened_in_each_project(office: Office) -> None:
    office.clock.pass_seconds(60)
    office.send()
    latest = {item["project"]: item for item in office.run("activity.latest")["items"]}
    assert latest["a"]["at"] == latest["b"]["at"] > latest["c"]["at"]
    assert latest["b"]["kind"] == "message.sent"
    first = office.run("activity.latest", limit=2)
    rest = office.run("activity.latest", limit=2, cursor=first["next_cursor"])
    assert [item["project"] for item in [*first["items"], *rest["items"]]] == ["a", "b", "c"]


@promise("web.page.live")
def test_a_mark_moves_with_what_concerns_the_project_and_says_when_time_alone_changes_it(office: Office) -> None:
    before = office.run("activity.mark", project="b")
    office.send(from_project="a", to_project="c")
    assert office.run("activity.mark", project="b") == before
    office.send(to_project="b", delay_seconds=60)
    scheduled = office.run("activity.mark", project="b")
    assert scheduled["newest"] > before["newest"]
    assert scheduled["pending"] == 0
    assert scheduled["next_at"] is not None
    office.clock.pass_seconds(60)
    due = office.run("activity.mark", project="b")
    assert due == scheduled | {"pending": 1, "next_at": None}
    assert office.run("activity.mark")["pending"] == 2


@promise("web.project.unknown_is_empty")
def test_unknown_projects_and_foreign_cursors_are_refused(office: Office) -> None:
    for operation in ("activity.list", "activity.mark", "activity.claims"):
        with refused(office, "not_found"):
            office.run(operation, project="nobody")
    with refused(office, "invalid_input"):
        office.run("activity.list", cursor=office.run("project.list", limit=1)["next_cursor"])
