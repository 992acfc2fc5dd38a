"""What happened: the journal for people who watch, newest first, and the mail that somebody works on right now.

Entries carry names, ids, versions and actors, never text. Reads only; who may see an entry is who may read one of its mailboxes.
"""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import Field

from waypost.identity.access import Right
from waypost.identity.models import Project
from waypost.identity.store import list_projects
from waypost.kernel.addresses import ProjectName
from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import format_instant, format_maybe
from waypost.mail.boxes import claimed, count_untouched, next_due, pending_counts
from waypost.mail.models import Reader
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.entries import EntryRecord, present_entries
from waypost.operations.inputs import Input, Output
from waypost.operations.records import MessageRecord, notice_for, present_all
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import named_project
from waypost.store.journal import Entry, bounds, entries_before

__all__ = ["ACTIVITY_OPERATIONS"]

MOST_COUNTED = 10_000
"""Above any inbox; a count of this size only tells that something changed."""
MOST_LOOKED_AT = 10_000
"""How many entries one page looks at where a filter takes few of them; its cursor goes on behind them."""
STRIDE = 500


class ActivityInput(Input):
    """A page of the journal, of one project or of all that the caller may read."""

    workspace: str | None = Field(None, description="The project's workspace, where project is a bare name.")
    project: str | None = Field(None, description="Only this project: a name, or workspace/project.")
    kind: str | None = Field(None, description="Only one kind, as message.popped, or all of a family, as message.")
    door: str | None = Field(None, description="Only what came in by this door.")
    actor: str | None = Field(None, description="Only what this user, client or session did.")
    limit: Annotated[int, Field(ge=1, le=500, description="How many entries at most.")] = 50
    cursor: str | None = Field(None, description="next_cursor of the page before.")


class ActivityOutput(Output):
    """A page of the journal, newest first. `head` is the position of the newest entry there is. With a filter a page may be short,
    or empty, and still have a next one: each looks at a bounded part of the journal."""

    items: list[EntryRecord]
    next_cursor: str | None
    head: int


class LatestInput(Input):
    """A page of projects."""

    limit: Annotated[int, Field(ge=1, le=500, description="How many projects at most.")] = 500
    cursor: str | None = Field(None, description="next_cursor of the page before.")


class LatestRecord(Output):
    """When something last happened in a project."""

    workspace: str
    project: str
    at: str
    kind: str


class LatestOutput(Output):
    """When something last happened in each project, by name; a project without any entry is left out."""

    items: list[LatestRecord]
    next_cursor: str | None
    head: int


class MarkInput(Input):
    """One project, or all."""

    workspace: str | None = Field(None, description="The project's workspace, where project is a bare name.")
    project: str | None = Field(None, description="Only this project: a name, or workspace/project.")


class MarkOutput(Output):
    """What tells whether a view of the project, or of all, is still true. `newest` is the position of the last change that concerns
    it, `next_at` when it changes by time alone: something comes due or a lease lapses."""

    newest: int
    pending: int
    next_at: str | None


class ClaimsInput(Input):
    """The mailbox of one project."""

    workspace: str | None = Field(None, description="The project's workspace, where project is a bare name.")
    project: str = Field(description="The project: a name, or workspace/project.")
    limit: Annotated[int, Field(ge=1, le=500, description="How many items at most.")] = 50


class ClaimsOutput(Output):
    """Mail under a live lease, the next to lapse first."""

    items: list[MessageRecord]
    security_notice: str | None


def list_(unit: Unit, given: ActivityInput) -> ActivityOutput:
    """A page of the journal, newest first, filtered. Refuses `not_found` for an unknown project, `invalid_input` for a foreign cursor."""
    before = cast("tuple[int]", read_cursor("activity", given.cursor, (int,)))[0] if given.cursor else None
    mailbox = _project(unit, given.workspace, given.project).id if given.project is not None else None
    page, ended_at = _page(unit, given, before, mailbox)
    return ActivityOutput(
        items=present_entries(unit.tx, page, readable=unit.readable),
        next_cursor=write_cursor("activity", (ended_at,)) if ended_at is not None else None,
        head=_head(unit),
    )


def latest(unit: Unit, given: LatestInput) -> LatestOutput:
    """When something last happened in each project of a page, by name."""
    after = None
    if given.cursor:
        workspace, name = cast("tuple[str, str]", read_cursor("latest", given.cursor, (str, str)))
        after = ProjectName(workspace=workspace, project=name)
    found = list_projects(unit.tx, after=after, limit=given.limit + 1, within=unit.readable)
    page = found[: given.limit]
    newest = ((project, entries_before(unit.tx, None, limit=1, mailbox=project.id)) for project in page)
    last = (page[-1].workspace, page[-1].name) if len(found) > given.limit else None
    return LatestOutput(
        items=[
            LatestRecord(
                workspace=project.workspace, project=project.name, at=format_instant(entry.at), kind=entry.kind
            )
            for project, entries in newest
            for entry in entries
        ],
        next_cursor=write_cursor("latest", last) if last else None,
        head=_head(unit),
    )


def mark(unit: Unit, given: MarkInput) -> MarkOutput:
    """What tells whether a view is still true; cheap, because every open page asks it. Refuses `not_found` for an unknown project."""
    if given.project is None:
        counts = pending_counts(unit.tx)
        pending = sum(count for mailbox, count in counts.items() if unit.may(Right.READ, mailbox))
        return MarkOutput(newest=_head(unit), pending=pending, next_at=None)
    project = _project(unit, given.workspace, given.project)
    newest = entries_before(unit.tx, None, limit=1, mailbox=project.id)
    due_at = next_due(unit.tx, Reader(project_id=project.id, user_id=None, session=None))
    return MarkOutput(
        newest=newest[0].position if newest else 0,
        pending=count_untouched(unit.tx, project.id, most=MOST_COUNTED),
        next_at=format_maybe(due_at),
    )


def claims(unit: Unit, given: ClaimsInput) -> ClaimsOutput:
    """The mail of a project that is under a live lease. Marks nothing. Refuses `not_found` for an unknown project."""
    project = _project(unit, given.workspace, given.project)
    found = list(claimed(unit.tx, project.id, limit=given.limit))
    return ClaimsOutput(
        items=present_all(unit, found, reader_project=project.id),
        security_notice=notice_for(found, project.id),
    )


def _page(unit: Unit, given: ActivityInput, before: int | None, mailbox: str | None) -> tuple[list[Entry], int | None]:
    """The entries of a page, and the position behind which the next one begins, if there may be one."""
    is_filtered = any((given.kind, given.door, given.actor))
    stride = STRIDE if is_filtered else given.limit + 1
    page: list[Entry] = []
    looked_at = 0
    while looked_at < MOST_LOOKED_AT:
        entries = _entries_before(unit, before, limit=stride, mailbox=mailbox)
        for entry in entries:
            if _is_wanted(unit, given, entry):
                if len(page) == given.limit:
                    return page, page[-1].position
                page.append(entry)
        if len(entries) < stride:
            return page, None
        before = entries[-1].position
        looked_at += len(entries)
    return page, before


def _is_wanted(unit: Unit, given: ActivityInput, entry: Entry) -> bool:
    """Whether the filter takes the entry. It compares with nothing that the entry's record would not show."""
    actor = entry.actor
    if given.kind and given.kind not in {entry.kind, entry.kind.partition(".")[0]}:
        return False
    if given.door and given.door != actor.door:
        return False
    if not given.actor:
        return True
    shows_session = actor.project is None or unit.readable is None or actor.project in unit.readable
    return given.actor in {actor.user, actor.client, actor.session if shows_session else None}


def _entries_before(unit: Unit, before: int | None, *, limit: int, mailbox: str | None = None) -> list[Entry]:
    """The newest entries that the caller may see: of one mailbox, or of all that it reads."""
    if mailbox is not None or unit.readable is None:
        return entries_before(unit.tx, before, limit=limit, mailbox=mailbox)
    found = {
        entry.position: entry
        for readable in unit.readable
        for entry in entries_before(unit.tx, before, limit=limit, mailbox=readable)
    }
    return [found[position] for position in sorted(found, reverse=True)[:limit]]


def _head(unit: Unit) -> int:
    """The position of the newest entry that the caller may see."""
    if unit.readable is None:
        return bounds(unit.tx).head
    return max((entry.position for entry in _entries_before(unit, None, limit=1)), default=0)


def _project(unit: Unit, workspace: str | None, project: str) -> Project:
    """The project named by two flat fields. Refuses `not_found`, and `invalid_input` for a blank name."""
    label = named_project(workspace, project)
    if label is None:
        raise InvalidInput("project is blank.", hint="Name a project, or leave it out where it may be left out.")
    return unit.project(label)


ACTIVITY_OPERATIONS = (
    Operation(
        name="activity.list",
        summary="List what happened, newest first, in one project or in all. Entries carry no text.",
        input=ActivityInput,
        output=ActivityOutput,
        run=list_,
        writes=False,
    ),
    Operation(
        name="activity.latest",
        summary="Say when something last happened in each project.",
        input=LatestInput,
        output=LatestOutput,
        run=latest,
        writes=False,
    ),
    Operation(
        name="activity.mark",
        summary="Say whether a view of a project, or of all, is still true.",
        input=MarkInput,
        output=MarkOutput,
        run=mark,
        writes=False,
    ),
    Operation(
        name="activity.claims",
        summary="List a project's mail that somebody works on right now. Marks nothing.",
        input=ClaimsInput,
        output=ClaimsOutput,
        run=claims,
        writes=False,
    ),
)
