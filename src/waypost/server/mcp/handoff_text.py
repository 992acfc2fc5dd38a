"""The short text beside a structured answer about handoffs. Uses names, ids and times, and texts that the operations framed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["HANDOFF_WORDING"]

Answer = Mapping[str, Any]
PARTS = {"open_questions": "Open questions", "next_steps": "Next steps", "files_touched": "Files touched"}


def _begun(answer: Answer) -> str:
    if answer["handoff_id"] is None:
        return f"Nothing was stored. {answer['hint']}"
    lines = [f"Left: handoff {answer['handoff_id']}, until {answer['expires_at']}."]
    if answer["scrubbed"]:
        lines.append(f"Removed before storing: {answer['scrubbed']} secret(s).")
    if answer["truncated"]:
        lines.append(f"The text was cut; it had {answer['original_length']} characters.")
    lines.append("It is offered to the next session here once yours has been quiet for 10 minutes.")
    return "\n".join(lines)


def _listed(answer: Answer) -> str:
    items = answer["items"]
    lines = [f"{len(items)} handoff{'' if len(items) == 1 else 's'}.", *(_header(item) for item in items)]
    if answer["next_cursor"]:
        lines.append(f"More: pass cursor={answer['next_cursor']}")
    return "\n".join([*lines, *_notes(answer)])


def _accepted(answer: Answer) -> str:
    handoff = answer["handoff"]
    first = "Accepted before; this repeats the answer." if answer["replayed"] else "Accepted."
    lines = [first, _header(handoff), *_notes(answer), handoff["summary"]]
    for name, words in PARTS.items():
        if handoff[name]:
            lines += [f"{words}:", *(f"- {line}" for line in handoff[name])]
    return "\n".join(lines)


def _cancelled(answer: Answer) -> str:
    return f"Handoff {answer['handoff']['id']} is {answer['handoff']['state']}."


HANDOFF_WORDING: dict[str, Callable[[Answer], str]] = {
    "handoff_begin": _begun,
    "handoff_list": _listed,
    "handoff_accept": _accepted,
    "handoff_cancel": _cancelled,
}


def _header(handoff: Answer) -> str:
    by = handoff["from"]
    session = f"#{by['session']}" if by["session"] else ""
    name = f"{by['workspace']}/{by['project']}" if by["workspace"] else str(by["project"])
    made = "automatic" if handoff["automatic"] else "by hand"
    return (
        f"handoff {handoff['id']} | {handoff['state']} | {made} | from {name}{session} | left {handoff['created_at']}"
    )


def _notes(answer: Answer) -> list[str]:
    return [answer[name] for name in ("hint", "security_notice") if answer.get(name)]
