"""What a reviewer found by reading: names, sessions, texts and counts that reached who may not know of them. On both engines."""

from __future__ import annotations

import json

import pytest

from tests.operations.office import Office, refused
from tests.operations.rights_town import MARK, Town
from tests.promises.marks import promise

VAULT = f"{MARK}-vault"


@pytest.fixture
def town(office: Office) -> Town:
    """A town with people, tokens and grants."""
    return Town(office)


@promise("rights.hidden.nothing_leaks")
def test_a_reply_to_a_hidden_question_learns_nothing_of_it(town: Town) -> None:
    office = town.office
    options = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    asked = office.run("decision.ask", from_project=VAULT, to_project=VAULT, question=f"{MARK}?", options=options)
    reply = {"from_project": "a", "to_project": "a", "body": "option: yes"}
    hidden = office.run(
        "message.send",
        caller=town.caller("write"),
        subject=f"decision-reply: {asked['decision_id']}",
        **reply,
    )
    assert hidden["thread"] == hidden["message_id"], "the thread tells that the question exists"


@promise("rights.hidden.nothing_leaks")
def test_a_session_of_a_hidden_project_is_not_touched_nor_told_by_who_names_it(town: Town) -> None:
    office = town.office
    office.run("session.put", session_id=f"{VAULT}-session", project=VAULT, client="theirs")
    before = office.run("session.show", session_id=f"{VAULT}-session")["session"]
    office.clock.pass_seconds(3_600)
    sent = office.run(
        "message.send",
        caller=town.caller("write"),
        from_project="a",
        to_project="a",
        to_session=f"{VAULT}-session",
        session=f"{VAULT}-session",
        body="x",
    )
    assert office.run("session.show", session_id=f"{VAULT}-session")["session"] == before
    assert sent["reach"]["session_known"] is False


@promise("rights.hidden.nothing_leaks", "web.sender.hidden")
def test_a_full_inbox_of_a_hidden_project_is_neither_named_nor_counted(town: Town) -> None:
    office = town.office
    received = office.run("message.send", from_project=VAULT, to_project="a", body="an answer, please")["message_id"]
    for _ in range(office.limits.inbox):
        town.sent(VAULT, VAULT)
    with refused(office, "inbox_full") as caught:
        office.run("message.reply", caller=town.caller("write"), project="a", message_id=received, body="here")
    assert MARK not in caught[0].detail
    assert str(office.limits.inbox) not in caught[0].detail


@promise("rights.hidden.nothing_leaks")
def test_the_record_of_a_sent_message_names_no_session_of_a_hidden_project(town: Town) -> None:
    office = town.office
    office.run("session.put", session_id=f"{VAULT}-session", project=VAULT)
    received = office.run(
        "message.send", from_project=VAULT, to_project="a", body="an answer, please", session=f"{VAULT}-session"
    )["message_id"]
    wendy = town.caller("write")
    sent = office.run(
        "message.reply",
        caller=wendy,
        project="a",
        message_id=received,
        body="here",
        delivery="wake",
        to_sender_session=True,
    )["message_id"]
    office.run("wake.reserve", project=VAULT, session=f"{VAULT}-session")
    shown = office.run("message.view", caller=wendy, project="a", message_id=sent)
    assert MARK not in json.dumps(shown)


@promise("rights.user.token")
def test_the_kept_answer_of_a_pop_is_not_given_again_to_who_may_read_no_more(town: Town) -> None:
    office = town.office
    town.sent("b", "a", body="for a alone")
    wendy = town.caller("write")
    first = office.run("message.pop", caller=wendy, key="k", project="a")
    assert office.run("message.pop", caller=wendy, key="k", project="a") == first
    office.run("grant.set", caller=town.operator(), user="wendy", project="a", rights=["write"])
    with refused(office, "forbidden"):
        office.run("message.pop", caller=wendy, key="k", project="a")


@promise("rights.administration.operator")
def test_an_agents_token_lists_no_token_of_its_person(town: Town) -> None:
    with refused(town.office, "forbidden"):
        town.office.run("token.list", caller=town.caller("agent"), user="wendy")


@promise("rights.hidden.nothing_leaks")
def test_a_person_with_whom_no_project_is_shared_any_more_is_unknown(town: Town) -> None:
    office = town.office
    wendy = town.caller("write")
    to_rita = {"from_project": "a", "to_user": "rita", "body": "hello"}
    assert office.run("message.send", caller=wendy, **to_rita)["status"] == "open"
    for project in ("a", "b"):
        office.run("grant.remove", caller=town.operator(), user="rita", project=project)
    with refused(office, "unknown_recipient"):
        office.run("message.send", caller=wendy, **to_rita, repeat=True)
