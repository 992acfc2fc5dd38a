"""Opening a page in the browser, with its link, which may sign somebody in, in no argument list. Imported only where a page is opened.

A browser is told its page as an argument, which every account of the machine can read. So it is told a file for the owner alone
that leads on to the link.
"""

from __future__ import annotations

import html
import os
import webbrowser
from urllib.request import pathname2url

from waypost.client.folders import find_folders

__all__ = ["open_link"]

PAGE = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}"><title>Waypost</title><p><a href="{link}">Open Waypost</a></p>
"""


def open_link(link: str) -> bool:
    """Whether a browser was told to open the link. A text browser, which would take over the terminal, is told only where BROWSER
    names it."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    takes_terminal = isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    )
    if takes_terminal and not os.environ.get("BROWSER"):
        return False
    folder = os.path.join(find_folders().state, "run")
    place = os.path.join(folder, "open.html")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        draft = f"{place}.{os.getpid()}.new"
        with open(draft, "w", encoding="utf-8", opener=_private) as file:
            file.write(PAGE.format(link=html.escape(link, quote=True)))
        os.replace(draft, place)
        return browser.open(f"file://{pathname2url(place)}")
    except OSError:
        return False


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_EXCL, 0o600)
