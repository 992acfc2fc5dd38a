"""A decision from end to end: asked by an agent through MCP, answered by a person in a browser, read by the asker."""

from __future__ import annotations

import json
import threading
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.example import Person
from tests.browser.serving import Served
from tests.browser.visitor import PHONE, Visitor
from tests.promises.marks import promise

pytestmark = pytest.mark.browser

QUESTION = {
    "from_project": "default/web",
    "to_project": "default/api",
    "question": "Deploy the export to production?",
    "options": [
        {"id": "deploy", "label": "Deploy it", "recommended": True},
        {"id": "wait", "label": "Wait until Monday", "description": "Nobody is on call before."},
    ],
    "details": "All checks passed.",
    "requires_root": True,
}


def tool(served: Served, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a tool call of some agent, over HTTP."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    request = urllib.request.Request(f"{served.url}/mcp?tools=all", json.dumps(call).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=90) as answer:
        result: dict[str, Any] = json.loads(answer.read())["result"]
        return result


@promise("web.decisions.form", "decision.wait.returns_answer", "decision.answer.root_only", "web.home.decisions_first")
def test_a_decision_is_asked_by_an_agent_answered_by_a_person_and_read_by_the_asker(
    served: Served, visitor: Visitor
) -> None:
    home = visitor.open("/web/")
    asked = tool(served, "decision_ask", QUESTION)["structuredContent"]["decision_id"]
    expect(home.locator(".open-decisions h3")).to_have_text("Deploy the export to production?")
    given = {"project": "default/api", "decision_id": asked, "option": "deploy"}
    refused = tool(served, "decision_answer", given)
    assert refused["structuredContent"]["code"] == "not_permitted_to_answer"

    waited: list[dict[str, Any]] = []
    arguments = {"project": "default/web", "decision_id": asked}
    waiting = threading.Thread(target=lambda: waited.append(tool(served, "decision_wait", arguments)))
    waiting.start()
    page = visitor.open(f"/web/sign-in?code={served.context.signins.issue()}", live=False)
    page.wait_for_url("**/web/")
    page.get_by_role("link", name="Deploy the export to production?").click()
    page.get_by_label("Comment").fill("Not on a Friday.\n<b>Really.</b>")
    button = page.get_by_role("button", name="Wait until Monday")
    button.focus()
    button.press("Enter")
    expect(page.locator("#standing")).to_contain_text("Wait until Monday")
    expect(page.locator("#standing .words")).to_contain_text("<b>Really.</b>")
    expect(home.locator(".open-decisions")).to_have_count(0)
    waiting.join(60)

    answer = waited[0]["structuredContent"]["decision"]["answer"]
    assert (answer["option"], answer["by"]["user"]) == ("wait", served.context.waypost.login)
    assert "Not on a Friday." in answer["comment"]
    listed = tool(served, "message_list", {"project": "default/web"})["structuredContent"]["items"]
    [reply] = [item for item in listed if item["reply_to"] == asked]
    popped = tool(served, "message_pop", {"project": "default/web", "message_id": reply["id"]})
    assert "option: wait" in popped["structuredContent"]["message"]["body"]


@promise("web.decisions.form", "web.page.live")
def test_a_question_that_is_closed_elsewhere_closes_its_form_and_keeps_what_was_written(
    browser: Browser, served: Served
) -> None:
    person = Person(served.context.waypost)
    asked = person.question("default/web", "default/api", "Which format?", requires_root=False)
    visitor = Visitor(browser, served.url, **PHONE)
    page = visitor.open(f"/web/sign-in?code={served.context.signins.issue()}", live=False)
    page.wait_for_url("**/web/")
    page.goto(f"{served.url}/web/decisions/{asked}")
    page.wait_for_selector("#live-state[data-state=live]")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_label("Comment").fill("Half a sentence")
    person.ask("decision.answer", project="default/api", decision_id=asked, option="reject")
    expect(page.locator("#standing")).to_contain_text("Send it back")
    expect(page.get_by_role("button", name="Accept the exception")).to_be_disabled()
    expect(page.get_by_label("Comment")).to_have_value("Half a sentence")
    visitor.leave()
    assert visitor.complaints == []
    assert visitor.foreign == []
