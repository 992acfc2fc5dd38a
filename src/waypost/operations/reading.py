"""list and view: reading mail, which marks nothing and answers a guessed scope with a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, cast

from pydantic import Field

from waypost.identity.access import Right
from waypost.identity.store import user_named
from waypost.kernel.addresses import parse_name
from waypost.kernel.errors import InvalidInput, NotFound
from waypost.kernel.ids import parse_id
from waypost.kernel.time import format_instant
from waypost.mail.boxes import Filters, Place, list_box, place_of
from waypost.mail.history import Written, conversation, written
from waypost.mail.models import Box, Message, Reader, Unreadable, View
from waypost.mail.store import versions_of
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.inputs import ActingInput, Output, PageInput
from waypost.operations.records import MessageRecord, framed_outcome, notice_for, present, present_all
from waypost.operations.registry import Operation, Unit
from waypost.operations.resolved import ResolvedScope, resolved, scope_hint
from waypost.operations.scope import named_project

__all__ = [
    "LARGEST_PAGE",
    "LIST",
    "VIEW",
    "ListInput",
    "ListOutput",
    "ViewInput",
    "ViewOutput",
    "fitting",
]


LARGEST_PAGE = {"mcp": 60_000, "bridge": 60_000}
"""How many characters of subjects and bodies a page holds at most, by door. A model reads the whole answer, and clients cut or set
aside what is above some 25,000 tokens; programs and people page by `limit` alone."""


class ListInput(PageInput):
    """A page of an inbox or outbox."""

    box: Literal["inbox", "outbox", "both"] = Field(
        "inbox", description="Mail received, mail sent, or both of one thread as it was written."
    )
    status: Literal["unread", "open", "scheduled", "closed", "all"] | None = Field(
        None, description="Default: unread for the inbox, open for the outbox."
    )
    user: str | None = Field(None, description="A person's inbox instead of the project's.")
    thread: str | None = Field(None, description="Only this thread.")
    from_: str | None = Field(None, alias="from", description="Only from this project: a name, or workspace/project.")
    query: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="Only where subject or body holds these words."
    )


class UnreadableRecord(Output):
    """A record that this Waypost cannot read. It is skipped and left as it is."""

    id: str
    format: int


class ListOutput(Output):
    """A page of messages, oldest due first, and whose mailbox it is."""

    items: list[MessageRecord]
    unreadable: list[UnreadableRecord]
    next_cursor: str | None
    resolved_scope: ResolvedScope
    scope_source: str
    hint: str | None
    security_notice: str | None


class ViewInput(ActingInput):
    """One message."""

    message_id: str = Field(description="The message's id.")


class VersionRecord(Output):
    """What a message was before one change, and who made that change."""

    version: int
    changed_at: str
    change: str
    by_door: str
    by_session: str | None
    occurrence: int
    status: str
    due_at: str
    outcome: str | None


class ViewOutput(Output):
    """A message with its history, newest first."""

    message: MessageRecord
    history: list[VersionRecord]
    resolved_scope: ResolvedScope
    scope_source: str
    hint: str | None
    security_notice: str | None


def list_messages(unit: Unit, given: ListInput) -> ListOutput:
    """A page of a box. Marks nothing. Refuses `invalid_input` for a foreign cursor, `not_found` for an unknown user or sender."""
    if given.box == "both":
        return _conversation(unit, given)
    box = Box(given.box)
    view = View(given.status) if given.status else (View.UNREAD if box is Box.INBOX else View.OPEN)
    reader = _reader(unit, given)
    kind = f"messages-{box}-{view}"
    after = cast("Place", read_cursor(kind, given.cursor, (int, int, str))) if given.cursor else None
    found = list_box(
        unit.tx, reader, box=box, view=view, filters=_filters(unit, given), after=after, limit=given.limit + 1
    )
    page = fitting(found[: given.limit], unit.caller.door)
    return _listed(
        unit, reader, page, next_cursor=write_cursor(kind, place_of(page[-1])) if len(found) > len(page) else None
    )


def _conversation(unit: Unit, given: ListInput) -> ListOutput:
    """A page of a thread over inbox and outbox, in the order in which it was written, closed and scheduled mail too."""
    if given.thread is None or given.status not in {None, "all"} or given.from_ is not None or given.query is not None:
        raise InvalidInput(
            "box=both shows one whole thread: it needs thread, and takes no status but all, no from and no query.",
            hint="Pass thread alone, or one box.",
        )
    thread = parse_id(given.thread, field="thread")
    after = cast("Written", read_cursor("conversation", given.cursor, (int, str))) if given.cursor else None
    reader = _reader(unit, given)
    found = conversation(unit.tx, reader, thread, after=after, limit=given.limit + 1)
    page = fitting(found[: given.limit], unit.caller.door)
    more = len(found) > len(page)
    return _listed(unit, reader, page, next_cursor=write_cursor("conversation", written(page[-1])) if more else None)


def _listed(unit: Unit, reader: Reader, page: Sequence[Message | Unreadable], *, next_cursor: str | None) -> ListOutput:
    messages = [record for record in page if isinstance(record, Message)]
    skipped = [record for record in page if isinstance(record, Unreadable)]
    return ListOutput(
        items=present_all(unit, messages, reader_project=reader.project_id),
        unreadable=[UnreadableRecord(id=record.id, format=record.format) for record in skipped],
        next_cursor=next_cursor,
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        hint=scope_hint(unit),
        security_notice=notice_for(messages, reader.project_id),
    )


def fitting(found: Sequence[Message | Unreadable], door: str) -> list[Message | Unreadable]:
    """The records from the first on that fit into one answer at that door; always one, so that every page gets on."""
    left = LARGEST_PAGE.get(door)
    page: list[Message | Unreadable] = []
    for record in found:
        if left is not None and isinstance(record, Message):
            left -= len(record.subject) + len(record.body)
            if left < 0 and page:
                break
        page.append(record)
    return page


def view_message(unit: Unit, given: ViewInput) -> ViewOutput:
    """One message with its history. Marks nothing. Refuses `message_not_found`."""
    message = unit.message(given.message_id)
    project_id = unit.scope.project.id if unit.scope.project else None
    return ViewOutput(
        message=present(unit, message, reader_project=project_id),
        history=[_version(unit, version) for version in versions_of(unit.tx, message)],
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        hint=scope_hint(unit),
        security_notice=notice_for([message], project_id),
    )


def _reader(unit: Unit, given: ListInput) -> Reader:
    if given.user is not None:
        name = parse_name(given.user.removeprefix("~"), field="user")
        user = user_named(unit.tx, name)
        if user is None or not unit.may(Right.READ, user.id):
            raise NotFound(f"There is no user '~{name}'.", hint="Pass the name without '~'.")
        return Reader(project_id=None, user_id=user.id, session=None)
    named = given.project is not None
    return unit.reader(with_user=not named)


def _filters(unit: Unit, given: ListInput) -> Filters:
    sender = None
    if given.from_ is not None:
        name = named_project(None, given.from_)
        project = unit.find_project(name) if name else None
        if project is None:
            raise NotFound("There is no project of the name given in from.", hint="See `waypost project list`.")
        sender = project.id
    thread = parse_id(given.thread, field="thread") if given.thread is not None else None
    return Filters(thread=thread, from_project=sender, query=given.query)


def _version(unit: Unit, version: dict[str, object]) -> VersionRecord:
    actor = cast("dict[str, str | None]", version["actor"])
    project_id = actor["project"]
    may_read = project_id is None or unit.may(Right.READ, project_id)
    return VersionRecord(
        version=cast("int", version["version"]),
        changed_at=format_instant(cast("int", version["changed_at"])),
        change=str(version["kind"]),
        by_door=str(actor["door"]),
        by_session=actor["session"] if may_read else None,
        occurrence=cast("int", version["occurrence"]),
        status=str(version["status"]),
        due_at=format_instant(cast("int", version["due_at"])),
        outcome=framed_outcome(cast("str | None", version["outcome"])),
    )


LIST = Operation(
    name="message.list",
    summary="List mail of the inbox (default) or the outbox. Reads nothing, marks nothing.",
    input=ListInput,
    output=ListOutput,
    run=list_messages,
    writes=False,
)
VIEW = Operation(
    name="message.view",
    summary="Show one message with its history. Marks nothing.",
    input=ViewInput,
    output=ViewOutput,
    run=view_message,
    writes=False,
)
