"""Tokens at the doors: REST, MCP and the page; where they are required, and what a wrong one gets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.rest_door import RestDoor
from tests.operations.office import VirtualClock
from tests.promises.marks import promise
from waypost.assembly.settings import AuthSettings, ServerSettings, Settings
from waypost.identity.token_text import TokenKind, make_token
from waypost.server.credentials import MOST_WRONG
from waypost.server.exposure import is_exposed

REQUIRED = Settings(auth=AuthSettings(required=True))
SEND = {"from_project": "a", "to_project": "b", "body": "hello"}
PAGE = {"Host": "127.0.0.1:7433", "Origin": "http://127.0.0.1:7433", "Sec-Fetch-Site": "same-origin"}
UNIX = ("/run/waypost.sock", None)
EVERYWHERE = ["/v1/messages?project=a", "/v1/store", "/v1/users:me", "/metrics", "/openapi.json", "/v1/changes"]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


class Guarded:
    """A server with a wendy, who may read and write a and b, and her tokens."""

    def __init__(self, door: RestDoor) -> None:
        self.door = door
        made = door.ok("POST", "/v1/tokens", {"kind": "operator", "name": "first"}, owner=True)
        self.operator = made["secret"]
        door.ok("PUT", "/v1/users/wendy", {}, headers=self.by(self.operator))
        for project in ("a", "b"):
            grant = {"user": "wendy", "project": project, "rights": ["read", "write"]}
            door.ok("PUT", "/v1/grants", grant, headers=self.by(self.operator))
        self.user = self.make(kind="user")
        self.agent = self.make(kind="agent", project="default/a")

    def make(self, **fields: Any) -> str:
        """A new token of wendy's."""
        body = {"user": "wendy", "name": "test", **fields}
        return str(self.door.ok("POST", "/v1/tokens", body, headers=self.by(self.operator))["secret"])

    @staticmethod
    def by(token: str) -> dict[str, str]:
        """The header of a token."""
        return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def clock() -> VirtualClock:
    """A clock that a test moves."""
    return VirtualClock()


@pytest.fixture
def guarded(tmp_path: Path, clock: VirtualClock) -> Iterator[Guarded]:
    """A server that requires tokens."""
    with RestDoor(tmp_path, settings=REQUIRED, clock=clock) as door:
        yield Guarded(door)


@promise("auth.required.everywhere")
@pytest.mark.parametrize("target", EVERYWHERE)
def test_where_a_token_is_required_nothing_else_is_answered(guarded: Guarded, target: str) -> None:
    answer = guarded.door.ask("GET", target, client=("127.0.0.1", 50_000))
    assert (answer.status, answer.code) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"] == 'Bearer realm="waypost"'
    for token in (guarded.user, guarded.agent, guarded.operator):
        assert guarded.door.ask("GET", target, headers=guarded.by(token)).status == 200
    assert guarded.door.ask("GET", target, owner=True).status == 200
    assert guarded.door.ask("GET", target, client=None, server=UNIX).status == 200


@promise("auth.required.everywhere")
@pytest.mark.parametrize("target", ["/healthz", "/readyz"])
def test_health_is_told_to_everybody(guarded: Guarded, target: str) -> None:
    assert guarded.door.ask("GET", target).status == 200
    assert guarded.door.ask("GET", target, headers=guarded.by("wrong")).status == 200


@promise("auth.mcp.challenge")
def test_mcp_answers_401_with_a_challenge_and_takes_a_token(guarded: Guarded) -> None:
    headers = {"Accept": "application/json, text/event-stream"}
    refused = guarded.door.ask("POST", "/mcp", INITIALIZE, headers=headers)
    assert (refused.status, refused.headers["www-authenticate"]) == (401, 'Bearer realm="waypost"')
    wrong = guarded.door.ask("POST", "/mcp", INITIALIZE, headers={**headers, **guarded.by("waypost_user_x")})
    assert wrong.headers["www-authenticate"] == 'Bearer realm="waypost", error="invalid_token"'
    assert guarded.door.ask("POST", "/mcp", INITIALIZE, headers={**headers, **guarded.by(guarded.agent)}).status == 200
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "message_send", "arguments": {"to_project": "b", "body": "by MCP"}},
    }
    answer = guarded.door.ask("POST", "/mcp", call, headers={**headers, **guarded.by(guarded.agent)})
    assert answer.json()["result"]["structuredContent"]["to"]["project"] == "b"
    listed = guarded.door.ok("GET", "/v1/messages?project=b", headers=guarded.by(guarded.user))["items"]
    assert [one["from"]["via"] for one in listed] == [{"door": "mcp", "scope_source": "token"}]


@promise("rights.agent.token", "rights.user.token", "rights.send.needs_write")
def test_rest_acts_with_the_rights_of_the_token(guarded: Guarded) -> None:
    door = guarded.door
    assert door.ok("POST", "/v1/messages", {"to_project": "b", "body": "x"}, headers=guarded.by(guarded.agent))
    assert door.refused("POST", "/v1/messages", {"to_project": "b", "body": "x"}, headers=guarded.by(guarded.user))[
        "code"
    ] == ("scope_guessed")
    sent = door.ok("POST", "/v1/messages", SEND, headers=guarded.by(guarded.user))["message_id"]
    viewed = door.ok("GET", f"/v1/messages/{sent}?project=b", headers=guarded.by(guarded.user))
    assert viewed["message"]["from"]["user"] == "wendy"
    for method, target, body in (
        ("PUT", "/v1/projects/default/c", {}),
        ("PUT", "/v1/users/eve", {}),
        ("POST", "/v1/server:stop", {}),
        ("POST", "/v1/server:open", {}),
        ("POST", "/v1/store:backup", {"path": "/x"}),
    ):
        for token in (guarded.user, guarded.agent):
            assert door.refused(method, target, body, headers=guarded.by(token))["code"] == "forbidden"
    assert door.ok("PUT", "/v1/projects/default/c", {}, headers=guarded.by(guarded.operator))["created"]
    assert door.refused("GET", "/v1/messages?project=c", headers=guarded.by(guarded.user))["code"] == "not_found"


@promise("auth.wrong_token.refused")
@pytest.mark.parametrize("settings", [REQUIRED, Settings()])
def test_a_wrong_token_is_refused_also_where_none_is_required_and_with_the_key(
    tmp_path: Path, settings: Settings
) -> None:
    with RestDoor(tmp_path, settings=settings) as door:
        good = Guarded(door)
        for wrong in (make_token(TokenKind.USER), "nonsense", good.user[:-1], good.user.upper()):
            for owner in (False, True):
                answer = door.ask("GET", "/v1/users:me", headers=good.by(wrong), owner=owner, client=(wrong[:9], 1))
                assert (answer.status, answer.code) == (401, "unauthenticated")
                assert wrong not in answer.body.decode()
        for header in ("Basic d2VuZHk6cHc=", "Bearer", "Bearer ", good.user):
            assert door.ask("GET", "/v1/users:me", headers={"Authorization": header}).status == 401
        assert door.ok("GET", "/v1/users:me", headers={"Authorization": f"bearer  {good.user} "})["user"] == "wendy"


@promise("rights.token.revoked", "rights.token.expired")
def test_a_token_ends_when_it_is_revoked_or_over(guarded: Guarded, clock: VirtualClock) -> None:
    door, by = guarded.door, guarded.by
    until = guarded.make(kind="user", expires_at="2031-01-01T00:00:00Z")
    mine = door.ok("GET", "/v1/tokens", headers=by(guarded.user))["items"]
    assert len(mine) == 3
    agents = next(one["id"] for one in mine if one["kind"] == "agent")
    door.ok("DELETE", f"/v1/tokens/{agents}", headers=by(guarded.user))
    assert door.ask("GET", "/v1/store", headers=by(guarded.agent)).status == 401
    assert door.ask("GET", "/v1/store", headers=by(until)).status == 200
    clock.pass_seconds(10 * 365 * 24 * 3_600)
    assert door.ask("GET", "/v1/store", headers=by(until)).status == 401
    assert door.ask("GET", "/v1/store", headers=by(guarded.user)).status == 200


@promise("auth.wrong_token.limited")
def test_wrong_tokens_are_counted_by_address_and_logged_without_the_token(
    guarded: Guarded, clock: VirtualClock
) -> None:
    door = guarded.door
    here, there = ("192.0.2.50", 1), ("192.0.2.51", 1)
    door.ok("GET", "/v1/store", headers=guarded.by(guarded.user), client=here)
    wrong = [make_token(TokenKind.USER) for _ in range(MOST_WRONG + 1)]
    codes = [door.ask("GET", "/v1/store", headers=guarded.by(one), client=here).code for one in wrong]
    assert codes == ["unauthenticated"] * MOST_WRONG + ["rate_limited"]
    assert door.ask("GET", "/v1/store", headers=guarded.by(guarded.agent), client=here).code == "rate_limited"
    assert door.ask("GET", "/v1/store", headers=guarded.by(guarded.user), client=here).status == 200
    assert door.ask("GET", "/v1/store", headers=guarded.by(guarded.agent), client=there).status == 200
    clock.pass_seconds(61)
    assert door.ask("GET", "/v1/store", headers=guarded.by(guarded.operator), client=here).status == 200
    told = [event for event in door.events if event["event"] == "token refused"]
    assert {event["address"] for event in told} == {"192.0.2.50"}
    assert not any(token in json.dumps(door.events, default=str) for token in [*wrong, guarded.user])


@promise("security.logs.no_bodies", "rights.token.shown_once")
def test_no_token_is_in_logs_or_figures(guarded: Guarded) -> None:
    door = guarded.door
    session = door.ask("POST", "/web/session", {"token": guarded.user}, headers=PAGE)
    assert session.status == 200
    figures = door.ask("GET", "/metrics", headers=guarded.by(guarded.operator)).body.decode()
    for token in (guarded.user, guarded.agent, guarded.operator):
        for text in (json.dumps(door.events, default=str), figures, str(session.headers)):
            assert token not in text
            assert token[-12:] not in text


@promise("security.directory.needs_key")
def test_where_tokens_are_required_loopback_is_no_proof_of_anything(guarded: Guarded, tmp_path: Path) -> None:
    loopback = ("127.0.0.1", 50_000)
    headers = {**guarded.by(guarded.user), "Waypost-Directory": str(tmp_path)}
    answer = guarded.door.ask("GET", "/v1/projects:which", headers=headers, client=loopback)
    assert answer.code == "forbidden"
    assert guarded.door.ask("PUT", "/v1/projects/default/n", {}, client=loopback).code == "unauthenticated"


def cookie_of(answer: Any) -> dict[str, str]:
    """The cookie that an answer sets."""
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


@promise("web.signin.by_token")
def test_a_person_signs_in_to_the_page_by_token_with_his_own_rights(guarded: Guarded, clock: VirtualClock) -> None:
    door = guarded.door
    for page in ("/", "/web", "/web/", "/web/projects/default/a"):
        led = door.ask("GET", page)
        assert (led.status, led.headers["location"]) == (303, "/web/sign-in")
    assert door.ask("GET", "/web/events").status == 401
    assert b"Your token" in door.ask("GET", "/web/sign-in").body
    assert door.ask("GET", "/web/static/app.js").status == 200
    assert door.ask("POST", "/web/session", {"token": guarded.user}).code == "forbidden"
    assert door.ask("POST", "/web/session", {"token": guarded.agent}, headers=PAGE).code == "forbidden"
    assert door.ask("POST", "/web/session", {"token": "wrong"}, headers=PAGE).status == 401
    signed_in = door.ask("POST", "/web/session", {"token": guarded.user}, headers=PAGE)
    assert signed_in.status == 200
    assert {"HttpOnly", "SameSite=strict"} <= set(signed_in.headers["set-cookie"].split("; "))
    assert guarded.user not in signed_in.headers["set-cookie"]
    cookie = cookie_of(signed_in)
    assert b"Signed in as wendy" in door.ask("GET", "/web/", headers=cookie).body
    assert door.ok("GET", "/v1/users:me", headers=cookie)["credential"] == "user"
    assert door.ask("PUT", "/v1/users/eve", {}, headers={**cookie, **PAGE}).code == "forbidden"
    over_tls = door.ask(
        "POST", "/web/session", {"token": guarded.user}, headers={**PAGE, "Origin": "https://127.0.0.1:7433"}
    )
    assert "Secure" in over_tls.headers["set-cookie"].split("; ")
    assert door.ask("DELETE", "/web/session", {}, headers={**cookie, **PAGE}).status == 200
    assert door.ask("GET", "/v1/store", headers=cookie).status == 401
    again = cookie_of(door.ask("POST", "/web/session", {"token": guarded.user}, headers=PAGE))
    clock.pass_seconds(13 * 3_600)
    assert door.ask("GET", "/v1/store", headers=again).status == 401


@promise("web.signin.by_token", "rights.token.revoked")
def test_a_page_session_ends_with_its_token(guarded: Guarded) -> None:
    door = guarded.door
    cookie = cookie_of(door.ask("POST", "/web/session", {"token": guarded.user}, headers=PAGE))
    assert door.ask("GET", "/v1/store", headers=cookie).status == 200
    door.ok("DELETE", "/v1/users/wendy", headers=guarded.by(guarded.operator))
    assert door.ask("GET", "/v1/store", headers=cookie).status == 401
    assert door.ask("GET", "/web/", headers=cookie).status == 303


@promise("web.sender.hidden")
def test_a_hidden_sender_has_no_name_and_no_link_on_the_page(guarded: Guarded) -> None:
    door = guarded.door
    door.ok("PUT", "/v1/projects/default/secret-place", {}, owner=True)
    sent = {"from_project": "secret-place", "to_project": "a", "subject": "hi", "body": "from a hidden place"}
    door.ok("POST", "/v1/messages", sent, owner=True)
    cookie = cookie_of(door.ask("POST", "/web/session", {"token": guarded.user}, headers=PAGE))
    for page in ("/web/", "/web/projects/default/a"):
        shown = door.ask("GET", page, headers=cookie).body.decode()
        assert "secret-place" not in shown
    assert "a project you cannot read" in shown
    assert door.ask("GET", "/web/projects/default/secret-place", headers=cookie).status == 404


@promise("auth.open.as_before")
def test_without_tokens_loopback_is_as_it_was_also_where_users_exist(tmp_path: Path) -> None:
    with RestDoor(tmp_path) as door:
        guarded = Guarded(door)
        assert door.ok("POST", "/v1/messages", SEND)["message_id"]
        assert len(door.ok("GET", "/v1/messages?project=b")["items"]) == 1
        me = door.ok("GET", "/v1/users:me")
        assert (me["credential"], me["rights"], me["grants"]) == ("none", "agent", None)
        assert door.ok("GET", "/v1/users:me", headers=guarded.by(guarded.agent))["project"] == "a"


@promise("security.host.checked")
def test_a_server_is_called_by_its_allowed_names_and_by_the_address_that_was_dialled(tmp_path: Path) -> None:
    settings = Settings(server=ServerSettings(host="0.0.0.0", allowed_hosts=("post.example",)))
    with RestDoor(tmp_path, settings=settings) as door:
        for host in ("post.example", "POST.example:443", "127.0.0.1:7433"):
            assert door.ask("GET", "/healthz", headers={"Host": host}).status == 200
        for host in ("other.example", "0.0.0.0:7433", "192.0.2.8"):
            assert door.ask("GET", "/healthz", headers={"Host": host}).status == 421
        dialled = door.ask("GET", "/healthz", headers={"Host": "192.0.2.9:7433"}, server=("192.0.2.9", 7433))
        assert dialled.status == 200


@promise("auth.exposed.required")
@pytest.mark.parametrize(
    ("server", "exposed"),
    [
        (ServerSettings(), False),
        (ServerSettings(host="localhost"), False),
        (ServerSettings(allowed_hosts=("localhost", "127.0.0.1")), False),
        (ServerSettings(host="0.0.0.0"), True),
        (ServerSettings(host="::"), True),
        (ServerSettings(host="192.0.2.1"), True),
        (ServerSettings(host="no.such.host.invalid"), True),
        (ServerSettings(allowed_hosts=("post.example",)), True),
    ],
)
def test_whoever_can_be_reached_from_elsewhere_requires_tokens_whatever_the_setting(
    tmp_path: Path, server: ServerSettings, exposed: bool
) -> None:
    settings = Settings(server=server, auth=AuthSettings(required=False))
    assert is_exposed(settings) is exposed
    with RestDoor(tmp_path, settings=settings) as door:
        assert door.context.auth_required is exposed
        assert door.ask("GET", "/v1/store").status == (401 if exposed else 200)
