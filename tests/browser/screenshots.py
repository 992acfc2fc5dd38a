"""`python -m tests.browser.screenshots OUTDIR`: pictures of every page, empty and full, on a desktop and a phone, light and dark."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser

from tests.browser.chromium import open_chromium
from tests.browser.example import Past, Person, fill
from tests.browser.serving import Served, serve
from tests.browser.visitor import PATIENCE

__all__ = ["take"]

SIZES = {"desktop": (1280, 860), "phone": (390, 844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FULL = {
    "home": "/web/",
    "project": "/web/projects/default/api",
    "quiet": "/web/projects/research/notebooks",
    "unknown": "/web/projects/default/appi",
    "nothing": "/web/nowhere",
    "decisions": "/web/decisions",
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


def take(out: Path) -> None:
    """All pictures into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    past = Past()
    with tempfile.TemporaryDirectory() as folder, open_chromium() as browser, serve(Path(folder), clock=past) as served:
        shoot(browser, served.url, {"empty": "/web/"}, out)
        fill(served.context.waypost, past)
        shoot(browser, served.url, FULL, out)
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
