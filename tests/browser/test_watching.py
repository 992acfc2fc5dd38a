"""The pages of mail and of the journal in a real browser: they count down and follow what happens, and a form is left alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from tests.browser.example import Person
from tests.browser.serving import Served
from tests.browser.visitor import Visitor
from tests.promises.marks import promise

pytestmark = pytest.mark.browser

API = "/web/projects/default/api"


def stay(page: Page) -> None:
    """Marks the page, to know it again."""
    page.evaluate("window.untouched = true")


def has_stayed(page: Page) -> bool:
    """Whether the page is still the one that was marked."""
    return bool(page.evaluate("window.untouched === true"))


@promise("web.project.reminders_and_claims", "web.message.page")
@pytest.mark.parametrize("where", ["project", "message"])
def test_the_countdown_of_a_lease_runs_without_a_reload_and_says_lapsed_at_its_end(
    served: Served, visitor: Visitor, where: str
) -> None:
    sent = Person(served.context.waypost).answered()
    visitor.rule_time()
    page = visitor.open(API if where == "project" else f"/web/messages/{sent}")
    stay(page)
    place = f"#claim-{sent}" if where == "project" else ".facts"
    left = page.locator(f"{place} time[data-show=countdown]")
    expect(left).to_have_text(re.compile(r"^ends in (29|30):\d\d$"))
    assert re.search(r" UTC$", left.get_attribute("title") or "")
    visitor.forward("15:00")
    expect(left).to_have_text(re.compile(r"^ends in 1[45]:\d\d$"))
    visitor.forward("16:00")
    expect(left).to_have_text("lapsed")
    assert has_stayed(page)


@promise("web.message.page", "web.page.live")
def test_a_messages_page_follows_its_life(served: Served, visitor: Visitor) -> None:
    person = Person(served.context.waypost)
    sent = person.send("default/web", "default/api", "<i>Look</i>", "<script>window.ran = 1</script>\nPlease.")
    page = visitor.open(f"/web/messages/{sent}")
    stay(page)
    expect(page.locator("h1")).to_have_text("<i>Look</i>")
    expect(page.locator(".paper .words")).to_contain_text("<script>window.ran = 1</script>")
    assert page.evaluate("window.ran") is None
    person.ask("message.pop", project="default/api", session="S9", message_id=sent)
    expect(page.locator(".opening .state")).to_have_text("popped")
    expect(page.locator(".receipts tbody th")).to_have_text("S9")
    expect(page.locator("#version-1 .deed")).to_have_text("popped")
    assert has_stayed(page)


@promise("web.activity.journal", "web.page.live")
def test_what_happens_comes_in_at_the_top_and_leaves_a_half_written_filter_alone(
    served: Served, visitor: Visitor
) -> None:
    page = visitor.open("/web/activity")
    stay(page)
    actor = page.get_by_label("Actor")
    actor.fill("half a na")
    Person(served.context.waypost).send("default/web", "research/notebooks", "<b>Fresh</b>", "Hello.")
    first = page.locator("#entries li").first
    expect(first.locator(".what")).to_have_text("<b>Fresh</b> from default/web to research/notebooks")
    expect(first).to_have_class(re.compile("arrived"))
    expect(actor).to_have_value("half a na")
    expect(actor).to_be_focused()
    assert has_stayed(page)
    first.get_by_role("link", name="<b>Fresh</b>").click()
    expect(page.locator("h1")).to_have_text("<b>Fresh</b>")


@promise("web.activity.journal", "web.page.live")
def test_an_older_page_stays_as_it_is_and_counts_what_is_new(served: Served, visitor: Visitor) -> None:
    person = Person(served.context.waypost)
    for number in range(30):
        person.send("default/web", "default/billing", "", f"Number {number}")
    page = visitor.open("/web/activity?door=rest")
    page.get_by_role("link", name="Look further back").click()
    page.wait_for_selector("#live-state[data-state=live]")
    stay(page)
    entries = page.locator("#entries li")
    before = entries.all_text_contents()
    expect(page.locator("#newer")).to_contain_text("These are older entries.")
    person.send("default/web", "default/api", "Meanwhile", "Hello.")
    expect(page.locator("#newer")).to_contain_text("1 new since you began to look.")
    assert len(before) == entries.count() > 0
    assert has_stayed(page)
    page.get_by_role("link", name="To the newest").click()
    expect(page.locator("#entries li .what").first).to_contain_text("Meanwhile")


@promise("web.activity.journal", "web.page.keyboard")
def test_the_journal_is_filtered_by_the_keyboard_alone(visitor: Visitor) -> None:
    page = visitor.open("/web/activity")
    page.get_by_label("Project").focus()
    page.keyboard.type("research/eval-harness")
    page.keyboard.press("Tab")
    page.keyboard.type("Mail")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/web/activity?project=research%2Feval-harness&kind=message&**")
    expect(page.locator("#entries li")).to_have_count(1)


@promise("web.times.viewers_zone", "web.message.page")
def test_a_messages_times_are_the_viewers_with_utc_at_hand(served: Served, visitor: Visitor) -> None:
    sent = Person(served.context.waypost).answered()
    page = visitor.open(f"/web/messages/{sent}")
    for time in page.locator("main time").all():
        instant = datetime.fromisoformat(time.get_attribute("datetime") or "").astimezone(UTC)
        assert f"{instant:%Y-%m-%d %H:%M:%S} UTC" in (time.get_attribute("title") or "")
