"""Opening a single-use link in the browser, with the link in no argument list.

A browser is told its page as an argument, which every account of the machine can read. So it is told a file for the owner alone
that leads on to the link.
"""

from __future__ import annotations

import html
import os
import webbrowser
from pathlib import Path

from waypost.client.folders import find_folders

__all__ = ["open_link"]

PAGE = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}"><title>Waypost</title><p><a href="{link}">Open Waypost</a></p>
"""


def open_link(link: str) -> bool:
    """Whether a browser was told to open the link. A text browser, which would take over the terminal, is not."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if isinstance(browser, webbrowser.GenericBrowser) and not isinstance(browser, webbrowser.BackgroundBrowser):
        return False
    place = Path(find_folders().state) / "run" / "open.html"
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        with open(place, "x", encoding="utf-8", opener=_private) as file:
            file.write(PAGE.format(link=html.escape(link, quote=True)))
        return browser.open(place.as_uri())
    except OSError:
        return False


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
