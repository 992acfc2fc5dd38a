"""What Waypost knows of a coding agent: its name, its hooks' events, the shape of what they print, and what setup writes for it.

Each client is one module with one `Client`; `known` lists them. Everything here is a pure function of what the client sent: no file
is read and no store asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from waypost.agents.payload import Payload

__all__ = ["Boundary", "Client", "Event", "Shape", "context_object", "event_key", "hook_specific", "nothing", "plain"]

SUBAGENT = ("agent_id", "agentId", "subagent_id", "parent_tool_use_id")
"""Members that stand only in the payload of a subagent's event: its context is not the session's."""
EARLIER = (
    "continues",
    "forked_from",
    "forked_from_id",
    "resumed_from",
    "resumed_from_id",
    "previous_session_id",
    "parent_session_id",
)
"""Members by which clients name the session that a resumed or forked one goes on from."""


class Boundary(StrEnum):
    """What an event means for a session."""

    START = "session_start"
    PROMPT = "prompt"
    AFTER_TOOL = "after_tool"
    COMPACTED = "compacted"
    """The context was lost, and this event's output reaches nobody: the next boundary tells all anew."""
    END = "end"


Shape = Callable[[str, str], str]
"""What a hook prints: from the client's own name of the event and the text to tell, which is never empty."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One event of a client's hooks. `shape` is None where its output never reaches the model; then nothing is printed and what is
    to be said waits for the next event that speaks. `installed` says whether setup installs it."""

    name: str
    boundary: Boundary
    shape: Shape | None = None
    installed: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """One coding agent. `characters` bounds the text of one event, and `most_bytes` its whole output where the client counts that."""

    name: str
    title: str
    events: tuple[Event, ...]
    characters: int
    most_bytes: int = 262_144
    aliases: tuple[str, ...] = ()
    session_fields: tuple[str, ...] = ("session_id", "sessionId")
    directory_fields: tuple[str, ...] = ("cwd",)
    earlier_fields: tuple[str, ...] = EARLIER
    known_by: tuple[str, ...] = ()
    """Members by which this client is known where it runs another client's hooks."""
    lost_sources: frozenset[str] = frozenset({"clear", "compact"})
    """The sources of a session's start after which the context holds nothing of what was told before."""
    by_key: Mapping[str, Event] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_key", {event_key(event.name): event for event in self.events})

    def event(self, name: str) -> Event | None:
        """The event of that name, whatever its signs and case."""
        return self.by_key.get(event_key(name))

    def is_subagents(self, payload: Payload) -> bool:
        """Whether the event is a subagent's, whose context is not the session's."""
        return any(payload.text(name) for name in SUBAGENT)


def event_key(name: str) -> str:
    """An event's name without signs and in lower case: `SessionStart`, `session-start` and `session.start` are one."""
    return "".join(sign for sign in name.lower() if sign.isalnum())


def hook_specific(event: str, text: str) -> str:
    """Claude Code's envelope, which Codex, Gemini CLI and Cursor read too. No other key: Codex drops all for one it does not know."""
    return _json({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def context_object(event: str, text: str) -> str:  # noqa: ARG001 - a shape's arguments
    """An object with the context alone, as Copilot CLI reads it."""
    return _json({"additionalContext": text})


def plain(event: str, text: str) -> str:  # noqa: ARG001 - a shape's arguments
    """The text itself, for clients that inject what is printed."""
    return text


def nothing(event: str, text: str) -> str:  # noqa: ARG001 - a shape's arguments
    """Nothing."""
    return ""


def _json(value: object) -> str:
    """JSON in ASCII, so that neither a control byte nor a separator that some readers break lines at is in it."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("\x7f", "\\u007f")
