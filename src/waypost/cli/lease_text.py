"""Claimed work as people read it: the token and how long it holds, then the message; and what became of it."""

from __future__ import annotations

from typing import Any

from waypost.cli.message_text import done_to_text, whole
from waypost.cli.moments import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.cli.output import Output

__all__ = ["claimed", "completed", "released", "renewed", "snoozed"]

Record = dict[str, Any]


def claimed(answer: Record, output: Output) -> None:
    """What `claim` answers."""
    if answer["repeated"]:
        output.aside("This session holds it already; its lease was not extended.")
    output.line(f"token      {answer['token']}")
    output.line(f"lease      until {moment(answer['lease']['until'])}, generation {answer['lease']['generation']}")
    whole(answer["message"], answer["security_notice"], output)


def renewed(answer: Record, output: Output) -> None:
    """What `renew` answers."""
    output.line(f"Renewed: {answer['message_id']} is held until {moment(answer['lease']['until'])}.")


def released(answer: Record, output: Output) -> None:
    """What `release` answers."""
    output.line(f"Released: {answer['message_id']} is unread and can be claimed.")


def completed(answer: Record, output: Output) -> None:
    """What `complete` answers."""
    output.line(f"Completed: {answer['message_id']}, occurrence {answer['occurrence']}.")
    done_to_text(answer, output)


def snoozed(answer: Record, output: Output) -> None:
    """What `snooze` answers."""
    local = f" ({answer['due_local']})" if answer["due_local"] else ""
    output.line(
        f"Snoozed: {answer['message_id']} comes due {moment(answer['due_at'])}{local} as occurrence {answer['occurrence']}."
    )
    done_to_text(answer, output)
