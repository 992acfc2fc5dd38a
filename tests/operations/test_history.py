"""Mail as history: what annotates a session stays whatever becomes of it, and a conversation is read in one piece."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.office import Office, refused
from tests.promises.marks import promise
from waypost.kernel.text import unframe

SHOWN: dict[str, Any] = {"project": "b", "session_id": "B1"}


@pytest.fixture
def session(office: Office) -> Office:
    """The office with the session B1 of project b."""
    office.run("session.put", project="b", session_id="B1", client="codex")
    return office


def notes(office: Office, **fields: Any) -> list[Any]:
    found: list[Any] = office.run("session.show", **{**SHOWN, **fields})["annotations"]
    return found


@promise("history.session.mail_annotates", "history.about.defaults_to_session")
def test_mail_to_a_session_annotates_it_and_about_changes_no_recipient(session: Office) -> None:
    to_it = session.send(to_session="B1", about_turn=3)["message_id"]
    about_it = session.send(to_project="c", about="B1")["message_id"]
    elsewhere = session.send(to_session="B1", about="B2")["message_id"]
    assert [note["id"] for note in notes(session)] == [to_it, about_it]
    assert [note["about"] for note in notes(session)] == [{"session": "B1", "turn": 3}, {"session": "B1", "turn": None}]
    assert session.ids(project="b", session="B1") == [to_it, elsewhere]
    assert session.ids(project="c") == [about_it]


@promise("history.session.show")
def test_a_session_shows_its_reference_and_the_dated_notes_of_one_turn_after_it(session: Office) -> None:
    session.send(to_session="B1", about_turn=2, body="of another turn")
    for body in ("first", "second"):
        session.clock.pass_seconds(1)
        session.send(to_session="B1", about_turn=3, body=body)
    shown = session.run("session.show", **SHOWN, turn=3)
    assert (shown["session"]["id"], shown["session"]["client"], shown["turn"]) == ("B1", "codex", 3)
    assert [unframe(note["body"]) for note in shown["annotations"]] == ["first", "second"]
    assert shown["security_notice"]
    assert all(note["foreign"] for note in shown["annotations"])
    times = [note["created_at"] for note in shown["annotations"]]
    assert times == sorted(times)


@promise("history.session.show", "mail.list.pages")
def test_notes_are_read_page_by_page(session: Office) -> None:
    sent = [session.send(to_session="B1", body=f"number {number}")["message_id"] for number in range(5)]
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        page = session.run("session.show", **SHOWN, limit=2, cursor=cursor)
        seen += [note["id"] for note in page["annotations"]]
        cursor = page["next_cursor"]
    assert (sorted(seen), seen[0] in sent, cursor) == (sorted(sent), True, None)
    with refused(session, "invalid_input"):
        session.run("session.show", **SHOWN, cursor="made up")


@promise("history.annotation.outlives_completion", "history.annotation.cancelled_is_labelled")
def test_no_note_goes_away_and_a_withdrawn_one_says_so(session: Office) -> None:
    read = session.send(to_session="B1", body="read")["message_id"]
    done = session.send(to_session="B1", body="done", actionable=True)["message_id"]
    withdrawn = session.send(to_session="B1", body="withdrawn")["message_id"]
    expired = session.send(to_session="B1", body="expired", expires_at="2026-01-01T00:00:00Z")["message_id"]
    put_off = session.send(to_session="B1", body="put off", actionable=True)["message_id"]
    acting: dict[str, Any] = {"project": "b", "session": "B1", "occurrence": 1}
    session.run("message.ack", **acting, message_id=read)
    later: dict[str, Any] = {"delay_seconds": 10**9}
    for message_id, verb, more in ((done, "complete", {}), (put_off, "snooze", later)):
        token = session.run("message.claim", **acting, message_id=message_id)["token"]
        session.run(f"message.{verb}", **acting, message_id=message_id, token=token, outcome="found", **more)
    session.run("message.cancel", project="a", message_id=withdrawn)
    session.clock.pass_seconds(400 * 24 * 3600)
    expected = {read: "done", done: "done", withdrawn: "cancelled", expired: "expired", put_off: "open"}
    assert {note["id"]: note["status"] for note in notes(session)} == expected


@promise("history.session.show", "history.session.read_without_consuming")
def test_reading_notes_marks_nothing_and_shows_none_before_its_time(session: Office) -> None:
    now = session.send(to_session="B1", body="now")["message_id"]
    later = session.send(to_session="B1", body="later", delay_seconds=60)["message_id"]
    before = session.everything()
    assert [note["id"] for note in notes(session, project="c", session="C1")] == [now]
    assert session.everything() == before
    session.clock.pass_seconds(60)
    assert {note["id"] for note in notes(session)} == {now, later}
    assert set(session.ids(project="b", session="B1")) == {now, later}


@promise("history.conversation.whole")
def test_a_conversation_is_read_over_both_boxes_in_the_order_in_which_it_was_written(office: Office) -> None:
    first = office.send(body="question", due_at=None)["message_id"]
    said = [first]
    for project in ("b", "a", "b"):
        office.clock.pass_seconds(1)
        answered = office.run("message.reply", project=project, message_id=said[-1], body=f"from {project}")
        said.append(answered["message_id"])
    office.send(body="another matter")
    office.run("message.pop", project="b", message_id=first)
    for project in ("a", "b"):
        both: dict[str, Any] = {"project": project, "box": "both", "thread": first}
        assert office.ids(**both) == said
        page = office.run("message.list", **both, limit=3)
        assert office.ids(**both, cursor=page["next_cursor"]) == said[3:]
    assert office.ids(project="c", box="both", thread=first) == []
    wrongs: list[dict[str, Any]] = [{"thread": None}, {"status": "open"}, {"from": "a"}, {"query": "x"}]
    for wrong in wrongs:
        with refused(office, "invalid_input"):
            office.run("message.list", **{"project": "a", "box": "both", "thread": first, **wrong})
