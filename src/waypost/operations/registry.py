"""What an operation is, and the unit of work that it runs in. `catalogue` lists them all; doors are generated from that list.

`run` is a plain function of a unit of work and typed input. It decides by the domains' rules, saves by their stores, and answers
typed output; it knows no door.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from waypost.identity.access import Access, Right
from waypost.identity.errors import GrantMissing, ProjectNotFound
from waypost.identity.models import MailboxName, Project, Scope, Workdir
from waypost.identity.rules import refuse_guess
from waypost.identity.visible import VisibleDirectory
from waypost.kernel.addresses import ProjectName
from waypost.kernel.ids import parse_id
from waypost.mail.errors import MessageNotFound
from waypost.mail.models import Limits, Message, Reader
from waypost.mail.store import find_message, hold_message
from waypost.operations.authority import Authority
from waypost.operations.call import Caller, Rights, refuse_lesser
from waypost.operations.inputs import Input, Output, TextReport
from waypost.operations.scope import introduce_session, reader_of, require_session
from waypost.store.interface import Actor, StoreFacts, Transaction

__all__ = ["Operation", "Unit"]

I = TypeVar("I", bound=Input)  # noqa: E741 - the customary letters for input and output
O = TypeVar("O", bound=Output)  # noqa: E741 - as above


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """One unit of work: its transaction, who asks and what that allows, where they stand, what was done to their text, and what the
    directory named in the input says of itself (looked at before the transaction, because a slow disk must not hold up the writer).

    What a caller may know and do is asked here and nowhere else: `find_project`, `project`, `message`, `sees`, `names` and
    `readable` for what may be known, `need` for what may be done. `reader` needs read and `own_project` write on the own project.
    """

    tx: Transaction
    caller: Caller
    authority: Authority
    scope: Scope
    actor: Actor
    text: TextReport
    limits: Limits
    facts: StoreFacts
    verb: str
    named_workdir: Workdir | None = None
    scope_fields: tuple[str, str] = ("workspace", "project")

    @property
    def now(self) -> int:
        """The one instant of this unit."""
        return self.tx.now

    @property
    def access(self) -> Access:
        """What the caller may do."""
        return self.authority.access

    @property
    def directory(self) -> VisibleDirectory:
        """What exists, as the caller may know it."""
        return VisibleDirectory(self.tx, self.access)

    @property
    def readable(self) -> frozenset[str] | None:
        """The mailboxes whose mail and changes the caller may read; None means all, as for the operator and without tokens."""
        return self.access.readable

    def may(self, right: Right, mailbox_id: str) -> bool:
        """Whether the caller holds a right on a mailbox."""
        return self.access.may(right, mailbox_id)

    def need(self, right: Right, project: Project) -> None:
        """Refuses (`forbidden`) where a right on a project is missing, and names it; `not_found` where the project's existence may
        not be known."""
        if self.may(right, project.id):
            return
        if not self.access.knows(project.id):
            raise self._unknown(project.label)
        raise GrantMissing(f"{self.verb} needs the grant to {right} on '{project.label}'.")

    def need_operator(self) -> None:
        """Refuses (`forbidden`) whoever is not the operator."""
        refuse_lesser(self.caller.rights, Rights.OPERATOR, self.verb)

    def own_project(self) -> Project:
        """The caller's project, certain enough to change things, and writable. Refuses `scope_guessed`, `forbidden`."""
        project = refuse_guess(self.scope, verb=self.verb, fields=self.scope_fields)
        self.need(Right.WRITE, project)
        return project

    def find_project(self, name: ProjectName) -> Project | None:
        """The project of that name, if the caller may know of it."""
        return self.directory.project_named(name)

    def project(self, name: ProjectName) -> Project:
        """The project of that name, to be read. Refuses `not_found`, with near names, and `forbidden`."""
        found = self.find_project(name)
        if found is None:
            raise self._unknown(name)
        self.need(Right.READ, found)
        return found

    def sees(self, message: Message) -> bool:
        """Whether the caller may read the message: who reads its mailbox, or that of the project that sent it."""
        return self.may(Right.READ, message.mailbox_id) or self.may(Right.READ, message.sender.project_id)

    def message(self, message_id: str, *, held: bool = False) -> Message:
        """The message of that id, with `held` held to the end of the unit, which comes before the unit first asks for its `now`.
        Refuses `message_not_found`, also where it may not be known, and `invalid_input` for what is no id."""
        find = hold_message if held else find_message
        found = find(self.tx, parse_id(message_id, field="message_id"))
        if found is None or not self.sees(found):
            raise MessageNotFound("There is no message of that id.")
        return found

    def names(self, ids: Iterable[str]) -> dict[str, MailboxName]:
        """The names of several mailboxes; those that the caller may not know are left out."""
        return self.directory.names(ids)

    def introduce(self) -> bool:
        """Registers the acting session where the call may do so; answers whether it is known now."""
        return introduce_session(self.tx, self.caller, self.scope, self.own_project())

    def acting_session(self) -> str:
        """The acting session, registered. Refuses `scope_guessed`, `session_required`, `not_found`."""
        return require_session(self.scope, known=self.introduce(), verb=self.verb)

    def act_on(self, message_id: str) -> tuple[Message, str]:
        """The message that the acting session says something of, held to the end of the unit before it first asks for its `now`, and
        that session. Refuses as `own_project`, `message` and `acting_session` do, whoever names no session before anything is held."""
        self.own_project()
        require_session(self.scope, known=True, verb=self.verb)
        message = self.message(message_id, held=True)
        return message, self.acting_session()

    def reader(self, *, with_user: bool = True) -> Reader:
        """Whose inbox this call reads. Refuses `forbidden` where the project's may not be read."""
        if self.scope.project is not None:
            self.need(Right.READ, self.scope.project)
        return reader_of(self.tx, self.caller, self.scope, with_user=with_user)

    def _unknown(self, name: ProjectName) -> ProjectNotFound:
        return ProjectNotFound(f"There is no project '{name}'.", near=self.directory.near(name))


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation(Generic[I, O]):
    """One verb. `sender` says that the own project stands in `from_*`; `needs` the rights it takes; `idempotent` that a repeat
    without a key is harmless; `kept` makes of an answer what is kept under its key, where the answer itself holds a secret."""

    name: str
    summary: str
    input: type[I]
    output: type[O]
    run: Callable[[Unit, I], O]
    writes: bool
    needs: Rights = Rights.AGENT
    sender: bool = False
    idempotent: bool = False
    destructive: bool = False
    kept: Callable[[Any], Output] | None = None

    @property
    def verb(self) -> str:
        """The verb alone, for messages."""
        return self.name.partition(".")[2].replace("_", " ")
