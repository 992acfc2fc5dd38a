"""The pages in a real browser: they change by themselves, speak the viewer's time, and sign a person in."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.example import Past, Person, fill
from tests.browser.serving import Served, serve
from tests.browser.visitor import Visitor
from tests.promises.marks import promise

pytestmark = pytest.mark.browser

API = "/web/projects/default/api"
NOTEBOOKS = "/web/projects/research/notebooks"


def post(served: Served, path: str, **fields: object) -> dict[str, object]:
    request = urllib.request.Request(
        served.url + path, json.dumps(fields).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=15) as answer:
        found: dict[str, object] = json.loads(answer.read())
        return found


def not_reloaded(page: Page) -> bool:
    """Whether the page is still the one that was marked."""
    return bool(page.evaluate("window.untouched === true"))


@promise("web.page.live", "web.page.no_foreign_host", "web.page.strict_csp")
def test_a_message_sent_through_rest_appears_without_a_reload(served: Served, visitor: Visitor) -> None:
    page = visitor.open(NOTEBOOKS)
    page.evaluate("window.untouched = true")
    expect(page.locator(".mailbox .empty")).to_have_text("No mail is waiting here.")
    post(
        served,
        "/v1/messages",
        from_project="default/web",
        to_project="research/notebooks",
        subject="<b>Fresh</b>",
        body="It has just come.",
    )
    expect(page.locator(".letter h3")).to_have_text("<b>Fresh</b>")
    expect(page.locator("h1 .badge")).to_have_text("1 inbox")
    expect(page).to_have_title("(1) research/notebooks · Waypost")
    assert not_reloaded(page)


@promise("web.page.live")
def test_home_follows_mail_that_comes_and_goes(served: Served, visitor: Visitor) -> None:
    page = visitor.open("/web/")
    page.evaluate("window.untouched = true")
    card = page.locator("[id='card-research/notebooks']")
    expect(card.locator(".badge")).to_have_count(0)
    sent = post(
        served, "/v1/messages", from_project="default/web", to_project="research/notebooks", body="Come and go."
    )
    expect(card.locator(".badge")).to_have_text("1 inbox")
    post(
        served,
        "/v1/messages/pop",
        workspace="research",
        project="notebooks",
        message_id=sent["message_id"],
    )
    expect(card.locator(".badge")).to_have_count(0)
    assert not_reloaded(page)


@promise("web.page.live")
def test_the_page_says_when_it_is_not_live_and_catches_up_when_it_is_again(browser: Browser, tmp_path: Path) -> None:
    past = Past()
    with serve(tmp_path, clock=past) as served:
        fill(served.context.waypost, past)
        visitor = Visitor(browser, served.url)
        page = visitor.open(NOTEBOOKS)
        port = int(served.url.rpartition(":")[2])
    expect(page.locator("#live-state")).to_have_text("Reconnecting", timeout=15_000)
    with serve(tmp_path, clock=past, port=port) as served:
        Person(served.context.waypost).send("default/web", "research/notebooks", "While you were away", "Hello.")
        expect(page.locator(".letter h3")).to_have_text("While you were away", timeout=20_000)
        expect(page.locator("#live-state")).to_have_text("Live")
        visitor.leave()


@promise("web.times.viewers_zone")
def test_times_are_in_the_viewers_zone_with_utc_at_hand(browser: Browser, served: Served) -> None:
    visitor = Visitor(browser, served.url, timezone_id="Pacific/Auckland", locale="en-GB")
    page = visitor.open(API)
    due = page.locator(".reminders ul time[data-show=clock]").first
    instant = due.get_attribute("datetime")
    shown = page.evaluate(
        "(at) => new Intl.DateTimeFormat('en-GB', {timeZone: 'Pacific/Auckland', hour: '2-digit', minute: '2-digit'})"
        ".format(new Date(at))",
        instant,
    )
    assert instant is not None
    assert shown in (due.text_content() or "")
    assert f"{instant[:10]} {instant[11:19]} UTC" in (due.get_attribute("title") or "")
    visitor.leave()
    assert visitor.complaints == []


@promise("web.page.server_rendered")
def test_pages_are_complete_without_the_script(browser: Browser, served: Served) -> None:
    visitor = Visitor(browser, served.url, java_script_enabled=False)
    page = visitor.open(API, live=False)
    expect(page.locator(".letter")).to_have_count(5)
    expect(page.locator("#command")).to_contain_text("waypost message list")
    assert " UTC" in (page.locator(".facts time").text_content() or "")
    visitor.leave()


@promise("rights.page.operator")
def test_the_link_of_waypost_open_signs_in_and_the_button_out(served: Served, visitor: Visitor) -> None:
    page = visitor.open(f"/web/sign-in?code={served.context.signins.issue()}", live=False)
    page.wait_for_url("**/web/")
    expect(page.locator(".who")).to_have_text("Signed in as operator")
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator(".who")).to_have_count(0)


@promise("web.refusal.code_and_remedy")
def test_a_used_link_says_so_with_code_and_remedy(visitor: Visitor) -> None:
    page = visitor.open("/web/sign-in?code=used", live=False)
    said = page.locator("[data-said]")
    expect(said).to_contain_text("used up")
    expect(said.locator("code").last).to_have_text("unauthenticated")
    expect(said.locator("code").first).to_have_text("waypost open")


@promise("web.page.strict_csp")
def test_nothing_in_the_page_can_evaluate_text(visitor: Visitor) -> None:
    page = visitor.open("/web/")
    page.evaluate(
        "setTimeout(() => { try { window.tried = new Function('return 1')() } catch (e) { window.tried = e.name } })"
    )
    page.wait_for_function("window.tried !== undefined")
    assert page.evaluate("window.tried") == "EvalError"
    visitor.complaints.clear()  # the refusal itself is reported
