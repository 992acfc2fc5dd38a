"""The page of one message: what was sent, where it is in its life, who was told, what was done, and the thread around it. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from waypost.kernel.errors import NotFound
from waypost.server.web.decision_shown import decision_path
from waypost.server.web.looking import Look
from waypost.server.web.message_shown import Piece, Sheet, Step, piece, sheet, step

__all__ = ["MessagePage", "message_page"]

THREAD_SHOWN = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class MessagePage:
    """One message. `stream` is the address of the stream that keeps the page true, `question` that of the decision that it asks for."""

    stream: str
    message: Sheet
    steps: list[Step]
    thread: list[Piece]
    is_cut: bool
    question: str | None

    @property
    def asked(self) -> Piece | None:
        """The message that this one answers, where the viewer may read it."""
        return next((one for one in self.thread if one.id == self.message.reply_to), None)


def message_page(look: Look, message_id: str) -> MessagePage:
    """Everything on a message's page. Refuses `message_not_found`, also where it may not be read, and `invalid_input` for what is no
    id."""
    stream = _stream(look, look.ask("message.view", message_id=message_id)["message"])
    viewed = look.ask("message.view", message_id=message_id)
    thread = look.ask("activity.thread", message_id=message_id, limit=THREAD_SHOWN)
    return MessagePage(
        stream=stream,
        message=sheet(viewed["message"], look.now),
        steps=[step(record, look.now) for record in viewed["history"]],
        thread=[piece(record, look.now) for record in thread["items"]],
        is_cut=thread["is_cut"],
        question=_question(look, message_id),
    )


def _stream(look: Look, record: dict[str, Any]) -> str:
    """The stream of the mailbox, else of the sender's project, where the viewer may read one of them; else the one of all. Its mark is
    made before the page, so that what happens meanwhile is told."""
    for end in (record["to"], record["from"]):
        if end["workspace"] is not None and end["project"] is not None:
            after = look.mark(end["workspace"], end["project"]).text
            return "/web/events?" + urlencode({"project": f"{end['workspace']}/{end['project']}", "after": after})
    return "/web/events?" + urlencode({"after": look.mark(None, None).text})


def _question(look: Look, message_id: str) -> str | None:
    try:
        found = look.ask("decision.view", decision_id=message_id)
    except NotFound:
        return None
    return decision_path(found["decision"]["id"])
