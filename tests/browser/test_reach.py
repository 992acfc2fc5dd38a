"""Everybody can use the pages: by keyboard, on a phone, in the dark."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.example import Person
from tests.browser.serving import Served
from tests.browser.visitor import PHONE, Visitor
from tests.promises.marks import promise

pytestmark = pytest.mark.browser

PATHS = (
    "/web/",
    "/web/projects/default/api",
    "/web/messages/{sent}",
    "/web/activity",
    "/web/projects/default/none",
    "/web/nowhere",
    "/web/sign-in",
)
"""`{sent}` stands for the id of a message that the test makes."""
LONG = "averylongwordwithoutanyblanks" * 6

# Each text's contrast against the first opaque ground behind it, as WCAG 2 counts it.
WEAKEST_TEXT = """() => {
  const channels = (css) => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
    return Array.from(canvas.getImageData(0, 0, 1, 1).data);
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = channels(getComputedStyle(at).backgroundColor);
      if (found[3] === 255) return found;
    }
    return channels(getComputedStyle(document.documentElement).backgroundColor);
  };
  const light = ([r, g, b]) => {
    const one = (v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
    return .2126 * one(r) + .7152 * one(g) + .0722 * one(b);
  };
  let weakest = [99, ''];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !element.checkVisibility() || element.closest('.skip, [aria-hidden=true]')) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(ground(element))];
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < weakest[0]) weakest = [contrast, element.outerHTML.slice(0, 120)];
  }
  return weakest;
}"""


def focused(page: Page) -> str:
    """What has the focus, by its text."""
    found: str = page.evaluate(
        "document.activeElement === document.body ? '' : document.activeElement.textContent.trim()"
    )
    return found


def walk(page: Page, most: int = 80) -> list[str]:
    """What the tabulator key reaches, in order, until it leaves the page."""
    reached: list[str] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        now = focused(page)
        if not now or (reached and now == reached[0]):
            return reached
        assert page.evaluate("document.activeElement.matches(':focus-visible')")
        reached.append(now)
    raise AssertionError(f"the keyboard never comes round: {reached}")


@promise("web.page.keyboard")
def test_every_link_and_button_is_reached_by_the_keyboard_in_reading_order(served: Served, visitor: Visitor) -> None:
    sent = Person(served.context.waypost).answered()
    for path in PATHS[:3]:
        page = visitor.open(path.format(sent=sent))
        there = [text.strip() for text in page.locator("a:visible, button:visible").all_text_contents() if text.strip()]
        assert walk(page) == there, path


@promise("web.page.keyboard")
def test_the_first_tab_skips_to_the_page_and_return_opens_a_project(visitor: Visitor) -> None:
    page = visitor.open("/web/")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the page"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert focused(page) == "default/api"
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("api")


@promise("web.page.keyboard")
def test_focus_stays_where_it_is_while_the_page_changes(served: Served, visitor: Visitor) -> None:
    page = visitor.open("/web/")
    page.locator("[id='card-default/web'] a").focus()
    Person(served.context.waypost).send("default/web", "research/notebooks", "New", "Hello.")
    expect(page.locator("[id='card-research/notebooks'] .badge")).to_have_count(1)
    assert focused(page) == "web"


@promise("web.page.phone")
@pytest.mark.parametrize("path", PATHS)
def test_on_a_phone_nothing_needs_scrolling_sideways(browser: Browser, served: Served, path: str) -> None:
    person = Person(served.context.waypost)
    person.add("default/" + "a-very-long-project-name-" * 4 + "end")
    sent = person.send("default/web", "default/api", LONG, LONG, client="x" * 100, session="S" * 128, delay_seconds=60)
    person.claim(sent, "S" * 128, minutes=30)
    visitor = Visitor(browser, served.url, **PHONE)
    page = visitor.open(path.format(sent=sent), live=path != "/web/nowhere" and "sign-in" not in path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide: list[Any] = page.evaluate(
        "Array.from(document.querySelectorAll('main *')).filter((e) => e.getBoundingClientRect().right > 391)"
        ".map((e) => e.outerHTML.slice(0, 80))"
    )
    assert wide == []
    visitor.leave()
    assert visitor.complaints == []


@promise("web.page.light_and_dark")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(
    browser: Browser, served: Served, scheme: Literal["light", "dark"]
) -> None:
    sent = Person(served.context.waypost).answered()
    visitor = Visitor(browser, served.url, color_scheme=scheme)
    for path in PATHS:
        page = visitor.open(path.format(sent=sent), live=False)
        contrast, where = page.evaluate(WEAKEST_TEXT)
        assert contrast >= 4.5, (path, where)
    visitor.leave()
    assert visitor.complaints == []


@promise("web.page.light_and_dark")
def test_light_and_dark_differ_and_amber_is_the_badges_alone(browser: Browser, served: Served) -> None:
    grounds, badges = set(), set()
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        visitor = Visitor(browser, served.url, color_scheme=scheme)
        page = visitor.open("/web/")
        grounds.add(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
        badges.add(page.locator(".badge").first.evaluate("(e) => getComputedStyle(e).backgroundColor"))
        visitor.leave()
    assert len(grounds) == 2
    for badge in badges:
        red, green, blue = (int(part) for part in badge.removeprefix("rgb(").removesuffix(")").split(", "))
        assert red > green > blue
