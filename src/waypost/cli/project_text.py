"""Projects as people read them."""

from __future__ import annotations

from typing import Any

from waypost.cli.moments import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.cli.output import Output

__all__ = ["added", "allowed", "deleted", "found", "listed", "renamed", "shown"]

Record = dict[str, Any]


def listed(answer: Record, output: Output) -> None:
    """What `list` answers."""
    if not answer["items"]:
        output.line("There are no projects yet; `waypost project add` in a repository makes one.")
        return
    rows = [(_label(item), item["pending"] or "", item["identity"] or "") for item in answer["items"]]
    output.table(("project", "unread", "belongs to"), rows)
    if answer["next_cursor"]:
        output.line(f"\nThere are more: --cursor {answer['next_cursor']}")


def found(answer: Record, output: Output) -> None:
    """What `which` answers."""
    scope = answer["resolved_scope"]
    name = _label(scope) if scope["project"] else "no project"
    output.line(f"{name}, found by {answer['scope_source']}{' (a guess)' if answer['guessed'] else ''}")
    if answer["session"]:
        output.line(f"session {answer['session']}")
    if answer["hint"]:
        output.note(f"hint: {answer['hint']}")


def shown(answer: Record, output: Output) -> None:
    """What `show` answers."""
    project = answer["project"]
    output.line(f"project     {_label(project)}")
    output.line(f"id          {project['id']}")
    output.line(f"belongs to  {project['identity'] or 'no checkout yet'}")
    output.line(f"unread      {project['pending']}")
    output.line(f"made        {moment(project['created_at'])}")
    output.line(f"version     {project['version']}")


def added(answer: Record, output: Output) -> None:
    """What `add` answers."""
    word = "Made" if answer["created"] else "It is there already:"
    output.line(f"{word} {_label(answer['project'])}.")


def allowed(answer: Record, output: Output) -> None:
    """What `allow` answers."""
    output.line(f"The checkout may use {_label(answer['project'])}.")


def renamed(answer: Record, output: Output) -> None:
    """What `rename` and `move` answer."""
    output.line(f"The project is {_label(answer['project'])} now; its mail went with it.")


def deleted(answer: Record, output: Output) -> None:
    """What `delete` answers."""
    output.line(f"Deleted {_label(answer['project'])}.")


def _label(record: Record) -> str:
    return f"{record['workspace']}/{record['project']}"
