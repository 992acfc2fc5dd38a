"""The page's guards."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

PAGES = ("tests/doors/web/test_web_pages.py",)
SAFETY = ("tests/doors/web/test_web_safety.py",)
LIVE = ("tests/doors/web/test_web_live.py",)
MESSAGES = ("tests/doors/web/test_web_messages.py",)
FILES = ("tests/doors/web/test_web_files.py",)

GUARDS = [
    Guard(
        promise="web.page.text_escaped",
        file="server/web/rendering.py",
        snippet="autoescape=True",
        replacement="autoescape=False",
        tests=SAFETY,
    ),
    Guard(
        promise="web.page.strict_csp",
        file="server/web/rendering.py",
        snippet="script-src 'self'",
        replacement="script-src 'self' 'unsafe-inline'",
        tests=SAFETY,
    ),
    Guard(
        promise="web.writes.same_origin",
        file="server/web/signing_in.py",
        snippet='if request.headers.get("sec-fetch-site") != "same-origin":',
        replacement="if False:",
        tests=SAFETY,
    ),
    Guard(
        promise="web.project.five_oldest",
        file="server/web/looking.py",
        snippet="PENDING_SHOWN = 5",
        replacement="PENDING_SHOWN = 6",
        tests=PAGES,
    ),
    Guard(
        promise="web.project.unknown_is_empty",
        file="server/web/pages.py",
        snippet="status=200 if page.is_known else 404",
        replacement="status=200",
        tests=PAGES,
    ),
    Guard(
        promise="web.home.badge",
        file="server/web/templates/parts.html",
        snippet="{% if count %}",
        replacement="{% if true %}",
        tests=PAGES,
    ),
    Guard(
        promise="web.page.live",
        file="server/web/live.py",
        snippet='if told not in {"", mark.text}:',
        replacement="if False:",
        tests=LIVE,
    ),
    Guard(
        promise="web.page.live",
        file="server/web/live.py",
        snippet="if self._open >= MOST_STREAMS:",
        replacement="if False:",
        tests=LIVE,
    ),
    Guard(
        promise="web.page.no_foreign_host",
        file="server/web/static/vendor/manifest.json",
        snippet="a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
        replacement="b" * 64,
        tests=FILES,
    ),
    Guard(
        promise="web.message.page",
        file="server/web/message_shown.py",
        snippet=' and "project" not in sender["declared"]',
        replacement="",
        tests=MESSAGES,
    ),
    Guard(
        promise="web.activity.journal",
        file="operations/activity.py",
        snippet="actor.session if shows_session else None",
        replacement="actor.session",
        tests=("tests/operations/test_watching.py",),
    ),
    Guard(
        promise="web.activity.journal",
        file="server/web/activity_look.py",
        snippet='if entry["position"] > seen',
        replacement="if True",
        tests=("tests/doors/web/test_web_activity.py",),
    ),
]
