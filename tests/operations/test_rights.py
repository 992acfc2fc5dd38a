"""Users, tokens and grants as operations, and what mail does where grants bound it. On both engines."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.operations.office import Office, refused
from tests.operations.rights_town import MARK, Town
from tests.promises.marks import promise
from waypost.identity.credential_store import touch_token
from waypost.identity.token_text import digest_of
from waypost.kernel.time import SECOND, format_instant
from waypost.operations.call import Rights

VAULT = f"{MARK}-vault"
NOBODY = "01a22d35-6e57-7048-9039-550ed9252b92"


@pytest.fixture
def town(office: Office) -> Town:
    """A town with people, tokens and grants."""
    return Town(office)


def everything_stored(office: Office) -> str:
    """Every row of every table that the rights touch."""
    return repr(office.everything())


@promise("rights.tokens.hashed", "rights.token.shown_once")
def test_only_the_hash_of_a_token_is_stored_also_under_its_key(town: Town) -> None:
    office = town.office
    made = [
        office.answer("token.create", caller=town.operator(), key="k1", kind="user", user="wendy", name="laptop")
        for _ in range(2)
    ]
    first, second = (json.loads(answer.json) for answer in made)
    secret = first["secret"]
    assert (second["secret"], second["token"], made[1].replayed) == (None, first["token"], True)
    stored = everything_stored(office)
    assert digest_of(secret) in stored
    assert secret not in stored
    assert secret[-12:] not in stored
    listed = json.dumps(office.run("token.list", caller=town.operator()))
    assert first["token"]["shown"] in listed
    assert secret[-12:] not in listed
    assert digest_of(secret) not in listed


@promise("rights.administration.operator", "rights.owner.may")
def test_the_owner_makes_an_operators_token_and_no_other(office: Office) -> None:
    owner, agent = office.caller, replace(office.caller, rights=Rights.AGENT)
    with refused(office, "forbidden") as caught:
        office.run("token.create", caller=agent, kind="operator", name="n")
    assert "owner" in caught[0].detail
    assert office.run("token.create", caller=owner, kind="operator", name="n")["secret"]
    others: list[dict[str, Any]] = [{"kind": "user"}, {"kind": "agent", "project": "a"}]
    for fields in others:
        with refused(office, "forbidden") as caught:
            office.run("token.create", caller=owner, name="n", **fields)
        assert "operator" in caught[0].detail


@promise("rights.agent.at_most_its_users")
def test_a_person_makes_and_revokes_tokens_of_his_own_agents_only(town: Town) -> None:
    office, wendy = town.office, town.caller("write")
    made = office.run("token.create", caller=wendy, kind="agent", name="ci", project="b", only=["b=read"])
    assert (made["token"]["user"], made["token"]["project"]) == ("wendy", "b")
    mine = {one["id"] for one in office.run("token.list", caller=wendy)["items"]}
    assert mine == {made["token"]["id"], town.ids["write"], town.ids["agent"]}
    others: list[dict[str, Any]] = [
        {"kind": "agent", "user": "rita", "project": "a"},
        {"kind": "user"},
        {"kind": "operator"},
    ]
    for fields in others:
        with refused(office, "forbidden"):
            office.run("token.create", caller=wendy, name="n", **fields)
    with refused(office, "forbidden"):
        office.run("token.create", caller=town.caller("agent"), kind="agent", name="n", project="a")
    with refused(office, "not_found"):
        office.run("token.revoke", caller=wendy, token_id=town.ids["read"])
    assert office.run("token.revoke", caller=wendy, token_id=made["token"]["id"])["token"]["revoked_at"]


@promise("rights.agent.token")
def test_an_agents_token_is_its_project_for_certain_and_never_a_person(town: Town) -> None:
    office, agent = town.office, town.caller("agent")
    sent = office.run("message.send", caller=agent, to_project="b", body="hello")
    record = office.run("message.view", caller=town.caller("write"), message_id=sent["message_id"])["message"]
    assert (record["from"]["project"], record["from"]["user"]) == ("a", None)
    assert record["from"]["via"]["scope_source"] == "token"
    assert "project" not in record["from"]["declared"]
    own = office.run("message.send", caller=agent, body="a note")
    assert office.run("message.view", caller=agent, message_id=own["message_id"])["message"]["foreign"] is False
    entry = office.run("activity.list", caller=agent)["items"][0]
    assert entry["actor"]["user"] == "wendy"
    with refused(office, "forbidden") as caught:
        office.run("message.send", caller=agent, from_project="b", to_project="a", body="posing")
    assert "default/a" in caught[0].detail
    with refused(office, "forbidden"):
        office.run("message.pop", caller=agent, project="b")


@promise("record.user.only_authenticated")
def test_a_persons_token_names_its_user_as_the_sender(town: Town) -> None:
    sent = town.office.run("message.send", caller=town.caller("write"), from_project="a", to_project="b", body="x")
    viewed = town.office.run("message.view", caller=town.caller("read"), message_id=sent["message_id"], project="b")
    assert viewed["message"]["from"]["user"] == "wendy"


@promise("rights.agent.at_most_its_users")
def test_taking_a_grant_back_takes_it_from_the_persons_agents_at_once(town: Town) -> None:
    office, agent = town.office, town.caller("agent")
    grant: dict[str, Any] = {"user": "wendy", "project": "b", "caller": town.operator()}
    office.run("grant.set", rights=["read"], **grant)
    with refused(office, "forbidden") as caught:
        office.run("message.send", caller=agent, to_project="b", body="x")
    assert "write on 'default/b'" in caught[0].detail
    office.run("grant.remove", **grant)
    with refused(office, "unknown_recipient"):
        office.run("message.send", caller=agent, to_project="b", body="x")


@promise("rights.send.needs_write", "rights.refusal.names_missing")
def test_a_send_needs_write_on_the_recipient_and_tells_nothing_of_what_may_not_be_read(town: Town) -> None:
    office, wendy = town.office, town.caller("write")
    office.run("session.put", session_id="SB", project="b")
    office.run("grant.set", caller=town.operator(), user="wendy", project="b", rights=["write"])
    sent = office.run("message.send", caller=wendy, from_project="a", to_project="b", to_session="SB", body="x")
    assert (sent["to"]["project"], sent["reach"]["sessions"], sent["reach"]["session_known"]) == ("b", None, None)
    back = office.run("message.view", caller=wendy, message_id=town.sent("b", "a", session="SB"))["message"]["from"]
    assert (back["project"], back["session"]) == ("a project you cannot read", None)
    listed = office.run("project.list", caller=wendy)["items"]
    assert [one["project"] for one in listed] == ["a"]
    for operation in ("message.list", "message.wait", "activity.claims", "session.list"):
        with refused(office, "forbidden") as caught:
            office.run(operation, caller=wendy, project="b")
        assert "read on 'default/b'" in caught[0].detail
    with refused(office, "forbidden"):
        office.run("message.pop", caller=wendy, project="b")
    with refused(office, "unknown_recipient") as caught:
        office.run("message.send", caller=wendy, from_project="a", to_project="hidden-vaul", body="x")
    assert MARK not in caught[0].hint


@promise("web.sender.hidden")
def test_who_is_written_to_by_a_hidden_project_may_answer_it_without_learning_its_name(town: Town) -> None:
    office, wendy = town.office, town.caller("write")
    received = town.sent(VAULT, "a", session=f"{VAULT}-s", body="please")
    sender = office.run("message.view", caller=wendy, message_id=received, project="a")["message"]["from"]
    assert (sender["workspace"], sender["project"], sender["session"]) == (None, "a project you cannot read", None)
    answer = office.run("message.reply", caller=wendy, message_id=received, project="a", body="done")
    assert (answer["to"]["workspace"], answer["to"]["project"]) == (None, "a project you cannot read")
    assert office.run("message.list", caller=town.caller("harriet"), project=VAULT)["items"][0]["body"]


@promise("rights.user.token")
def test_a_persons_mailbox_is_his_own_and_his_agents(town: Town) -> None:
    office = town.office
    sent = office.run("message.send", from_project="b", to_user="wendy", body="for you")["message_id"]
    for name in ("write", "agent"):
        assert sent in [
            one["id"] for one in office.run("message.list", caller=town.caller(name), user="wendy")["items"]
        ]
    for name in ("read", "nothing"):
        with refused(office, "not_found"):
            office.run("message.list", caller=town.caller(name), user="wendy")
    with refused(office, "message_not_found"):
        office.run("message.view", caller=town.caller("nothing"), message_id=sent)


@promise("rights.hidden.nothing_leaks")
def test_mail_goes_to_people_one_shares_a_project_with_and_to_operators(town: Town) -> None:
    office, wendy = town.office, town.caller("write")
    for person in ("rita", "maria"):
        sent = office.run("message.send", caller=wendy, from_project="a", to_user=person, body=f"to {person}")
        assert sent["to"]["user"] == person
    for person in ("nora", f"{MARK}-harriet", "nobody"):
        with refused(office, "unknown_recipient"):
            office.run("message.send", caller=wendy, from_project="a", to_user=person, body="x")


@promise("idempotency.key.scoped")
def test_a_key_is_its_persons_own_and_counts_for_nothing_once_the_grant_is_gone(town: Town) -> None:
    office, wendy = town.office, town.caller("write")
    office.run("grant.set", caller=town.operator(), user="nora", project="a", rights=["read", "write"])
    send = {"from_project": "a", "to_project": "a", "body": "once", "repeat": True}
    first, again, other, agents = (
        office.answer("message.send", caller=caller, key="k", **send)
        for caller in (wendy, wendy, town.caller("nothing"), town.caller("agent"))
    )
    assert (again.json, again.replayed) == (first.json, True)
    assert (other.replayed, agents.replayed) == (False, False)
    office.run("grant.set", caller=town.operator(), user="wendy", project="a", rights=["read"])
    with refused(office, "forbidden"):
        office.answer("message.send", caller=wendy, key="k", **send)


@promise("mail.bounds.loop_guard")
def test_an_agents_token_does_not_free_a_stopped_chain_and_a_persons_does(town: Town) -> None:
    office, agent = town.office, town.caller("agent")
    first = office.run("message.send", caller=agent, to_project="a", body="ping")["message_id"]
    for number in range(10):
        office.run("message.reply", caller=agent, message_id=first, body=f"pong {number}")
    with refused(office, "loop_guard"):
        office.run("message.reply", caller=agent, message_id=first, body="pong again")
    office.run("message.reply", caller=town.caller("write"), project="a", message_id=first, body="go on")
    office.run("message.reply", caller=agent, message_id=first, body="pong again")


def test_a_removed_user_loses_tokens_and_grants_and_comes_back_without_them(town: Town) -> None:
    office, wendy = town.office, town.caller("write")
    office.run("user.remove", caller=town.operator(), user="wendy")
    with refused(office, "unauthenticated"):
        office.run("user.me", caller=wendy)
    with refused(office, "unknown_recipient"):
        office.run("message.send", from_project="a", to_user="wendy", body="x")
    assert office.run("user.add", caller=town.operator(), user="wendy")["created"] is True
    with refused(office, "unauthenticated"):
        office.run("user.me", caller=wendy)
    assert office.run("user.show", caller=town.operator(), user="wendy")["grants"] == []


def test_administration_is_in_the_journal_with_its_actor_and_seen_by_whom_it_concerns(town: Town) -> None:
    office = town.office
    office.run("user.remove", caller=town.caller("operator"), user="wendy")
    entries = office.run("activity.list", caller=town.operator(), limit=500)["items"]
    kinds = {entry["kind"] for entry in entries}
    assert {"user.added", "user.removed", "token.created", "token.revoked", "grant.set", "grant.removed"} <= kinds
    removed = next(entry for entry in entries if entry["kind"] == "user.removed")
    assert removed["actor"]["user"] == "maria"
    assert {entry["kind"] for entry in office.run("activity.list", caller=town.caller("nothing"))["items"]} == {
        "user.added",
        "token.created",
    }


def test_the_last_use_is_written_now_and_then(town: Town) -> None:
    store, token_id = town.office.waypost.store, town.ids["write"]

    def last_used() -> object:
        listed = town.office.run("token.list", caller=town.operator(), user="wendy")["items"]
        return next(one["last_used_at"] for one in listed if one["id"] == token_id)

    assert last_used() is None
    seen = []
    for seconds in (0, 60, 3_600):
        town.office.clock.pass_seconds(seconds)
        store.write(lambda tx: touch_token(tx, token_id))
        seen.append(last_used())
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize(
    ("code", "operation", "fields"),
    [
        ("invalid_input", "token.create", {"kind": "agent", "user": "wendy", "name": "n"}),
        ("invalid_input", "token.create", {"kind": "user", "user": "wendy", "name": "n", "project": "a"}),
        ("invalid_input", "token.create", {"kind": "agent", "user": "nora", "name": "n", "project": "a"}),
        (
            "invalid_input",
            "token.create",
            {"kind": "agent", "user": "wendy", "name": "n", "project": "a", "only": ["b=read"]},
        ),
        (
            "invalid_input",
            "token.create",
            {"kind": "agent", "user": "wendy", "name": "n", "project": "a", "only": ["a=admin"]},
        ),
        (
            "invalid_input",
            "token.create",
            {"kind": "agent", "user": "wendy", "name": "n", "project": "a", "only": ["a"]},
        ),
        (
            "invalid_input",
            "token.create",
            {"kind": "user", "user": "wendy", "name": "n", "expires_at": "2001-01-01T00:00:00Z"},
        ),
        ("invalid_input", "token.create", {"kind": "user", "user": "wendy", "name": ""}),
        ("not_found", "token.create", {"kind": "user", "user": "nobody", "name": "n"}),
        ("not_found", "token.revoke", {"token_id": NOBODY}),
        ("invalid_input", "token.revoke", {"token_id": "waypost_user_x"}),
        ("invalid_input", "grant.set", {"user": "wendy", "project": "a", "rights": ["own"]}),
        ("invalid_input", "grant.set", {"user": "wendy", "project": "a", "rights": []}),
        ("not_found", "grant.set", {"user": "nobody", "project": "a", "rights": ["read"]}),
        ("not_found", "grant.set", {"user": "wendy", "project": "no-such", "rights": ["read"]}),
        ("not_found", "grant.remove", {"user": "nobody", "project": "a"}),
        ("not_found", "user.remove", {"user": "nobody"}),
        ("conflict", "user.remove", {"user": "maria"}),
        ("invalid_input", "user.add", {"user": "two words"}),
    ],
)
def test_what_makes_no_sense_is_refused(town: Town, code: str, operation: str, fields: dict[str, Any]) -> None:
    with refused(town.office, code):
        town.office.answer(operation, caller=town.operator(), **fields)


def test_grants_and_users_are_listed_page_by_page(town: Town) -> None:
    office, operator = town.office, town.operator()
    names: list[str] = []
    cursor = None
    while True:
        page = office.run("user.list", caller=operator, limit=2, **({"cursor": cursor} if cursor else {}))
        names += [one["user"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert names == sorted(["maria", "wendy", "rita", "dora", "nora", f"{MARK}-harriet"])
    first = office.run("grant.list", caller=operator, limit=4)
    rest = office.run("grant.list", caller=operator, limit=4, cursor=first["next_cursor"])
    assert len(first["items"]) + len(rest["items"]) == 7
    assert {one["user"] for one in office.run("grant.list", caller=operator, project=VAULT)["items"]} == {
        f"{MARK}-harriet"
    }
    assert {one["user"] for one in office.run("grant.list", caller=town.caller("write"))["items"]} == {"wendy"}
    tokens = office.run("token.list", caller=operator, limit=4)
    more = office.run("token.list", caller=operator, limit=4, cursor=tokens["next_cursor"])
    assert len({one["id"] for one in [*tokens["items"], *more["items"]]}) == 7


def test_an_expiry_is_shown_and_kept(town: Town) -> None:
    until = format_instant(town.office.clock.at + 10 * SECOND)
    made = town.office.run("token.create", caller=town.operator(), kind="user", user="rita", name="n", expires_at=until)
    assert made["token"]["expires_at"] == until
