"""Somebody who looks at the pages in a browser, and everything that the browser complained of meanwhile."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

__all__ = ["PATIENCE", "PHONE", "Visitor"]

PATIENCE = 30_000
"""Milliseconds that any one wait takes at most."""
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}


class Visitor:
    """A browser context of its own. `complaints` are console errors, page errors and policy violations; `foreign` are requests to
    another host."""

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        self.url = url
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self._context: BrowserContext = browser.new_context(**options)
        self._context.set_default_timeout(PATIENCE)
        self._context.add_init_script(
            "document.addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective))"
        )
        self._context.on("request", self._asked)
        self._context.on("console", self._said)
        self._context.on("weberror", lambda error: self.complaints.append(str(error.error)))

    def open(self, path: str, *, live: bool = True) -> Page:
        """A page of the server; live, unless told otherwise."""
        page = self._context.new_page()
        page.goto(self.url + path)
        if live:
            page.wait_for_selector("#live-state[data-state=live]")
        return page

    def rule_time(self) -> None:
        """From here on the clock of the pages goes on by itself, and forward where `forward` tells it to."""
        self._context.clock.install()

    def forward(self, time: str) -> None:
        """Lets the pages' clock jump by `minutes:seconds`."""
        self._context.clock.fast_forward(time)

    def leave(self) -> None:
        """Closes all pages."""
        self._context.close()

    def _asked(self, request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(self.url).netloc and not request.url.startswith("data:"):
            self.foreign.append(request.url)

    def _said(self, message: ConsoleMessage) -> None:
        # Chromium reports an answer of 404 or 401 as an error of the page that asked for it; pages test those on purpose.
        if message.type in {"error", "warning"} and "status of 40" not in message.text:
            self.complaints.append(message.text)
