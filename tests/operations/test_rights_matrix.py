"""Each operation with each kind of caller, by one table; and that nothing of a hidden project is in any answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.operations.office import Office
from tests.operations.rights_table import TABLE, Entry
from tests.operations.rights_town import BOUNDED, CALLERS, MARK, Town
from tests.promises.marks import promise
from waypost.kernel.errors import Unauthenticated, WaypostError
from waypost.operations.call import Caller
from waypost.operations.catalogue import OPERATIONS


@pytest.fixture
def town(office: Office) -> Town:
    """A town with people, tokens and grants."""
    return Town(office)


def code_of(town: Town, operation: str, caller: Caller, fields: dict[str, Any]) -> str:
    """`ok`, or the code of the refusal, which must leave everything as it was."""
    before = town.office.everything()
    try:
        town.office.run(operation, caller=caller, **fields)
    except WaypostError as error:
        code = error.code.replace("message_not_found", "not_found")
    else:
        return "ok"
    assert town.office.everything() == before, f"{operation}: {code} left a change behind"
    return code


@promise("rights.matrix.complete")
def test_every_operation_has_an_entry_in_the_table_of_rights() -> None:
    assert {operation.name for operation in OPERATIONS} == set(TABLE)
    assert all(set(entry.codes) == set(CALLERS) for entry in TABLE.values())


@pytest.mark.parametrize(("operation", "entry"), TABLE.items(), ids=TABLE)
@promise("rights.matrix.complete", "rights.user.token", "rights.agent.token", "security.grants.per_project")
def test_each_caller_gets_what_the_table_says(town: Town, operation: str, entry: Entry) -> None:
    found = {name: code_of(town, operation, town.caller(name), entry.fields(town)) for name in CALLERS}
    assert found == dict(entry.codes)


@pytest.mark.parametrize(("operation", "entry"), TABLE.items(), ids=TABLE)
@promise("rights.token.revoked", "rights.token.expired")
def test_a_token_that_is_taken_back_or_over_runs_nothing(town: Town, operation: str, entry: Entry) -> None:
    """At the door, and also where it was still good when the door looked."""
    fields = entry.fields(town)
    town.expire("operator")
    late = town.caller("operator")
    town.office.clock.pass_seconds(1)
    assert code_of(town, operation, late, fields) == "unauthenticated"
    with pytest.raises(Unauthenticated):
        town.caller("operator")
    for name in ("write", "agent"):
        stale = town.caller(name)
        town.office.run("token.revoke", caller=town.operator(), token_id=town.ids[name])
        refused = {"unauthenticated"} | (
            {"forbidden"} if "directory" in fields else set()
        )  # before a disk is looked at
        assert code_of(town, operation, stale, fields) in refused
        with pytest.raises(Unauthenticated):
            town.caller(name)


LEAKS: dict[str, list[dict[str, Any]]] = {
    "message.list": [
        {},
        {"project": "a"},
        {"project": "a", "status": "all"},
        {"project": "a", "box": "outbox", "status": "all"},
    ],
    "message.wait": [{"project": "a", "timeout_seconds": 0}],
    "project.list": [{}],
    "project.which": [{}, {"session": f"{MARK}-vault-session"}],
    "session.list": [{}],
    "activity.list": [{}, {"project": "a"}],
    "activity.latest": [{}],
    "changes.list": [{"limit": 1000}, {"project": "a", "limit": 1000}],
    "briefing.show": [{}, {"project": "a"}],
    "decision.list": [{}, {"project": "a"}, {"all": True}],
    "handoff.list": [{"project": "a", "state": "all"}],
    "boundary.events": [{}],
    "activity.mark": [{}],
    "activity.claims": [{"project": "a"}],
    "activity.reminders": [{"project": "a"}],
    "grant.list": [{}],
    "user.me": [{}],
}


@pytest.mark.parametrize("name", BOUNDED)
@promise("rights.hidden.nothing_leaks", "web.sender.hidden")
def test_no_answer_holds_anything_of_a_project_that_may_not_be_known(town: Town, name: str) -> None:
    town.fill_hidden()
    caller = town.caller(name)
    everything = town.office.run("message.list", caller=town.caller("operator"), project="a", status="all")
    views = [{"message_id": item["id"], "project": "a"} for item in everything["items"]]
    sent = town.office.run("message.list", caller=town.caller("operator"), project="a", box="outbox", status="all")
    views += [{"message_id": item["id"], "project": "a"} for item in sent["items"]]
    assert len(views) >= 3
    threads = [{"message_id": view["message_id"]} for view in views]
    for operation, calls in {**LEAKS, "message.view": views, "activity.thread": threads}.items():
        for fields in calls:
            try:
                answer = json.dumps(town.office.run(operation, caller=caller, **fields))
            except WaypostError as error:
                answer = json.dumps(error.problem())
            if "session" not in fields:  # what the caller said itself is no leak
                assert MARK not in answer, (operation, fields, answer)
            else:
                assert f"default/{MARK}" not in answer


@promise("rights.hidden.nothing_leaks")
@pytest.mark.parametrize("name", BOUNDED)
def test_a_hidden_project_or_message_is_refused_exactly_as_one_that_is_not_there(town: Town, name: str) -> None:
    caller = town.caller(name)
    hidden = town.sent(f"{MARK}-vault", f"{MARK}-vault", body="x")
    nowhere = "01a22d35-6e57-7048-9039-550ed9252b92"

    def refusal(operation: str, **fields: Any) -> dict[str, Any]:
        with pytest.raises(WaypostError) as caught:
            town.office.run(operation, caller=caller, **fields)
        return caught.value.problem()

    for operation, fields in (
        ("project.show", {"workspace": "default", "project": "{}"}),
        ("activity.list", {"project": "{}"}),
        ("message.list", {"project": "{}"}),
        ("message.list", {"project": "a", "from": "{}"}),
        ("message.send", {"from_project": "a", "to_project": "{}", "body": "x"}),
    ):
        there, none = (
            refusal(operation, **{key: text.format(project) for key, text in fields.items()})
            for project in (f"{MARK}-vault", f"{MARK}-vaulx")
        )
        assert json.dumps(there).replace("vault", "vaulx") == json.dumps(none)
    for operation in ("message.view", "message.pop", "message.cancel"):
        own = {} if name == "nothing" else {"project": "a"}
        assert refusal(operation, message_id=hidden, **own) == refusal(operation, message_id=nowhere, **own)
