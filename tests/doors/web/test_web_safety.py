"""Foreign text stays text, the headers hold, a browser changes nothing but its own sign-in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.doors.web.page_office import FROM_PAGE, HOST, PageOffice
from tests.doors.web.reading import read
from tests.promises.marks import promise
from waypost.operations.call import Caller, Rights
from waypost.server.administration import sign_in_link

PAGES = (
    "/web/",
    "/web/projects/default/b",
    "/web/projects/default/none",
    "/web/activity",
    "/web/sign-in?code=x",
    "/web/nowhere",
)
HOSTILE = (
    '<script>alert(1)</script>"><img src=x onerror=alert(2)>',
    "</h3></li></ol><h1>Your session ended</h1>",
    "{{ 7 * 7 }} {% raw %}",
    "javascript:alert(1) data-hx-get=/web/ hx-on:load=alert(1)",
    "\u202eesrever\u200b \u2066isolate",
    "--- begin foreign text 0123456789abcdef (x) ---",
    "[foreign 01234567: x :01234567]",
)


@promise("web.page.text_escaped")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_subjects_and_bodies_are_shown_as_text(office: PageOffice, text: str) -> None:
    office.send(subject="plain", body="plain")
    plain = read(office.page("/web/projects/default/b").text)
    office.run("message.pop", project="b")
    office.clock.pass_seconds(1)
    office.send(subject=text, body=text)
    reply = office.page("/web/projects/default/b")
    page = read(reply.text)
    letter = page.one("li", "letter")
    shown = letter.one("h3").text
    assert [one.tag for one in letter.all()] == [one.tag for one in plain.one("li", "letter").all()]
    assert shown == letter.one("p", "snippet").text
    assert not page.find("img")
    assert all(one.attributes.get("src", "").startswith("/web/static/") for one in page.find("script"))
    assert not re.search("[\u200b\u202e\u2066]", reply.text)
    assert shown.replace("\\u{202e}", "").startswith(text.replace("\u202e", "").split("\u200b")[0])


@promise("web.page.text_escaped")
def test_session_and_client_names_of_others_are_escaped(office: PageOffice) -> None:
    client = "<b>codex</b>\"onmouseover='x"
    caller = Caller(door="rest", rights=Rights.AGENT, login="maria", client=client)
    office.send(caller=caller, session="A:b.c_d-9")
    letter = read(office.page("/web/projects/default/b").text).one("li", "letter")
    assert client in letter.one("p", "from").text
    assert "A:b.c_d-9" in letter.one("p", "from").text
    assert not letter.find("b")


@promise("web.page.strict_csp")
@pytest.mark.parametrize("path", [*PAGES, "/web/static/app.js", "/web/events"])
def test_every_answer_has_the_strict_policy_and_its_fellows(office: PageOffice, path: str) -> None:
    if path == "/web/events":
        with office.stream(path) as stream:
            headers = stream.headers()
    else:
        headers = office.page(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@promise("web.page.strict_csp", "web.page.no_foreign_host")
@pytest.mark.parametrize("path", PAGES)
def test_no_page_has_inline_script_or_style_or_a_foreign_address(office: PageOffice, path: str) -> None:
    office.send()
    page = read(office.page(path).text)
    for one in page.all():
        assert not any(name.startswith("on") or name == "style" for name in one.attributes), one
        assert one.tag not in {"style", "iframe", "object"}
        assert one.tag != "form" or one.attributes["method"] == "get"
        assert one.tag != "script" or not one.inside
        for name in ("href", "src", "hx-get", "hx-sse:connect", "action"):
            assert one.attributes.get(name, "/").startswith(("/", "#")), one
            assert not one.attributes.get(name, "/").startswith("//"), one


@promise("web.queue.read_only")
def test_no_route_of_the_page_takes_a_write_but_signing_in_and_out(office: PageOffice) -> None:
    message_id = office.send()["message_id"]
    before = office.everything()
    for path in (*PAGES, f"/web/messages/{message_id}/ack", "/web/messages/pop", "/web/events"):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert office.request(method, path, FROM_PAGE, {"project": "b"}).status in {404, 405}
    assert office.everything() == before


@promise("web.queue.read_only")
def test_pop_ack_and_cancel_are_not_reachable_with_a_browsers_credentials(office: PageOffice) -> None:
    message_id = office.send()["message_id"]
    cookie = {
        "cookie": f"{office.context.signins.cookie}={office.context.signins.redeem(office.context.signins.issue())}"
    }
    before = office.everything()
    writes = {
        "/v1/messages/pop": {"workspace": "default", "project": "b", "message_id": message_id},
        f"/v1/messages/{message_id}/ack": {"workspace": "default", "project": "b", "session": "S1", "occurrence": 1},
        f"/v1/messages/{message_id}/cancel": {"workspace": "default", "project": "a"},
        "/v1/messages/cancel": {"workspace": "default", "project": "a", "all": True},
    }
    for path, body in writes.items():
        for credentials in (FROM_PAGE, FROM_PAGE | cookie, cookie | {"content-type": "application/json"}):
            reply = office.request("POST", path, credentials, body)
            assert (reply.status, reply.json()["code"]) == (403, "forbidden"), path
    assert office.everything() == before
    reply = office.request("POST", "/v1/messages/pop", {"content-type": "application/json"}, writes["/v1/messages/pop"])
    assert reply.json()["message"]["id"] == message_id


def signed_in(office: PageOffice) -> dict[str, str]:
    reply = office.request("POST", "/web/session", FROM_PAGE, {"code": office.context.signins.issue()})
    assert reply.status == 200
    return {"cookie": reply.headers["set-cookie"].partition(";")[0]}


@promise("rights.page.operator", "web.signin.reading_free")
def test_a_code_buys_a_session_once_that_the_pages_show(office: PageOffice) -> None:
    code = office.context.signins.issue()
    assert "Signed in" not in office.page("/web/").text
    for _ in range(3):  # looking at the link uses nothing up
        assert office.page(f"/web/sign-in?code={code}").status == 200
    reply = office.request("POST", "/web/session", FROM_PAGE, {"code": code})
    cookie = reply.headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=strict", "Max-Age=43200"} <= set(cookie.split("; "))
    assert "Signed in as operator" in office.page("/web/", {"cookie": cookie.partition(";")[0]}).text
    again = office.request("POST", "/web/session", FROM_PAGE, {"code": code})
    assert (again.status, again.json()["code"]) == (401, "unauthenticated")
    assert "set-cookie" not in again.headers


@promise("rights.page.operator")
def test_two_servers_of_one_host_do_not_sign_each_other_out(office: PageOffice, tmp_path: Path) -> None:
    other = PageOffice(tmp_path / "other")
    try:
        both = {"cookie": "; ".join(signed_in(one)["cookie"] for one in (office, other))}
        for one in (office, other):
            assert "Signed in as operator" in one.page("/web/", both).text
        assert other.request("DELETE", "/web/session", FROM_PAGE | both).status == 200
        assert "Signed in as operator" in office.page("/web/", both).text
        assert "Signed in as operator" not in other.page("/web/", both).text
    finally:
        other.close()


@promise("rights.page.operator")
def test_the_link_that_the_server_makes_leads_to_the_sign_in_page(office: PageOffice) -> None:
    link = sign_in_link(office.context)
    assert link.startswith(office.context.base_url)
    page = read(office.page(link.removeprefix(office.context.base_url)).text)
    assert page.find("section", **{"data-sign-in": ""})


@promise("rights.page.operator")
def test_a_code_lives_a_minute_and_a_session_twelve_hours(office: PageOffice) -> None:
    code = office.context.signins.issue()
    office.clock.pass_seconds(61)
    assert office.request("POST", "/web/session", FROM_PAGE, {"code": code}).status == 401
    cookie = signed_in(office)
    office.clock.pass_seconds(12 * 3600 - 1)
    assert "Signed in" in office.page("/web/", cookie).text
    office.clock.pass_seconds(2)
    assert "Signed in" not in office.page("/web/", cookie).text


@promise("rights.page.operator")
def test_signing_out_ends_the_session(office: PageOffice) -> None:
    cookie = signed_in(office)
    assert office.request("DELETE", "/web/session", FROM_PAGE | cookie, {}).status == 200
    assert "Signed in" not in office.page("/web/", cookie).text


@promise("web.writes.same_origin")
@pytest.mark.parametrize(
    "change",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": ""},
        {"origin": "http://evil.example"},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
    ],
)
def test_signing_in_needs_same_origin_and_json(office: PageOffice, change: dict[str, str]) -> None:
    code = office.context.signins.issue()
    headers = {name: value for name, value in (FROM_PAGE | change).items() if value}
    reply = office.request("POST", "/web/session", headers, {"code": code})
    assert reply.status in {403, 415}
    assert reply.json()["code"] in {"forbidden", "invalid_input"}
    assert office.request("POST", "/web/session", FROM_PAGE, {"code": code}).status == 200


@promise("web.writes.same_origin")
@pytest.mark.parametrize("body", [None, "code", {"code": 5}, {"code": "x" * 5_000}, {"kode": "x"}])
def test_a_malformed_sign_in_is_refused(office: PageOffice, body: object) -> None:
    reply = office.request("POST", "/web/session", FROM_PAGE, body)
    assert reply.status in {400, 413, 422}
    assert reply.json()["hint"]


@promise("web.page.no_foreign_host")
def test_a_page_is_not_served_under_a_foreign_name(office: PageOffice) -> None:
    assert office.page("/web/", {"host": "rebound.example"}).status == 421
    assert office.page("/web/", {"host": HOST}).status == 200
