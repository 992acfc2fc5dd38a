"""Sessions as people read them."""

from __future__ import annotations

from typing import Any

from waypost.cli.message_text import sender
from waypost.cli.moments import age, moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.cli.output import Output

__all__ = ["continued", "listed", "shown"]

Record = dict[str, Any]


def listed(answer: Record, output: Output) -> None:
    """What `list` answers."""
    if not answer["items"]:
        output.line("No session is registered.")
        return
    rows = [(item["id"], _project(item), item["client"] or "", age(item["last_seen_at"])) for item in answer["items"]]
    output.table(("session", "project", "client", "last seen"), rows)
    if answer["next_cursor"]:
        output.line(f"\nThere are more: --cursor {answer['next_cursor']}")


def shown(answer: Record, output: Output) -> None:
    """What `show` answers."""
    session = answer["session"]
    output.line(f"session    {session['id']}")
    output.line(f"project    {_project(session)}")
    output.line(f"client     {session['client'] or 'unknown'}")
    output.line(f"user       {session['user'] or 'unknown'}")
    output.line(f"continues  {', '.join(session['continues']) or 'nothing'}")
    output.line(f"began      {moment(session['created_at'])}")
    output.line(f"last seen  {moment(session['last_seen_at'])}")
    if answer["turn"] is not None:
        output.line(f"turn       {answer['turn']}")
    if answer["security_notice"]:
        output.line(f"\n{answer['security_notice']}")
    for note in answer["annotations"]:
        _annotation(note, output)
    if answer["next_cursor"]:
        output.line(f"\nThere are more: --cursor {answer['next_cursor']}")


def _annotation(note: Record, output: Output) -> None:
    """One note about the session: when, by whom, about what, and what became of it; then its text."""
    turn = f", turn {note['about']['turn']}" if note["about"]["turn"] is not None else ""
    state = "redacted" if note["redacted_at"] else note["status"]
    output.line(f"\n{moment(note['created_at'])}  from {sender(note['from'])}{turn}  ({state})  {note['id']}")
    for text in (note["subject"], note["body"]):
        if text:
            output.line(text)


def continued(answer: Record, output: Output) -> None:
    """What `continue` answers."""
    session = answer["session"]
    output.line(f"{session['id']} continues {', '.join(session['continues'])}.")


def _project(session: Record) -> str:
    return f"{session['workspace']}/{session['project']}" if session["project"] else "a project that is gone"
