"""The one pipeline: its order, its deciders, one journal entry for each change, refusals without foreign words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.operations.office import Office, refused
from tests.promises.marks import promise
from waypost.identity.models import Scope
from waypost.kernel.errors import Forbidden, WaypostError
from waypost.operations.call import Call, Rights
from waypost.operations.inputs import Input
from waypost.operations.pipeline import Pipeline

MARKER = "zebra crossing at midnight"


class Recorder:
    """A decider that notes what it is asked, and may act meanwhile or refuse."""

    def __init__(self, act: Callable[[], None] | None = None, *, refuse: bool = False) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self._act, self._refuse = act, refuse

    def decide(self, operation: str, scope: Scope, fields: Input) -> None:
        assert isinstance(fields, Input)
        self.asked.append((operation, scope.project.name if scope.project else None))
        if self._act:
            self._act()
        if self._refuse:
            raise Forbidden("The decider said no. Nothing was changed.")


def decided(office: Office, decider: Recorder) -> Pipeline:
    """The office's pipeline with a decider before its writes."""
    pipeline = office.waypost.pipeline
    office.waypost.pipeline = Pipeline(pipeline.store, pipeline.operations, limits=office.limits, deciders=[decider])
    return office.waypost.pipeline


@promise("pipeline.order.kept")
def test_a_decider_is_asked_after_authority_and_before_anything_is_written(office: Office) -> None:
    decider = Recorder(refuse=True)
    decided(office, decider)
    with refused(office, "forbidden"):
        office.run(
            "project.put", caller=replace(office.caller, rights=Rights.AGENT), workspace="default", project="new"
        )
    assert decider.asked == [], "authority comes first"
    with refused(office, "forbidden") as caught:
        office.send()
    assert "decider" in caught[0].detail
    assert decider.asked == [("message.send", "a")]
    office.run("message.list", project="b")
    assert len(decider.asked) == 1, "reading asks nobody"


@promise("pipeline.order.kept", "idempotency.key.first_answer")
def test_a_stored_answer_needs_no_decision(office: Office) -> None:
    first = office.send(key="k")
    decider = Recorder(refuse=True)
    decided(office, decider)
    assert office.send(key="k") == first
    assert decider.asked == []


@promise("pipeline.order.kept")
def test_what_changed_while_the_decider_thought_is_looked_at_again(office: Office) -> None:
    plain = office.waypost.pipeline

    def rename() -> None:
        fields = {"workspace": "default", "project": "a", "to_project": "renamed"}
        plain.run("project.rename", Call(caller=office.caller, fields=fields))

    decided(office, Recorder(rename))
    before = office.rows("select count(*) as messages from messages")
    with pytest.raises(Exception, match="no project 'default/a'"):
        office.send()
    assert office.rows("select count(*) as messages from messages") == before


CHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("message.send", {"from_project": "a", "to_project": "b", "body": MARKER, "subject": MARKER}, "message.sent"),
    ("message.pop", {"project": "b"}, "message.popped"),
    ("message.ack", {"project": "b", "session": "B1", "occurrence": 1}, "message.acked"),
    ("message.cancel", {"project": "a", "outcome": MARKER}, "message.cancelled"),
    ("message.cancel_all", {"project": "a", "all": True}, "message.cancelled"),
    ("message.reply", {"project": "b", "body": MARKER}, "message.sent"),
    ("project.put", {"workspace": "default", "project": "new"}, "project.added"),
    ("project.rename", {"workspace": "default", "project": "c", "to_project": "d"}, "project.renamed"),
    ("project.move", {"workspace": "default", "project": "c", "to_workspace": "w"}, "project.moved"),
    ("project.delete", {"workspace": "default", "project": "c"}, "project.deleted"),
    ("session.put", {"project": "b", "session_id": "B2"}, "session.registered"),
    ("session.continue", {"session_id": "B1", "continues": "B0"}, "session.continued"),
]
NEEDS_ID = {"message.ack", "message.cancel", "message.reply"}


@promise("store.journal.one_per_change", "api.write.names_change_and_version", "idempotency.key.every_door")
@pytest.mark.parametrize(("operation", "fields", "kind"), CHANGES, ids=[name for name, _, _ in CHANGES])
def test_each_change_is_one_journal_entry_without_anybodys_words(
    office: Office, operation: str, fields: dict[str, Any], kind: str
) -> None:
    sent = office.send(body=MARKER)["message_id"]
    office.run("session.put", project="b", session_id="B1")
    office.clock.pass_seconds(1)
    named = {"message_id": sent} if operation in NEEDS_ID else {}
    caller = replace(office.caller, rights=Rights.OPERATOR)
    before = office.rows("select position from journal")
    answer = office.answer(operation, caller=caller, key="k", **fields, **named)
    entries = office.rows(f"select * from journal where position > {len(before)}")
    assert [entry["kind"] for entry in entries] == [kind]
    assert entries[0]["door"] == "rest"
    assert MARKER not in str(office.rows("select * from journal"))
    assert '"version":' in answer.json
    again = office.answer(operation, caller=caller, key="k", **fields, **named)
    assert (again.json, again.replayed) == (answer.json, True)
    assert len(office.rows("select position from journal")) == len(before) + 1


@promise("errors.text.no_foreign", "errors.sentence.complete", "mail.refusal.changes_nothing")
def test_a_refusal_repeats_no_secret_and_nobodys_words(office: Office) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    words = f"{MARKER} {secret}"
    sent = office.send(body=words, subject=words)["message_id"]
    attempts: list[tuple[str, str, dict[str, Any]]] = [
        ("body_too_long", "message.send", {"from_project": "a", "to_project": "b", "body": words * 200}),
        ("invalid_text", "message.send", {"from_project": "a", "to_project": "b", "body": words + "\0"}),
        ("invalid_input", "message.send", {"from_project": words, "to_project": "b", "body": "x"}),
        ("invalid_input", "message.send", {"from_project": "a", "to_project": words, "body": "x"}),
        ("invalid_input", "message.send", {"from_project": "a", "to_project": "b", "body": "x", "due_at": words}),
        ("invalid_input", "message.send", {"from_project": "a", "to_project": "b", "body": "x", "session": words}),
        ("invalid_input", "message.view", {"project": "b", "message_id": words}),
        ("invalid_input", "message.list", {"project": "b", "cursor": words}),
        ("invalid_input", "message.list", {"project": "b", "status": words}),
        ("not_recipient", "message.pop", {"project": "c", "message_id": sent}),
        ("idempotency_mismatch", "message.send", {"from_project": "a", "to_project": "c", "body": words, "key": "k"}),
    ]
    office.send(key="k")
    for code, operation, fields in attempts:
        with refused(office, code) as caught:
            office.run(operation, **fields)
        said = str(caught[0].problem())
        assert MARKER not in said, f"{operation}: {said}"
        assert secret not in said, f"{operation}: {said}"
        assert len(said) < 1_500, f"{operation}: {said}"


@promise("errors.sentence.complete")
@pytest.mark.parametrize(
    "fields",
    [
        {"to_project": "Not A Name"},
        {"due_at": "2026-12-04T09:00:00"},
        {"due_at": "2026-12-04T09:00:00Z", "delay_seconds": 60},
        {"to_project": "b", "to_user": "maria"},
        {"reply_to": "no id"},
        {"to_project": "b", "to_workspace": "elsewhere/"},
        {"body": " "},
        {"unknown": 1},
    ],
)
def test_every_refusal_of_a_write_says_once_what_was_left_unchanged(office: Office, fields: dict[str, Any]) -> None:
    given: dict[str, Any] = {"project": "a", "to_project": "b", "body": "Please.", **fields}
    with pytest.raises(WaypostError) as caught:
        office.run("message.send", **given)
    assert caught.value.detail.count("Nothing was") == 1
    assert caught.value.detail.endswith(".")
    assert office.rows("select count(*) as messages from messages") == [{"messages": 0}]


@promise("errors.sentence.complete")
def test_a_refused_read_speaks_of_no_change(office: Office) -> None:
    reads: tuple[tuple[str, dict[str, Any]], ...] = (
        ("message.list", {"project": "Not A Name"}),
        ("message.list", {"project": "nowhere"}),
        ("message.view", {"project": "a", "message_id": "no id"}),
        ("project.show", {"workspace": "default", "project": "nowhere"}),
        ("activity.list", {"project": "nowhere"}),
    )
    for operation, fields in reads:
        with pytest.raises(WaypostError) as caught:
            office.run(operation, **fields)
        assert "Nothing was" not in caught.value.detail, operation
