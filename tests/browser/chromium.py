"""The system's Chromium, without anything of its own that would speak to the network."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

__all__ = ["chromium_path", "open_chromium"]

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium_path() -> str | None:
    """Where the browser is; `WAYPOST_TEST_CHROMIUM` names another one."""
    return os.environ.get("WAYPOST_TEST_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def open_chromium() -> Iterator[Browser]:
    """A headless browser for the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), headless=True, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
