"""What REST makes of requests that are wrong: a clear refusal in one form, and nothing changed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.doors.rest_door import HOST, Answer, RestDoor
from tests.promises.marks import promise
from waypost.operations.inputs import Output
from waypost.operations.pipeline import Pipeline

SEND = {"from_project": "a", "to_project": "b", "body": "hello"}
MOST = 1_000_000


def refused(rest: RestDoor, *asked: Any, **how: Any) -> Answer:
    """The answer to a request that changes nothing."""
    before = rest.journal()
    answer = rest.ask(*asked, **how)
    assert answer.code is not None, answer
    assert rest.journal() == before
    return answer


@promise("api.unknown_fields.refused", "api.errors.problem_json")
@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("POST", "/v1/messages", {**SEND, "colour": "red"}),
        ("GET", "/v1/messages?colour=red", None),
        ("POST", "/v1/messages/pop", {"project": "b", "colour": "red"}),
        ("POST", "/v1/server:stop", {"colour": "red"}),
        ("POST", "/v1/messages?colour=red", SEND),
    ],
)
def test_an_unknown_field_is_refused_wherever_it_stands(rest: RestDoor, method: str, target: str, body: object) -> None:
    answer = refused(rest, method, target, body, owner=True)
    assert (answer.status, answer.code) == (422, "invalid_input")


@promise("api.types.wrong_refused")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("body", 7),
        ("body", None),
        ("actionable", "yes"),
        ("actionable", 1),
        ("delay_seconds", "60"),
        ("delay_seconds", 1.5),
        ("about_turn", True),
        ("about_turn", 2**70),
        ("delay_seconds", 2**70),
        ("delay_seconds", -(2**70)),
        ("delivery", "pigeon"),
        ("to_project", ["b"]),
        ("repair", {"not": "a flag"}),
        ("truncate", [True]),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_and_its_field_named(rest: RestDoor, field: str, value: object) -> None:
    answer = refused(rest, "POST", "/v1/messages", {**SEND, "about": "S1", field: value})
    assert (answer.status, answer.code) == (422, "invalid_input")
    assert field in answer.json()["detail"]


@promise("api.ids.malformed_refused")
@pytest.mark.parametrize("wrong", ["not-an-id", "0", "..%2F..", "%00", "01890000-0000-7000-8000-00000000000g"])
def test_a_malformed_id_is_refused_and_its_field_named(rest: RestDoor, wrong: str) -> None:
    answer = refused(rest, "GET", f"/v1/messages/{wrong}?project=b")
    assert answer.status == 422
    assert "message_id" in answer.json()["detail"]


@promise("api.errors.problem_json")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"not json", 400),
        (b'{"body": "x"} {}', 400),
        ('{"body": "hello"}'.encode("utf-16"), 400),
        (b'{"body": "\xff"}', 400),
        (b"\xef\xbb\xbf{}", 400),
        (b'{"delay_seconds": NaN}', 400),
        (b'{"delay_seconds": ' + b"9" * 5_000 + b"}", 400),
        (b'{"body": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400),
        (b"[]", 422),
        (b'"text"', 422),
        (b"null", 422),
        (b'{"body": "one", "body": "two"}', 422),
    ],
    ids=range(13),
)
def test_a_body_that_is_no_json_object_is_refused(rest: RestDoor, body: bytes, status: int) -> None:
    answer = refused(rest, "POST", "/v1/messages", body, headers={"Content-Type": "application/json"})
    assert (answer.status, answer.code) == (status, "invalid_input")


@promise("api.errors.problem_json")
@pytest.mark.parametrize("media_type", ["text/plain", "", "application/x-www-form-urlencoded", "application/jsonp"])
def test_a_body_that_does_not_say_it_is_json_is_refused(rest: RestDoor, media_type: str) -> None:
    answer = refused(rest, "POST", "/v1/messages", json.dumps(SEND).encode(), headers={"Content-Type": media_type})
    assert (answer.status, answer.code) == (415, "invalid_input")


def test_a_body_in_pieces_and_with_a_charset_is_taken(rest: RestDoor) -> None:
    raw = json.dumps(SEND).encode()
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert rest.ok("POST", "/v1/messages", [raw[:9], b"", raw[9:]], headers=headers)["status"] == "open"


@promise("text.invalid.refused_with_position", "text.invalid.repaired")
@pytest.mark.parametrize("text", [b'"a\\ud800b"', b'"a\\u0000b"'])
def test_text_that_cannot_be_stored_is_refused_with_its_place_or_repaired(rest: RestDoor, text: bytes) -> None:
    raw = b'{"from_project": "a", "to_project": "b", "body": ' + text
    headers = {"Content-Type": "application/json"}
    answer = refused(rest, "POST", "/v1/messages", raw + b"}", headers=headers)
    assert (answer.status, answer.code) == (422, "invalid_text")
    assert rest.ok("POST", "/v1/messages", raw + b', "repair": true}', headers=headers)["status"] == "open"


@promise("api.errors.problem_json")
@pytest.mark.parametrize(
    "target",
    [
        "/v1/messages?project=a&project=b",
        "/v1/messages?project=%FF",
        "/v1/messages?" + "&".join(f"f{number}=1" for number in range(100)),
        "/v1/messages?limit=0",
        "/v1/messages?limit=many",
        "/v1/messages?cursor=nonsense",
        "/v1/projects/default/%FF",
    ],
)
def test_a_query_or_path_that_cannot_be_read_is_refused(rest: RestDoor, target: str) -> None:
    assert refused(rest, "GET", target).code == "invalid_input"


@promise("api.errors.problem_json")
def test_a_field_of_the_path_is_not_given_again(rest: RestDoor) -> None:
    sent = rest.send()["message_id"]
    answer = refused(rest, "POST", f"/v1/messages/{sent}/cancel", {"project": "a", "message_id": sent})
    assert "message_id" in answer.json()["detail"]


@promise("rest.methods.wrong_refused")
@pytest.mark.parametrize(
    ("method", "target", "allowed"),
    [
        ("DELETE", "/v1/messages", "GET, HEAD, POST"),
        ("OPTIONS", "/v1/messages", "GET, HEAD, POST"),
        ("PATCH", "/v1/projects/default/a", "DELETE, GET, HEAD, PUT"),
        ("DELETE", "/v1/projects/default/a:rename", "DELETE, GET, HEAD, POST, PUT"),
        ("POST", "/healthz", "GET, HEAD"),
        ("GET", "/v1/server:stop", "POST"),
    ],
)
def test_a_wrong_method_is_refused_with_those_that_are_taken(
    rest: RestDoor, method: str, target: str, allowed: str
) -> None:
    if target.endswith(":rename"):
        method = "PATCH"
    answer = refused(rest, method, target)
    assert (answer.status, answer.code, answer.headers["allow"]) == (405, "invalid_input", allowed)


@promise("rest.methods.wrong_refused")
@pytest.mark.parametrize(
    "target", ["/nope", "/v1", "/v1/", "/v1/messages/", "//v1/messages", "/v1/projects/a", "/mcp/nope"]
)
def test_a_wrong_path_is_refused_in_the_same_form(rest: RestDoor, target: str) -> None:
    answer = refused(rest, "GET", target)
    assert (answer.status, answer.code) == (404, "not_found")


def test_an_encoded_slash_or_colon_stays_within_its_name(rest: RestDoor) -> None:
    rest.ok("PUT", "/v1/sessions/s%3Acontinue", {"project": "a"})
    assert rest.ok("GET", "/v1/sessions/s%3Acontinue")["session"]["id"] == "s:continue"
    assert rest.ask("GET", "/v1/projects/default%2Fa").status == 404


@promise("api.sizes.bounded_before_parsing")
def test_a_request_above_the_limit_is_refused_before_any_of_it_is_read(rest: RestDoor) -> None:
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/v1/messages",
        "raw_path": b"/v1/messages",
        "query_string": b"",
        "headers": [
            (b"host", HOST.encode()),
            (b"content-type", b"application/json"),
            (b"content-length", str(MOST + 1).encode()),
        ],
        "client": None,
        "server": None,
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        raise AssertionError("the body was read")

    async def send(message: Any) -> None:
        sent.append(message)

    rest.run(rest.app(scope, receive, send))
    assert sent[0]["status"] == 413
    assert json.loads(sent[1]["body"])["code"] == "invalid_input"


@promise("api.sizes.bounded_before_parsing")
def test_a_body_without_a_length_is_read_no_further_than_the_limit(rest: RestDoor) -> None:
    headers = {"Content-Type": "application/json"}
    pieces = [b"x" * 300_000] * 20
    answer = refused(rest, "POST", "/v1/messages", pieces, headers=headers)
    assert (answer.status, answer.code) == (413, "invalid_input")


@promise("api.sizes.bounded_before_parsing")
def test_a_body_at_the_limit_is_read(rest: RestDoor) -> None:
    raw = json.dumps(SEND).encode()
    answer = rest.ask("POST", "/v1/messages", raw.ljust(MOST), headers={"Content-Type": "application/json"})
    assert answer.status == 200


@promise("api.errors.never_internal", "security.logs.no_bodies")
def test_an_unexpected_failure_answers_a_fixed_sentence_and_logs_no_word_of_it(
    rest: RestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "the words of a body"

    def fail(unit: object, given: object) -> Output:
        raise RuntimeError(secret)

    pipeline = rest.waypost.pipeline
    broken = replace(pipeline.operation("message.send"), run=fail)
    monkeypatch.setattr(Pipeline, "operation", lambda self, name: broken)
    answer = refused(rest, "POST", "/v1/messages", {**SEND, "body": secret})
    assert (answer.status, answer.code) == (500, "internal_error")
    assert secret not in answer.body.decode()
    assert secret not in json.dumps(rest.events, default=repr)
    failed = [event for event in rest.events if event["event"] == "unexpected failure"]
    assert failed[0]["failure"] == "RuntimeError"
    assert any("test_rest_requests.py" in place for place in failed[0]["places"])


@promise("security.logs.no_bodies")
def test_the_log_names_route_and_code_and_never_what_was_sent(rest: RestDoor) -> None:
    sent = rest.send(body="a body of its own", subject="a subject of its own")["message_id"]
    rest.ok("GET", f"/v1/messages/{sent}?project=b&session=a-session", owner=True)
    rest.ask(
        "POST", "/v1/messages", {**SEND, "to_project": "unheard-of"}, headers={"Idempotency-Key": "a-key-of-its-own"}
    )
    log = json.dumps(rest.events)
    for word in ("of its own", sent, "a-session", "unheard-of", "a-key-of-its-own", rest.context.key):
        assert word not in log
    assert {"route": "/v1/messages/{message_id}", "status": 200}.items() <= rest.events[-2].items()
    assert {"route": "/v1/messages", "status": 404, "code": "unknown_recipient"}.items() <= rest.events[-1].items()
