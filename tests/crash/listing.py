"""A full listing of a store as anybody gets it: `GET /v1/messages`, the outbox of each project, page by page. Imports nothing of
Waypost, because it is what the checker believes."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterable
from http.client import HTTPConnection
from typing import Any, Final

__all__ = ["list_all"]

PAGE: Final = 200
SECONDS: Final = 60.0
MOST_PAGES: Final = 10_000


def list_all(host: str, port: int, projects: Iterable[str]) -> list[dict[str, Any]]:
    """Every message that one of the projects sent, as the server shows it. Raises RuntimeError where a page is refused."""
    connection = HTTPConnection(host, port, timeout=SECONDS)
    try:
        return [message for project in projects for message in _outbox(connection, project)]
    finally:
        connection.close()


def _outbox(connection: HTTPConnection, project: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    asked: dict[str, str | int] = {"project": project, "box": "outbox", "status": "all", "limit": PAGE}
    for _ in range(MOST_PAGES):
        connection.request("GET", f"/v1/messages?{urllib.parse.urlencode(asked)}")
        answer = connection.getresponse()
        page = json.loads(answer.read())
        if answer.status != 200 or page["unreadable"]:
            raise RuntimeError(f"the outbox of {project} could not be listed: {answer.status} {page}")
        found += page["items"]
        if page["next_cursor"] is None:
            return found
        asked["cursor"] = page["next_cursor"]
    raise RuntimeError(f"the outbox of {project} does not end")
