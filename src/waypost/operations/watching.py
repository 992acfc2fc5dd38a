"""What people who watch ask of mail beside its lists: the reminders of a project, late ones first, and the mail of a thread.

Reads only and marks nothing; the pages are its callers.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from waypost.mail.boxes import Filters, count_scheduled, in_thread, list_box, reminders_due
from waypost.mail.models import Box, Message, Reader, View
from waypost.operations.inputs import Input, Output
from waypost.operations.records import MessageRecord, notice_for, present_all
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import named_project

__all__ = ["WATCHING_OPERATIONS"]

MOST_COUNTED = 10_000


class RemindersInput(Input):
    """The mailbox of one project."""

    workspace: str | None = Field(None, description="The project's workspace, where project is a bare name.")
    project: str = Field(min_length=1, description="The project: a name, or workspace/project.")
    limit: Annotated[int, Field(ge=1, le=500, description="How many items of each list at most.")] = 50


class RemindersOutput(Output):
    """Reminders that came due and are open, the earliest first; what is scheduled, the next due first, and how much that is."""

    late: list[MessageRecord]
    has_more_late: bool
    scheduled: list[MessageRecord]
    scheduled_count: int
    security_notice: str | None


class ThreadInput(Input):
    """A message of the thread."""

    message_id: str = Field(description="The message's id.")
    limit: Annotated[int, Field(ge=1, le=500, description="How many messages at most, the latest of them.")] = 50


class ThreadOutput(Output):
    """The latest mail of a thread that the caller may read, the oldest of it first."""

    items: list[MessageRecord]
    is_cut: bool
    security_notice: str | None


def reminders(unit: Unit, given: RemindersInput) -> RemindersOutput:
    """A project's reminders. Refuses `not_found` for an unknown project."""
    label = named_project(given.workspace, given.project)
    assert label is not None, "the input requires a project"
    project = unit.project(label)
    late = list(reminders_due(unit.tx, project.id, limit=given.limit + 1))
    ahead = list_box(
        unit.tx,
        Reader(project_id=project.id, user_id=None, session=None),
        box=Box.INBOX,
        view=View.SCHEDULED,
        filters=Filters(),
        after=None,
        limit=given.limit,
    )
    scheduled = [record for record in ahead if isinstance(record, Message)]
    shown = late[: given.limit]
    return RemindersOutput(
        late=present_all(unit, shown, reader_project=project.id),
        has_more_late=len(late) > given.limit,
        scheduled=present_all(unit, scheduled, reader_project=project.id),
        scheduled_count=count_scheduled(unit.tx, project.id, most=MOST_COUNTED),
        security_notice=notice_for([*shown, *scheduled], project.id),
    )


def thread(unit: Unit, given: ThreadInput) -> ThreadOutput:
    """The mail of a message's thread. Refuses `message_not_found`."""
    message = unit.message(given.message_id)
    found = in_thread(unit.tx, message.thread, limit=given.limit + 1)
    shown = [one for one in reversed(found[: given.limit]) if unit.sees(one)]
    return ThreadOutput(
        items=present_all(unit, shown, reader_project=None),
        is_cut=len(found) > given.limit,
        security_notice=notice_for(shown, None),
    )


WATCHING_OPERATIONS = (
    Operation(
        name="activity.reminders",
        summary="List a project's reminders: late ones, and what is scheduled. Marks nothing.",
        input=RemindersInput,
        output=RemindersOutput,
        run=reminders,
        writes=False,
    ),
    Operation(
        name="activity.thread",
        summary="List the mail of a message's thread. Marks nothing.",
        input=ThreadInput,
        output=ThreadOutput,
        run=thread,
        writes=False,
    ),
)
