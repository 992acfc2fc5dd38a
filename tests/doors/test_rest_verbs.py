"""REST serves every verb at its path, answers in the forms that the contract promises, and keeps to idempotency keys."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema  # type: ignore[import-untyped] # it has no types
import pytest

from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from waypost.client.routes import ROUTES
from waypost.server.openapi import message_schema

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "schemas" / "message.json"


@promise("rest.routes.live_verbs")
def test_mail_is_sent_listed_viewed_read_answered_popped_and_withdrawn(rest: RestDoor) -> None:
    sent = rest.send(subject="export")["message_id"]
    assert [item["id"] for item in rest.ok("GET", "/v1/messages?project=b")["items"]] == [sent]
    assert rest.ok("GET", f"/v1/messages/{sent}?project=b")["message"]["id"] == sent
    assert rest.ok("GET", "/v1/messages/wait?project=b&timeout_seconds=0")["items"][0]["id"] == sent
    acting = {"project": "b", "session": "S1"}
    assert rest.ok("POST", f"/v1/messages/{sent}/ack", {**acting, "occurrence": 1})["message_id"] == sent
    reply = rest.ok("POST", f"/v1/messages/{sent}/reply", {**acting, "body": "it is done"})
    assert reply["thread"] == sent
    assert rest.ok("POST", "/v1/messages/pop", {**acting, "message_id": sent})["message"]["status"] == "done"
    second = rest.send(body="another")["message_id"]
    cancelled = rest.ok("POST", f"/v1/messages/{second}/cancel", {"project": "a", "occurrence": 1})
    assert cancelled["cancelled"] == 1
    rest.send(body="a third")
    assert rest.ok("POST", "/v1/messages/cancel", {"project": "a", "all": True})["cancelled"] == 1


@promise("rest.routes.live_verbs")
def test_projects_are_made_listed_shown_renamed_and_moved(rest: RestDoor) -> None:
    made = rest.ok("PUT", "/v1/projects/default/c", {}, owner=True)
    assert (made["created"], made["version"]) == (True, 1)
    assert [item["project"] for item in rest.ok("GET", "/v1/projects")["items"]] == ["a", "b", "c"]
    assert rest.ok("GET", "/v1/projects/default/c")["project"]["project"] == "c"
    renamed = rest.ok("POST", "/v1/projects/default/c:rename", {"to_project": "d"}, owner=True)
    assert renamed["project"]["project"] == "d"
    moved = rest.ok("POST", "/v1/projects/default/d:move", {"to_workspace": "other"}, owner=True)
    assert (moved["project"]["workspace"], moved["version"]) == ("other", 3)
    assert rest.ok("GET", "/v1/projects:which?project=a")["scope_source"] == "explicit"


@promise("rest.routes.live_verbs")
def test_the_project_of_a_directory_is_added_and_a_checkout_allowed(rest: RestDoor, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    added = rest.ok("POST", "/v1/projects", {"directory": str(tmp_path / "one")}, owner=True)
    assert added["project"]["project"] == "one"
    allowed = rest.ok("POST", "/v1/projects/default/one:allow", {"directory": str(tmp_path / "two")}, owner=True)
    assert allowed["project"]["project"] == "one"


@promise("rest.routes.live_verbs")
def test_sessions_are_put_shown_listed_and_continued(rest: RestDoor) -> None:
    rest.ok("PUT", "/v1/sessions/first%3A1", {"project": "a", "client": "codex"})
    put = rest.ok("PUT", "/v1/sessions/second", {"project": "a"})
    assert put["session"]["project"] == "a"
    continued = rest.ok("POST", "/v1/sessions/second:continue", {"continues": "first:1"})
    assert continued["session"]["continues"] == ["first:1"]
    assert rest.ok("GET", "/v1/sessions/first%3A1")["session"]["client"] == "codex"
    assert {item["id"] for item in rest.ok("GET", "/v1/sessions")["items"]} == {"first:1", "second"}


@promise("rest.decisions.routes", "rest.routes.live_verbs")
def test_questions_are_asked_shown_answered_and_withdrawn(rest: RestDoor) -> None:
    options = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    question = {"from_project": "a", "to_project": "b", "question": "Ship it?", "options": options}
    asked = rest.ok("POST", "/v1/decisions", question)["decision_id"]
    assert [one["id"] for one in rest.ok("GET", "/v1/decisions?project=b&state=open")["items"]] == [asked]
    assert rest.ok("GET", f"/v1/decisions/{asked}?project=b")["may_answer"] is True
    assert rest.ok("GET", f"/v1/decisions/{asked}/wait?project=a&timeout_seconds=0")["retry"] is True
    given = {"project": "b", "option": "yes", "comment": "Go on."}
    assert rest.ok("POST", f"/v1/decisions/{asked}/answer", given)["decision"]["state"] == "answered"
    assert rest.ok("GET", f"/v1/decisions/{asked}/wait?project=a")["decision"]["answer"]["option"] == "yes"
    assert rest.refused("POST", f"/v1/decisions/{asked}/answer", given)["code"] == "already_answered"
    second = rest.ok("POST", "/v1/decisions", {**question, "requires_root": True})["decision_id"]
    for owner in (False, True):
        refused = rest.refused("POST", f"/v1/decisions/{second}/answer", given, owner=owner)
        assert (refused["code"], refused["status"]) == ("not_permitted_to_answer", 403)
    cancelled = rest.ok("POST", f"/v1/decisions/{second}/cancel", {"project": "a"})
    assert cancelled["decision"]["state"] == "cancelled"


@promise("rest.decisions.routes", "rest.routes.live_verbs")
def test_handoffs_are_left_offered_claimed_and_withdrawn(rest: RestDoor) -> None:
    left = rest.ok("POST", "/v1/handoffs", {"project": "a", "summary": "Half done."})["handoff_id"]
    assert rest.ok("GET", "/v1/handoffs/offer?project=a")["handoff"]["id"] == left
    assert [one["id"] for one in rest.ok("GET", "/v1/handoffs?project=a")["items"]] == [left]
    assert rest.ok("POST", f"/v1/handoffs/{left}/accept", {"project": "a"})["handoff"]["state"] == "accepted"
    second = rest.ok("POST", "/v1/handoffs", {"project": "a", "summary": "More."})["handoff_id"]
    assert rest.ok("POST", f"/v1/handoffs/{second}/cancel", {"project": "a"})["handoff"]["state"] == "cancelled"


@promise("rest.store.names_itself")
def test_the_store_names_itself(rest: RestDoor) -> None:
    named = rest.ok("GET", "/v1/store")
    assert named["store_id"] == rest.waypost.store.facts.store_id
    assert set(named) >= {"store_id", "created_at", "epoch", "engine", "schema_version"}


@promise("api.lists.shape")
@pytest.mark.parametrize("name", [name for name in ROUTES if name.endswith(".list")])
def test_every_list_answers_items_and_a_cursor(rest: RestDoor, name: str) -> None:
    session = rest.context.signins.redeem(rest.context.signins.issue())
    headers = {"Cookie": f"{rest.context.signins.cookie}={session}"}  # some lists are the operator's
    assert {"items", "next_cursor"} <= set(rest.ok("GET", ROUTES[name].path, headers=headers))


@promise("api.lists.shape")
def test_a_list_is_read_to_its_end_by_its_cursors(rest: RestDoor) -> None:
    sent = [rest.send(body=f"number {number}")["message_id"] for number in range(5)]
    seen: list[str] = []
    target = "/v1/messages?project=b&limit=2"
    for _ in range(3):
        page = rest.ok("GET", target)
        seen += [item["id"] for item in page["items"]]
        target = f"/v1/messages?project=b&limit=2&cursor={page['next_cursor']}"
    assert (seen, page["next_cursor"]) == (sent, None)


@promise("api.times.rfc3339_utc")
def test_every_time_in_an_answer_is_rfc_3339_in_utc(rest: RestDoor) -> None:
    sent = rest.send(due_at="2030-01-02T03:04:05+02:00", expires_at="2031-01-01T00:00:00Z")
    assert sent["due_at"] == "2030-01-02T01:04:05.000000Z"
    record = rest.ok("GET", f"/v1/messages/{sent['message_id']}?project=b")["message"]
    project = rest.ok("GET", "/v1/projects/default/a")["project"]
    assert record["redacted_at"] is None
    times = [value for one in (record, project) for name, value in one.items() if name.endswith("_at") and value]
    assert len(times) == 4
    assert all(INSTANT.fullmatch(time) for time in times)


@promise("api.write.names_change_and_version")
def test_every_write_answers_what_changed_and_its_version(rest: RestDoor) -> None:
    sent = rest.send()
    assert (sent["status"], sent["version"]) == ("open", 1)
    popped = rest.ok("POST", "/v1/messages/pop", {"project": "b"})["message"]
    assert (popped["id"], popped["version"]) == (sent["message_id"], 2)
    again = rest.send(body="withdrawn")["message_id"]
    cancelled = rest.ok("POST", f"/v1/messages/{again}/cancel", {"project": "a"})
    assert cancelled["messages"] == [{"message_id": again, "version": 2}]


@promise("idempotency.key.every_door", "idempotency.key.first_answer")
def test_a_repeat_with_its_key_gets_the_first_answer_and_says_so(rest: RestDoor) -> None:
    body = {"from_project": "a", "to_project": "b", "body": "once", "repeat": True}
    key = {"Idempotency-Key": "a-key"}
    first = rest.ask("POST", "/v1/messages", body, headers=key)
    before = rest.journal()
    second = rest.ask("POST", "/v1/messages", body, headers=key)
    assert (first.headers["idempotency-status"], second.headers["idempotency-status"]) == ("created", "replayed")
    assert second.body == first.body
    assert rest.journal() == before
    assert "idempotency-status" not in rest.ask("POST", "/v1/messages", body).headers


@promise("idempotency.key.mismatch")
def test_a_key_with_another_input_is_refused(rest: RestDoor) -> None:
    key = {"Idempotency-Key": "a-key"}
    rest.ok("POST", "/v1/messages", {"from_project": "a", "to_project": "b", "body": "one"}, headers=key)
    answer = rest.ask("POST", "/v1/messages", {"from_project": "a", "to_project": "b", "body": "two"}, headers=key)
    assert (answer.status, answer.code) == (409, "idempotency_mismatch")


@promise("idempotency.key.malformed_refused")
@pytest.mark.parametrize("key", ["", "with space", "x" * 256, "k\xe9y"])
def test_a_malformed_key_is_refused_and_nothing_changes(rest: RestDoor, key: str) -> None:
    before = rest.journal()
    body = {"from_project": "a", "to_project": "b", "body": "hello"}
    assert rest.ask("POST", "/v1/messages", body, headers={"Idempotency-Key": key}).code == "invalid_input"
    assert rest.journal() == before


@promise("idempotency.refusal.not_stored")
def test_a_key_whose_request_was_refused_succeeds_later(rest: RestDoor) -> None:
    body = {"from_project": "a", "to_project": "later", "body": "hello"}
    key = {"Idempotency-Key": "a-key"}
    assert rest.ask("POST", "/v1/messages", body, headers=key).code == "unknown_recipient"
    rest.ok("PUT", "/v1/projects/default/later", {}, owner=True)
    assert rest.ask("POST", "/v1/messages", body, headers=key).headers["idempotency-status"] == "created"


@promise("record.schema.published")
def test_a_record_keeps_to_the_published_schema(rest: RestDoor) -> None:
    schema = rest.ok("GET", "/v1/schemas/message")
    rest.send(to_session="S1", actionable=True, expires_at="2031-01-01T00:00:00Z")
    rest.ok("POST", "/v1/messages/pop", {"project": "b", "session": "S1"})
    rest.send(body="second")
    items = rest.ok("GET", "/v1/messages?project=b&status=all")["items"]
    assert len(items) == 2
    for item in items:
        jsonschema.Draft202012Validator(schema).validate(item)


@promise("record.schema.published")
def test_the_published_file_is_the_schema_that_is_served() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == message_schema(), (
        "write it anew: python -c 'import json; from waypost.server.openapi import message_schema as m; "
        "print(json.dumps(m(), indent=2))' > docs/schemas/message.json"
    )


@promise("rest.admin.routes")
def test_users_tokens_and_grants_are_administered_by_the_operator(rest: RestDoor) -> None:
    session = rest.context.signins.redeem(rest.context.signins.issue())
    headers = {"Cookie": f"{rest.context.signins.cookie}={session}"}
    assert rest.ok("PUT", "/v1/users/wendy", {}, headers=headers)["created"] is True
    assert [one["user"] for one in rest.ok("GET", "/v1/users", headers=headers)["items"]][-1] == "wendy"
    grant = {"user": "wendy", "project": "a", "rights": ["read"]}
    assert rest.ok("PUT", "/v1/grants", grant, headers=headers)["grant"]["rights"] == ["read"]
    token = {"kind": "agent", "user": "wendy", "name": "ci", "project": "default/a"}
    made = rest.ok("POST", "/v1/tokens", token, headers=headers)["token"]
    assert [one["id"] for one in rest.ok("GET", "/v1/tokens", headers=headers)["items"]] == [made["id"]]
    assert rest.ok("DELETE", f"/v1/tokens/{made['id']}", headers=headers)["token"]["revoked_at"] is not None
    assert len(rest.ok("GET", "/v1/grants?project=a", headers=headers)["items"]) == 1
    assert rest.ok("DELETE", "/v1/grants?user=wendy&project=a", headers=headers)["grant"]["rights"] == []
    assert rest.ok("GET", "/v1/users/wendy", headers=headers)["grants"] == []
    assert rest.ok("DELETE", "/v1/users/wendy", headers=headers)["version"] == 2
    assert rest.ok("GET", "/v1/users:me")["credential"] == "none"
