"""Renders templates into answers with the page's headers. The template engine loads with the first page, not with the server.

Invariant: every answer under /web carries `SECURITY`; templates escape everything and refuse names that are not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import Response

from waypost.server.web.files import url_of

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["SECURITY", "html"]

TEMPLATES = Path(__file__).parent / "templates"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SECURITY: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer under /web. Without 'unsafe-eval' the vendored scripts cannot evaluate text either."""


def html(template: str, *, status: int = 200, **values: object) -> Response:
    """A page, which no cache keeps. Blocks while the engine loads and the template renders: run it in a worker thread."""
    text = _environment().get_template(template).render(values)
    headers = {**SECURITY, "Cache-Control": "no-store"}
    return Response(text, status_code=status, media_type="text/html", headers=headers)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - hooks are answered before it loads

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["static"] = url_of
    return environment
