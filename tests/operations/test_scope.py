"""How the caller's project is found at the operations: one resolver, labelled, and no change on a guess."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.operations.office import LOGIN, Office, refused
from tests.promises.marks import promise
from waypost.operations.call import Caller, Rights

WRITES: list[tuple[str, dict[str, Any]]] = [
    ("message.send", {"to_project": "b", "body": "hello"}),
    ("message.pop", {}),
    ("message.ack", {"occurrence": 1}),
    ("message.cancel", {}),
    ("message.cancel_all", {"all": True}),
    ("message.reply", {"body": "hello"}),
    ("session.put", {"session_id": "X1"}),
]
NEEDS_ID = {"message.ack", "message.cancel", "message.reply"}


@promise("scope.guess.every_write_refused", "scope.guess.says_which", "mail.refusal.changes_nothing")
@pytest.mark.parametrize(("operation", "fields"), WRITES, ids=[name for name, _ in WRITES])
def test_no_verb_changes_anything_on_a_guess(office: Office, operation: str, fields: dict[str, Any]) -> None:
    sent = office.send()["message_id"]
    office.run("session.put", project="b", session_id="B1")
    named = {"message_id": sent} if operation in NEEDS_ID else {}
    with refused(office, "scope_guessed") as caught:
        office.run(operation, **fields, **named)
    assert "default/b" in caught[0].detail
    assert "last_active" in caught[0].detail
    assert "Nothing was changed" in caught[0].detail
    wanted = "from_project" if operation == "message.send" else "project"
    assert wanted in caught[0].hint


@promise("scope.read.guess_answered", "scope.read.always_labelled", "scope.source.labels")
def test_reads_answer_a_guess_and_say_so(office: Office) -> None:
    for box in ("inbox", "outbox"):
        answer = office.run("message.list", box=box)
        assert (answer["items"], answer["scope_source"]) == ([], "default")
        assert answer["resolved_scope"] == {"workspace": None, "project": None}
        assert "project" in answer["hint"]
    office.run("session.put", project="b", session_id="B1")
    sent = office.send()["message_id"]
    answer = office.run("message.list")
    assert ([item["id"] for item in answer["items"]], answer["scope_source"]) == ([sent], "last_active")
    assert answer["resolved_scope"] == {"workspace": "default", "project": "b"}
    assert "guessed" in answer["hint"]
    named = office.run("message.list", project="b")
    assert (named["scope_source"], named["hint"]) == ("explicit", None)


@promise("scope.source.labels")
def test_the_only_project_and_the_default_one_are_guesses_too(database: str) -> None:
    office = Office(database)
    office.add("lonely")
    assert office.run("message.list")["scope_source"] == "only_project"
    office.add("default")
    assert office.run("project.which")["resolved_scope"] == {"workspace": "default", "project": "default"}
    assert office.run("project.which")["guessed"] is True
    office.waypost.close()


@promise("scope.certain.accepted", "scope.source.session_argument_is_declared")
def test_a_known_session_finds_its_project(office: Office) -> None:
    office.run("session.put", project="b", session_id="B1")
    bound = replace(office.caller, bound_session="B1")
    assert office.run("project.which", caller=bound)["scope_source"] == "session"
    named = office.run("project.which", session="B1")
    assert (named["scope_source"], named["resolved_scope"]["project"]) == ("declared", "b")
    sent = office.run("message.send", session="B1", to_project="b", body="to myself")["message_id"]
    record = office.run("message.view", caller=bound, message_id=sent)["message"]
    assert record["foreign"] is True, "the session argument proves nothing"


@promise("scope.source.unknown_session_is_guess")
def test_an_unknown_or_mismatching_session_is_a_guess(office: Office) -> None:
    office.run("session.put", project="b", session_id="B1")
    stranger = replace(office.caller, bound_session="stranger")
    cases: tuple[dict[str, Any], ...] = ({"session": "stranger"}, {"project": "c", "session": "B1"})
    for fields in cases:
        with refused(office, "scope_guessed"):
            office.run("message.pop", **fields)
    with refused(office, "scope_guessed"):
        office.run("message.pop", caller=stranger)
    office.run("session.put", project="a", session_id="A9")
    with refused(office, "scope_guessed") as caught:
        office.run("message.pop", project="b", session="A9")
    assert "was not named" not in caught[0].detail
    assert caught[0].hint.startswith("Leave session out, or name the project")


@promise("scope.restart.unknown_is_not_empty")
def test_a_session_that_has_not_spoken_is_unknown_and_not_without_mail(office: Office, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    caller = replace(office.at(checkout), bound_session="S9")
    office.run("project.add", caller=caller)
    office.reopen()
    answer = office.run("message.list", caller=caller)
    assert answer["items"] == []
    assert "not known" in answer["hint"]


@promise("scope.workdir.certain", "scope.resolver.one", "identity.project.lookup_creates_nothing")
def test_a_directory_is_no_project_until_somebody_adds_it(office: Office, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    caller = office.at(checkout)
    before = office.everything()
    for operation in ("message.list", "project.which", "message.wait", "session.list"):
        office.run(operation, caller=caller)
    assert office.everything() == before
    with refused(office, "scope_guessed") as caught:
        office.run("message.send", caller=caller, to_project="b", body="hello")
    assert "waypost project add" in caught[0].detail
    office.run("project.add", caller=caller)
    for operation in ("message.list", "project.which", "message.wait"):
        answer = office.run(operation, caller=caller)
        assert (answer["scope_source"], answer["resolved_scope"]["project"]) == ("workdir", "checkout")
    office.run("message.send", caller=caller, to_project="b", body="hello")


@promise("identity.session.never_from_recency", "identity.session.not_authentication")
def test_no_session_is_inferred_and_stating_one_gives_no_right(office: Office) -> None:
    office.run("session.put", project="b", session_id="B1")
    sent = office.send(to_session="B1")["message_id"]
    assert office.run("project.which")["session"] is None
    assert office.run("message.pop", project="b")["message"] is None
    agent = Caller(door="rest", rights=Rights.AGENT, login=LOGIN, bound_session="B1")
    with refused(office, "forbidden"):
        office.run("project.rename", caller=agent, workspace="default", project="b", to_project="mine")
    assert office.ids(project="b", session="B1") == [sent]


@promise("identity.session.who_registers")
def test_a_session_is_registered_only_by_those_who_may(office: Office, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    command_line = office.at(checkout)
    office.run("project.add", caller=command_line)

    def known() -> set[str]:
        return {item["id"] for item in office.run("session.list")["items"]}

    office.run("message.list", project="b", session="reader")
    office.run("message.pop", caller=command_line, session="cli-only")
    assert known() == set()
    office.run("message.pop", project="b", session="named-together")
    bridge = replace(command_line, door="bridge", bound_session="from-bridge")
    office.run("message.pop", caller=bridge)
    office.run("session.put", project="c", session_id="put")
    assert known() == {"named-together", "from-bridge", "put"}


@promise("identity.session.keeps_project")
def test_a_session_keeps_its_project_when_its_directory_changes(office: Office, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        subprocess.run(["git", "init", "-q", str(tmp_path / name)], check=True, timeout=30)
        office.run("project.add", caller=office.at(tmp_path / name))
    first = replace(office.at(tmp_path / "one"), door="bridge", bound_session="S1")
    office.run("message.pop", caller=first)
    moved = replace(office.at(tmp_path / "two"), door="bridge", bound_session="S1")
    assert office.run("project.which", caller=moved)["resolved_scope"]["project"] == "one"
    with refused(office, "conflict"):
        office.run("session.put", project="two", session_id="S1", workspace="default")
