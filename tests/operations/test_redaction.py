"""redact: no word of a message is left anywhere in the store, and all that happened to it still stands."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.operations.office import LOGIN, Office, refused
from tests.promises.marks import promise
from waypost.operations.call import Caller, Rights

WORD = "xylophone"
"""A word that only the texts to redact hold."""
OPERATOR = Caller(door="web", rights=Rights.OPERATOR, login=LOGIN, user=LOGIN)
OPTIONS: list[dict[str, Any]] = [
    {"id": "yes", "label": f"Yes, {WORD}", "description": f"The {WORD} goes."},
    {"id": "no", "label": "No"},
]
KEPT = {
    *(
        "id",
        "to",
        "from",
        "actionable",
        "delivery",
        "created_at",
        "due_at",
        "expires_at",
        "occurrence",
        "reply_to",
        "thread",
    ),
    *("about", "context", "receipts"),
}


def redact(office: Office, message_id: str) -> Any:
    return office.run("message.redact", caller=OPERATOR, message_id=message_id)


def places_of_the_word(office: Office) -> list[str]:
    """The tables of the whole store in which the word still stands."""
    tables = (
        office.rows("select name from sqlite_schema where type = 'table'")
        if "://" not in office.database
        else (office.rows("select table_name as name from information_schema.tables where table_schema = 'waypost'"))
    )
    assert tables
    return [
        str(table["name"])
        for table in tables
        if WORD in repr([dict(row) for row in office.rows("select * from " + str(table["name"]))])
    ]


def worked_on(office: Office) -> str:
    """A message whose word stands in the text, in an earlier outcome, in the last one and in a kept answer."""
    sent = office.send(
        subject=f"The {WORD}", body=f"Tune the {WORD}.", actionable=True, expires_at="2031-01-01T00:00:00Z"
    )
    held: dict[str, Any] = {"project": "b", "session": "B1", "message_id": sent["message_id"]}
    for occurrence, verb in enumerate(("snooze", "complete"), 1):
        claim = office.run("message.claim", key=f"claim-{occurrence}", **held, occurrence=occurrence)
        later = {"delay_seconds": 60} if verb == "snooze" else {}
        given = {"occurrence": occurrence, "token": claim["token"], "outcome": f"{verb} {WORD}", **later}
        office.run(f"message.{verb}", **held, **given)
        office.clock.pass_seconds(61)
    return str(sent["message_id"])


@promise("mail.redact.everywhere")
def test_no_word_is_left_in_the_store_and_the_history_stands(office: Office) -> None:
    message_id = worked_on(office)
    before = office.run("message.view", project="b", message_id=message_id)
    assert {"messages", "message_versions", "idempotency_keys"} <= set(places_of_the_word(office))
    done = redact(office, message_id)
    assert places_of_the_word(office) == []
    after = office.run("message.view", project="b", message_id=message_id)
    assert {name: after["message"][name] for name in KEPT} == {name: before["message"][name] for name in KEPT}
    assert (after["message"]["subject"], after["message"]["body"], after["message"]["outcome"]) == ("", "", None)
    assert (after["message"]["status"], after["message"]["foreign"]) == ("done", False)
    assert (after["message"]["redacted_at"], after["security_notice"]) == (done["redacted_at"], None)
    kept = [{**version, "outcome": None} for version in before["history"]]
    assert after["history"][1:] == kept
    assert (after["history"][0]["change"], after["history"][0]["version"]) == ("message.redacted", done["version"] - 1)


@promise("mail.redact.everywhere", "idempotency.key.first_answer")
def test_an_answer_that_is_kept_for_a_key_repeats_no_word_of_it(office: Office) -> None:
    message_id = office.send(body=f"Tune the {WORD}.")["message_id"]
    popped = office.run("message.pop", key="once", project="b", session="B1")
    assert WORD in popped["message"]["body"]
    redact(office, message_id)
    again = office.answer("message.pop", key="once", project="b", session="B1")
    assert again.replayed
    record = json.loads(again.json)["message"]
    assert (record["id"], record["body"], record["outcome"]) == (message_id, "", "popped")
    office.clock.pass_seconds(3_600)
    replay = office.run("message.pop", project="b", session="B1", message_id=message_id)
    assert (replay["replayed"], replay["message"]["body"]) == (True, "")


@promise("mail.redact.everywhere")
def test_a_briefing_that_is_kept_for_a_key_is_forgotten(office: Office) -> None:
    message_id = office.send(from_project=None, to_project="a", body=f"Tune the {WORD}.", caller=certain(office))[
        "message_id"
    ]
    begun = office.run("briefing.begin", key="begin", caller=certain(office), session_continue="A0")
    assert WORD in begun["inbox_block"]
    redact(office, message_id)
    assert places_of_the_word(office) == []
    assert WORD not in str(office.run("briefing.begin", key="begin", caller=certain(office), session_continue="A0"))


def certain(office: Office) -> Caller:
    """A caller of project a whose door vouches for it."""
    office.run("session.put", project="a", session_id="A1")
    return replace(office.caller, bound_session="A1")


@promise("mail.redact.withdraws")
@pytest.mark.parametrize("state", ["unread", "scheduled", "claimed"])
def test_an_open_message_is_withdrawn_with_its_words(office: Office, state: str) -> None:
    delay: dict[str, Any] = {"delay_seconds": 60} if state == "scheduled" else {}
    message_id = office.send(body=f"Tune the {WORD}.", actionable=True, **delay)["message_id"]
    held: dict[str, Any] = {"project": "b", "session": "B1", "message_id": message_id, "occurrence": 1}
    token = office.run("message.claim", **held)["token"] if state == "claimed" else ""
    assert redact(office, message_id)["status"] == "cancelled"
    assert office.ids(project="b", status="unread") == office.ids(project="b", status="scheduled") == []
    assert office.run("message.pop", project="b")["message"] is None
    if token:
        with refused(office, "already_closed"):
            office.run("message.complete", **held, token=token, outcome="done")


@promise("mail.redact.everywhere")
def test_a_question_and_the_comment_of_its_answer_lose_their_words(office: Office) -> None:
    fields: dict[str, Any] = {
        "question": f"Tune the {WORD}?",
        "options": OPTIONS,
        "details": WORD,
        "links": [f"https://example.test/{WORD}"],
    }
    asked = office.run("decision.ask", from_project="a", to_project="b", **fields)["decision_id"]
    given = office.run(
        "decision.answer", key="answer", project="b", decision_id=asked, option="yes", comment=f"The {WORD}!"
    )
    redact(office, given["message_id"])
    view = office.run("decision.view", project="a", decision_id=asked)
    assert (view["decision"]["answer"]["comment"], view["decision"]["answer"]["option"]) == ("", "yes")
    assert WORD in view["decision"]["question"]
    assert redact(office, asked)["replies"] == [given["message_id"]]
    assert places_of_the_word(office) == []
    decision = office.run("decision.view", project="a", decision_id=asked)["decision"]
    assert ([option["id"] for option in decision["options"]], decision["links"]) == (["yes", "no"], [])
    assert (decision["question"], decision["state"], decision["redacted_at"] is None) == ("", "answered", False)
    kinds = [
        row["kind"]
        for row in office.rows("select kind from journal order by position")
        if "redacted" in str(row["kind"])
    ]
    assert kinds == ["message.redacted", "decision.redacted"] * 2


@promise("mail.redact.withdraws")
def test_an_open_question_is_withdrawn_with_its_words(office: Office) -> None:
    asked = office.run("decision.ask", from_project="a", to_project="b", question=f"The {WORD}?", options=OPTIONS)
    redact(office, asked["decision_id"])
    assert places_of_the_word(office) == []
    with refused(office, "already_closed"):
        office.run("decision.answer", project="b", decision_id=asked["decision_id"], option="yes")


@promise("mail.redact.repeated")
def test_a_repeat_changes_nothing_and_says_so(office: Office) -> None:
    message_id = office.send(body=WORD)["message_id"]
    first = redact(office, message_id)
    before = office.everything()
    assert redact(office, message_id) == {**first, "repeated": True}
    assert office.everything() == before


@promise("mail.redact.repeated")
def test_the_same_send_is_a_new_message_once_the_first_is_redacted(office: Office) -> None:
    first = office.send(body=WORD)["message_id"]
    office.run("message.pop", project="b")  # a withdrawn one would be sent anew in any case
    redact(office, first)
    again = office.send(body=WORD)
    assert (again["already_sent"], again["message_id"] == first) == (False, False)


@promise("mail.redact.operator_only")
@pytest.mark.parametrize("rights", [Rights.AGENT, Rights.OWNER])
def test_nobody_but_the_operator_redacts(office: Office, rights: Rights) -> None:
    message_id = office.send(body=WORD)["message_id"]
    with refused(office, "forbidden"):
        office.run("message.redact", caller=replace(office.caller, rights=rights), project="a", message_id=message_id)


@promise("mail.redact.repeated")
def test_what_is_not_there_cannot_be_redacted(office: Office) -> None:
    with refused(office, "message_not_found"):
        redact(office, "018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b")
    with refused(office, "invalid_input"):
        redact(office, "17")
