"""Which requests are looked at at all: by Host, Origin, fetch metadata and the store asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from waypost.assembly.settings import ServerSettings, Settings

OWN = {"Host": "127.0.0.1:7433", "Origin": "http://127.0.0.1:7433", "Sec-Fetch-Site": "same-origin"}
SEND = {"from_project": "a", "to_project": "b", "body": "hello"}


@promise("security.host.checked")
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7433",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "localhost@evil.example",
        "192.0.2.1:7433",
        "0.0.0.0:7433",
        "[::2]:7433",
        "[::1",
        "[::1]evil:1",
        "127.0.0.1:port",
        "",
    ],
)
@pytest.mark.parametrize("target", ["/v1/messages", "/mcp", "/web", "/healthz"])
def test_a_foreign_host_reaches_nothing(rest: RestDoor, host: str, target: str) -> None:
    answer = rest.ask("GET", target, headers={"Host": host}, owner=True)
    assert (answer.status, answer.code) == (421, "forbidden")


@promise("security.host.checked")
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:7433", "127.9.9.9:1", "localhost", "LocalHost:80", "[::1]:7433"]
)
def test_a_loopback_name_is_taken_whatever_its_port(rest: RestDoor, host: str) -> None:
    assert rest.ask("GET", "/healthz", headers={"Host": host}).status == 200


@promise("security.host.checked")
def test_the_configured_host_is_taken_too(tmp_path: Path) -> None:
    with RestDoor(tmp_path, settings=Settings(server=ServerSettings(host="post.internal"))) as door:
        assert door.ask("GET", "/healthz", headers={"Host": "post.internal:7433"}).status == 200


@promise("security.origin.checked")
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://localhost:7433",
        "http://127.0.0.1:3000",
        "http://127.0.0.1",
        "file://127.0.0.1:7433",
        "http://127.0.0.1:7433.evil.example",
        "",
    ],
)
@pytest.mark.parametrize(("method", "target"), [("GET", "/v1/messages"), ("POST", "/v1/messages"), ("POST", "/mcp")])
def test_a_foreign_origin_is_refused_at_every_door(rest: RestDoor, origin: str, method: str, target: str) -> None:
    before = rest.journal()
    answer = rest.ask(method, target, SEND if method == "POST" else None, headers={"Origin": origin}, owner=True)
    assert (answer.status, answer.code) == (403, "forbidden")
    assert rest.journal() == before


@promise("security.origin.checked")
def test_the_own_origin_is_taken_and_nothing_is_allowed_across_origins(rest: RestDoor) -> None:
    answer = rest.ask("GET", "/v1/projects", headers=OWN)
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


@promise("web.writes.same_origin")
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({**OWN, "Sec-Fetch-Site": "cross-site"}, "forbidden"),
        ({**OWN, "Sec-Fetch-Site": "same-site"}, "forbidden"),
        ({"Sec-Fetch-Site": "none"}, "forbidden"),
        ({**OWN, "Content-Type": "text/plain"}, "forbidden"),
        ({**OWN, "Content-Type": ""}, "forbidden"),
        (OWN, None),
    ],
)
def test_a_browsers_write_needs_same_origin_and_json(
    rest: RestDoor, headers: Mapping[str, str], code: str | None
) -> None:
    before = rest.journal()
    assert rest.ask("POST", "/v1/messages", SEND, headers=headers).code == code
    assert (rest.journal() == before) is (code is not None)


@promise("web.writes.same_origin")
def test_another_page_may_lead_here_but_not_read(rest: RestDoor) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert rest.ask("GET", "/v1/messages", headers=elsewhere).code == "forbidden"
    assert rest.ask("GET", "/", headers={**elsewhere, "Sec-Fetch-Mode": "navigate"}).status == 307


@promise("web.queue.read_only")
@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("/v1/messages/pop", {"project": "b"}),
        ("/v1/messages/{id}/ack", {"project": "b", "session": "S1", "occurrence": 1}),
        ("/v1/messages/{id}/cancel", {"project": "a"}),
        ("/v1/messages/cancel", {"project": "a", "all": True}),
    ],
)
@pytest.mark.parametrize("with_cookie", [True, False])
def test_a_browsers_credentials_do_not_reach_the_queue(
    rest: RestDoor, target: str, body: dict[str, object], with_cookie: bool
) -> None:
    sent = rest.send()["message_id"]
    session = rest.context.signins.redeem(rest.context.signins.issue())
    headers = {"Cookie": f"{rest.context.signins.cookie}={session}"} if with_cookie else OWN
    before = rest.journal()
    assert rest.ask("POST", target.format(id=sent), body, headers=headers).code == "forbidden"
    assert rest.journal() == before
    assert rest.ask("POST", target.format(id=sent), body).status == 200


@promise("store.runfile.foreign_server")
@pytest.mark.parametrize("target", ["/v1/store", "/v1/messages", "/mcp", "/readyz"])
def test_a_caller_that_asks_for_another_store_is_sent_away(rest: RestDoor, target: str) -> None:
    answer = rest.ask("GET", target, headers={"Waypost-Store": "01890000-0000-7000-8000-000000000000"}, owner=True)
    assert (answer.status, answer.code) == (421, "store_unavailable")
    same = {"Waypost-Store": rest.waypost.store.facts.store_id}
    assert rest.ask("GET", "/v1/store", headers=same).status == 200


@pytest.mark.parametrize(
    "name", ["Host", "Idempotency-Key", "Waypost-Session", "Waypost-Directory", "Waypost-Client", "Waypost-Store"]
)
def test_a_header_that_may_stand_once_is_not_taken_twice(rest: RestDoor, name: str) -> None:
    header = name.lower().encode("ascii")
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/v1/store",
        "raw_path": b"/v1/store",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (header, b"one"), (header, b"two")],
        "client": None,
        "server": None,
    }
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    rest.run(rest.app(scope, None, send))  # type: ignore[arg-type] # nothing is received
    assert sent[0]["status"] == 403


def test_answers_are_neither_kept_nor_taken_for_pages(rest: RestDoor) -> None:
    headers = rest.ask("GET", "/v1/store").headers
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
