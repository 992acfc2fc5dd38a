"""Where a send goes: from the flat fields of a call to a mailbox that exists. Refuses unknown recipients, with near names."""

from __future__ import annotations

from dataclasses import dataclass

from waypost.identity.access import Right
from waypost.identity.models import Project
from waypost.identity.store import StoredDirectory
from waypost.kernel.addresses import Address, ProjectName, parse_name, parse_session_id
from waypost.kernel.errors import InvalidInput
from waypost.mail.errors import UnknownRecipient
from waypost.operations.registry import Unit

__all__ = ["Destination", "check_still_there", "in_project", "named_destination"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Destination:
    """A mailbox that exists, its name, and perhaps one session there."""

    mailbox_id: str
    workspace: str
    address: Address


def named_destination(
    unit: Unit, own: Project, *, project: ProjectName | None, user: str | None, session: str | None
) -> Destination:
    """The mailbox that a send names; without a name, the own project's. Refuses `unknown_recipient`, also where the caller may not
    know of it, `forbidden` where it may and the grant to write is missing, and `invalid_input` where
    project and user are both named or a name is none."""
    to_session = parse_session_id(session, field="to_session") if session is not None else None
    if user is not None:
        if project is not None:
            raise InvalidInput("to_user and to_project exclude each other.", hint="Pass one of them.")
        return _of_user(unit, own, user, to_session)
    if project is None:
        return in_project(own, session=to_session)
    found = unit.find_project(project)
    if found is None:
        near = unit.directory.near(project)
        hint = f"Did you mean {' or '.join(near)}?" if near else "See `waypost project list` for the names that exist."
        raise UnknownRecipient(f"There is no project '{project}'. Nothing was sent.", hint=hint)
    unit.need(Right.WRITE, found)
    return in_project(found, session=to_session)


def in_project(project: Project, *, session: str | None) -> Destination:
    """A project's mailbox, or one session there."""
    return Destination(
        mailbox_id=project.id,
        workspace=project.workspace,
        address=Address(project=project.label, session=session),
    )


def check_still_there(unit: Unit, destination: Destination) -> None:
    """Looks again once the mailbox's row is held, because another node may have deleted the project while this unit waited for it.
    Refuses `unknown_recipient`."""
    if destination.address.project is None:  # a person's mailbox is never deleted
        return
    if StoredDirectory(unit.tx).project_by_id(destination.mailbox_id) is None:
        raise UnknownRecipient(
            "The recipient's project was deleted just now. Nothing was sent.",
            hint="See `waypost project list` for the names that exist.",
        )


def _of_user(unit: Unit, own: Project, given: str, session: str | None) -> Destination:
    name = parse_name(given.removeprefix("~"), field="to_user")
    user = unit.directory.user(name)
    if user is None:
        raise UnknownRecipient(f"There is no user '~{name}'. Nothing was sent.")
    return Destination(mailbox_id=user.id, workspace=own.workspace, address=Address(user=user.name, session=session))
