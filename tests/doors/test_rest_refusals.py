"""Every refusal at REST: its code, its one status, its problem document, and nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.refused_calls import ERRORS, refused_calls, refused_leases
from tests.doors.rest_door import Answer, RestDoor
from tests.promises.marks import promise
from waypost.assembly.settings import LimitSettings, Settings
from waypost.client.percent import encode_query
from waypost.client.routes import ROUTES
from waypost.kernel.errors import WaypostError
from waypost.operations.call import Call
from waypost.server.context import ServerContext


@promise("api.errors.problem_json", "api.codes.one_status_each")
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_refusal_is_a_problem_document_with_its_status(
    rest: RestDoor, error: type[WaypostError], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = error("What was wrong. Nothing was changed.", hint="What to do.")

    async def refuse(context: ServerContext, name: str, call: Call) -> Answer:
        raise refused

    monkeypatch.setattr("waypost.server.rest.run_operation", refuse)
    answer = rest.ask("GET", "/v1/messages?project=a")
    assert (answer.status, answer.code) == (error.status, error.code)
    assert answer.json() == refused.problem()
    assert ("retry-after" in answer.headers) is error.retryable


@promise(
    "pipeline.doors.same_policy", "mail.refusal.changes_nothing", "scope.guess.every_write_refused", "api.codes.leases"
)
def test_each_refused_call_has_its_code_and_changes_nothing(rest: RestDoor) -> None:
    received, later = rest.send()["message_id"], rest.send(delay_seconds=3_600)["message_id"]
    sent = rest.send(from_project="b", to_project="a")["message_id"]
    popped = rest.send(subject="popped")["message_id"]
    rest.ok("POST", "/v1/messages/pop", {"project": "b", "message_id": popped})
    work = rest.send(subject="work", actionable=True)["message_id"]
    claiming = {"project": "b", "session": "S1", "occurrence": 1}
    token = rest.ok("POST", f"/v1/messages/{work}/claim", claiming)["token"]
    before = everything(rest)
    known = (received, sent, later, popped)
    for code, operation, arguments in (*refused_calls(*known), *refused_leases(known, work, token)):
        name = "message.cancel_all" if arguments == {"all": True} else operation
        path, fields = ROUTES[name].fill(arguments)
        if ROUTES[name].in_query:
            try:
                answer = rest.ask("GET", f"{path}?{encode_query(fields)}")
            except UnicodeEncodeError:  # no query string can carry half a character
                continue
        else:
            answer = rest.ask("POST", path, fields)
        assert answer.code == code, (operation, arguments, answer)
        assert everything(rest) == before, (operation, arguments)


def everything(rest: RestDoor) -> list[bytes]:
    """All that stands in the mailboxes, and the sessions and changes that are known."""
    lists = [rest.ask("GET", f"/v1/messages?project={name}&status=all").body for name in ("a", "b")]
    return [*lists, rest.ask("GET", "/v1/sessions").body, str(rest.journal()).encode()]


@promise("mail.bounds.unread_256", "mail.bounds.rate", "mail.bounds.settings")
def test_full_inboxes_and_fast_senders_are_refused(tmp_path: Path) -> None:
    limits = LimitSettings(inbox=2, sends_a_minute=3)
    with RestDoor(tmp_path, settings=Settings(limits=limits)) as rest:
        rest.ok("PUT", "/v1/projects/default/c", {}, owner=True)
        given = {"from_project": "a", "repeat": True, "body": "Please look."}
        for _ in range(2):
            rest.ok("POST", "/v1/messages", {**given, "to_project": "b"})
        full = rest.ask("POST", "/v1/messages", {**given, "to_project": "b"})
        assert (full.status, full.code) == (409, "inbox_full")
        for target in ("a", "c", "c"):
            rest.ok("POST", "/v1/messages", {**given, "to_project": target, "session": "S1"})
        fast = rest.ask("POST", "/v1/messages", {**given, "to_project": "a", "session": "S1"})
        assert (fast.status, fast.code, fast.headers["retry-after"]) == (429, "rate_limited", "60")
