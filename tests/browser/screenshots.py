"""`python -m tests.browser.screenshots OUTDIR`: pictures of every page, empty and full, on a desktop and a phone, light and dark."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser

from tests.browser.chromium import open_chromium
from tests.browser.example import Past, Person, fill
from tests.browser.serving import Served, serve
from tests.browser.visitor import PATIENCE

__all__ = ["take"]

LONG_TEXT = (
    "Since the release of yesterday the export answers with two Content-Type headers:\n\n"
    "  Content-Type: application/x-ndjson\n  Content-Type: text/plain\n\n"
    "Browsers take the second, so the download opens as text. <b>Not</b> urgent; please do not change the field names."
)
SIZES = {"desktop": (1280, 860), "phone": (390, 844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FULL = {
    "home": "/web/",
    "project": "/web/projects/default/api",
    "quiet": "/web/projects/research/notebooks",
    "unknown": "/web/projects/default/appi",
    "nothing": "/web/nowhere",
    "decisions": "/web/decisions",
    "activity": "/web/activity",
    "activity-filtered": "/web/activity?project=default%2Fapi&kind=message&actor=docs-nightly",
    "activity-none": "/web/activity?kind=handoff",
    "sign-in": "/web/sign-in?code=used",
}


def shoot(browser: Browser, url: str, pages: dict[str, str], out: Path) -> None:
    """One picture for each page, size and scheme."""
    for size, (width, height) in SIZES.items():
        for scheme in SCHEMES:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                timezone_id="Europe/Berlin",
                locale="en-GB",
                device_scale_factor=2 if size == "phone" else 1,
            )
            for name, path in pages.items():
                page = context.new_page()
                page.goto(url + path)
                if page.locator("#live-state").count():
                    page.wait_for_selector("#live-state[data-state=live]", timeout=PATIENCE)
                page.screenshot(path=out / f"{name}-{size}-{scheme}.png", full_page=True)
                page.close()
            context.close()


def ask(served: Served) -> dict[str, str]:
    """Questions, open and answered; their ids by name."""
    person = Person(served.context.waypost)
    opened = person.question("default/api", "default/web", "Accept the known-flake exception on the export test?")
    answered = person.question("default/web", "default/api", "Which format shall the export have?", requires_root=False)
    fields = {"project": "default/api", "option": "reject", "comment": "Not before the retry lands."}
    person.ask("decision.answer", decision_id=answered, **fields)
    return {"open": opened, "answered": answered}


def mail(served: Served) -> dict[str, str]:
    """Messages with a life: in work, snoozed with a first outcome and answered, a reminder; their addresses by name."""
    person = Person(served.context.waypost)
    api, holder, client = "default/api", "5f0c1d2e-api", "claude-code"
    work = person.send("default/web", api, "The export sends two headers", LONG_TEXT, client="codex", actionable=True)
    for round_, outcome in enumerate(("The proxy adds one of them. Asked the people who run it.", None), start=1):
        claimed: dict[str, Any] = {"project": api, "session": holder, "message_id": work, "occurrence": round_}
        token = person.ask("message.claim", client=client, **claimed)["token"]
        if outcome:
            person.ask("message.snooze", client=client, token=token, outcome=outcome, delay_seconds=1, **claimed)
            wait_until_due(served, work)
    answer = person.ask(
        "message.reply",
        client=client,
        project=api,
        message_id=work,
        body="Found it: the proxy. A change is on its way.",
    )
    plain = person.send("research/notebooks", api, "", "Thank you for the export.")
    return {"message": work, "message-reply": str(answer["message_id"]), "message-plain": plain}


def wait_until_due(served: Served, message_id: str) -> None:
    """Until the snoozed message is due again, for a bounded time."""
    person = Person(served.context.waypost)
    until = time.monotonic() + PATIENCE / 1000
    while person.ask("message.view", message_id=message_id)["message"]["late_seconds"] is None:
        assert time.monotonic() < until
        time.sleep(0.05)


def take(out: Path) -> None:
    """All pictures into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    past = Past()
    with tempfile.TemporaryDirectory() as folder, open_chromium() as browser, serve(Path(folder), clock=past) as served:
        shoot(browser, served.url, {"empty": "/web/"}, out)
        fill(served.context.waypost, past)
        messages = {name: f"/web/messages/{message_id}" for name, message_id in mail(served).items()}
        shoot(browser, served.url, {**FULL, **messages}, out)
        decisions = {f"decision-{name}": f"/web/decisions/{decision_id}" for name, decision_id in ask(served).items()}
        shoot(browser, served.url, {**decisions, "home-asked": "/web/"}, out)
        context = browser.new_context(viewport={"width": 1280, "height": 860})
        page = context.new_page()
        page.goto(f"{served.url}/web/sign-in?code={served.context.signins.issue()}")
        page.wait_for_url("**/web/", timeout=PATIENCE)
        Person(served.context.waypost).send("default/web", "default/docs-site", "Fresh", "It has just come.")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{served.url}{decisions['decision-open']}")
            page.screenshot(path=out / f"decision-operator-desktop-{scheme}.png", full_page=True)
        page.goto(f"{served.url}/web/")
        page.wait_for_selector("#card-default\\/docs-site .badge", timeout=PATIENCE)
        page.screenshot(path=out / "home-operator-desktop-light.png", full_page=True)
        context.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
