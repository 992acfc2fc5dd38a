"""Changes as people read them: one line each."""

from __future__ import annotations

from typing import Any

from waypost.cli.moments import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.cli.output import Output

__all__ = ["followed", "listed"]

Record = dict[str, Any]


def listed(page: Record, output: Output) -> None:
    """One page."""
    followed(page, output)
    if not page["items"]:
        output.line("Nothing changed since.")
    if page["next_cursor"] != page["head"]:
        output.line(f"\nThere are more: --after {page['next_cursor']}")


def followed(page: Record, output: Output) -> None:
    """A page among others: the gap before it, and its changes."""
    gap = page["gap"]
    if gap is not None and gap["reason"] == "pruned":
        output.line(f"gap: changes after {gap['from']} up to {gap['to']} are no longer kept")
    elif gap is not None:
        output.line(f"gap: the store was restored since {gap['from']}; everything that it keeps follows")
    for item in page["items"]:
        output.line(_line(item))


def _line(item: Record) -> str:
    place = ", ".join(_mailbox(one) for one in item["mailboxes"])
    actor = item["actor"]
    who = actor["user"] or actor["client"] or ""
    by = f"{actor['door']} ({who})" if who else actor["door"]
    return (
        f"{moment(item['at'])}  {item['kind']:<18} {item['id']} v{item['version']}  {place}  by {by}  {item['cursor']}"
    )


def _mailbox(one: Record) -> str:
    if one["user"]:
        return f"~{one['user']}"
    return f"{one['workspace']}/{one['project']}" if one["workspace"] else str(one["project"])
