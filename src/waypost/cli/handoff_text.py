"""Handoffs as people read them: provenance first, then the security notice, then the texts as the operation framed them."""

from __future__ import annotations

from typing import Any

from waypost.cli.message_text import sender
from waypost.cli.moments import age, moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.cli.output import Output

__all__ = ["accepted", "begun", "cancelled", "listed"]

Record = dict[str, Any]
PARTS = {"open_questions": "open questions", "next_steps": "next steps", "files_touched": "files touched"}


def begun(answer: Record, output: Output) -> None:
    """What `begin` answers."""
    if answer["handoff_id"] is None:
        output.line(f"Nothing was stored. {answer['hint']}")
        return
    output.line(f"Left {answer['handoff_id']} for the next session, until {moment(answer['expires_at'])}.")
    if answer["scrubbed"]:
        output.line(f"{answer['scrubbed']} secret(s) were removed from the text before it was stored.")
    if answer["truncated"]:
        output.line(f"The text was cut; it had {answer['original_length']} characters.")


def listed(answer: Record, output: Output) -> None:
    """What `list` answers."""
    if answer["hint"]:
        output.note(f"hint: {answer['hint']}")
    if not answer["items"]:
        output.line("No handoffs here.")
    else:
        rows = [
            (item["id"], age(item["created_at"]), sender(item["from"]), _kind(item), item["state"])
            for item in answer["items"]
        ]
        output.table(("id", "age", "from", "made", "state"), rows)
    if answer["next_cursor"]:
        output.line(f"\nThere are more: --cursor {answer['next_cursor']}")


def accepted(answer: Record, output: Output) -> None:
    """What `accept` answers."""
    handoff = answer["handoff"]
    if answer["replayed"]:
        output.aside("This handoff was accepted here before; this is the same one again.")
    output.line(f"id         {handoff['id']}")
    output.line(f"from       {sender(handoff['from'])}, {_kind(handoff)}")
    output.line(f"left       {moment(handoff['created_at'])}")
    if answer["security_notice"]:
        output.line(f"\n{answer['security_notice']}")
    output.line(f"\n{handoff['summary']}")
    for name, words in PARTS.items():
        if handoff[name]:
            output.line(f"\n{words}:")
        for line in handoff[name]:
            output.line(f"  - {line}")


def cancelled(answer: Record, output: Output) -> None:
    """What `cancel` answers."""
    output.line(f"The handoff {answer['handoff']['id']} is {answer['handoff']['state']}.")


def _kind(handoff: Record) -> str:
    return "at a session's end" if handoff["automatic"] else "by hand"
