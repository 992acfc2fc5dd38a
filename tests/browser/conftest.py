"""The browser's fixtures. Without a Chromium these tests are skipped, but never in CI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import chromium_path, open_chromium
from tests.browser.example import Past, fill
from tests.browser.serving import Served, serve
from tests.browser.visitor import PATIENCE, Visitor


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module: while it runs, its event loop runs in this thread, and no other can."""
    if chromium_path() is None and not os.environ.get("CI"):
        pytest.skip("no Chromium is installed")
    expect.set_options(timeout=PATIENCE)
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A served post office with a believable content."""
    past = Past()
    with serve(tmp_path, clock=past) as served:
        fill(served.context.waypost, past)
        yield served


@pytest.fixture
def visitor(browser: Browser, served: Served) -> Iterator[Visitor]:
    """Somebody at a desktop; the test fails where the browser complained or asked another host."""
    visitor = Visitor(browser, served.url)
    yield visitor
    visitor.leave()
    assert visitor.complaints == []
    assert visitor.foreign == []
