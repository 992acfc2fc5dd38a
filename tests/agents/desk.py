"""A server in process with two repositories, and the hooks of clients that work in them, as the hook command speaks for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.agents.payloads import payload
from tests.doors.rest_door import Answer, RestDoor

__all__ = ["Desk", "text_of"]


def text_of(output: bytes) -> str:
    """What reaches the model of a hook's output, whatever the client."""
    if not output.startswith(b"{"):
        return output.decode("utf-8")
    found = json.loads(output)
    inner = found.get("hookSpecificOutput", found)
    text = inner.get("additionalContext", inner.get("additional_context"))
    assert isinstance(text, str)
    return text


class Desk:
    """The server, and a folder for each project."""

    def __init__(self, rest: RestDoor, folder: Path) -> None:
        self.rest = rest
        self.folder = folder
        self.other = self.repository("other")
        self.here = self.repository("here")

    def repository(self, name: str) -> Path:
        """A directory that is a project of that name."""
        place = self.folder / name
        place.mkdir(parents=True)
        self.rest.ok("POST", "/v1/projects", {"directory": str(place), "project": name}, owner=True)
        return place

    def ask(
        self, client: str, event: str, raw: bytes, *, at: Path | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """One hook's request."""
        sent = {"waypost-door": "hook", **(headers or {})}
        if at is not None:
            sent["waypost-working-directory"] = quote(str(at))
        return self.rest.ask("POST", f"/v1/hooks/{quote(client)}/{quote(event)}", raw, headers=sent, owner=True)

    def fire(
        self,
        client: str,
        event: str,
        session: str = "S1",
        *,
        at: Path | None = None,
        print_it: bool = True,
        **more: Any,
    ) -> bytes:
        """What the hook prints, which is then told to the server unless it was lost."""
        sent = payload(client, event, session, str(at or self.here), **more)
        answer = self.ask(client, event, json.dumps(sent).encode("utf-8"), at=at or self.here)
        assert answer.status == 200, answer
        told = answer.headers.get("waypost-told")
        if told and print_it:
            self.rest.ok("POST", "/v1/hooks:told", json.loads(told), owner=True)
        return answer.body

    def say(self, client: str, event: str, session: str = "S1", **more: Any) -> str:
        """What reaches the model."""
        return text_of(self.fire(client, event, session, **more))

    def foreign(self, body: str = "melon harvest", **fields: Any) -> str:
        """A message of the other project to this one."""
        sent = {"from_project": "other", "to_project": "here", "body": body, "subject": body, "repeat": True, **fields}
        return str(self.rest.ok("POST", "/v1/messages", sent)["message_id"])

    def own(self, body: str, **fields: Any) -> str:
        """A message of this project to itself, sent from its directory."""
        sent = {"to_project": "here", "body": body, "repeat": True, **fields}
        headers = {"waypost-directory": quote(str(self.here)), "waypost-door": "bridge"}
        return str(self.rest.ok("POST", "/v1/messages", sent, headers=headers, owner=True)["message_id"])
