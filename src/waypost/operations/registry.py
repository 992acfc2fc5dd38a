"""What an operation is, and the unit of work that it runs in. `catalogue` lists them all; doors are generated from that list.

`run` is a plain function of a unit of work and typed input. It decides by the domains' rules, saves by their stores, and answers
typed output; it knows no door.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from waypost.identity.errors import ProjectNotFound
from waypost.identity.models import Project, Scope, Workdir
from waypost.identity.rules import refuse_guess
from waypost.identity.store import StoredDirectory, near_names
from waypost.kernel.addresses import ProjectName
from waypost.kernel.ids import parse_id
from waypost.mail.errors import MessageNotFound
from waypost.mail.models import Limits, Message, Reader
from waypost.mail.store import find_message
from waypost.operations.call import Caller, Rights
from waypost.operations.inputs import Input, Output, TextReport
from waypost.operations.scope import introduce_session, reader_of, require_session
from waypost.store.interface import Actor, StoreFacts, Transaction

__all__ = ["Operation", "Unit"]

I = TypeVar("I", bound=Input)  # noqa: E741 - the customary letters for input and output
O = TypeVar("O", bound=Output)  # noqa: E741 - as above


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """One unit of work: its transaction, who asks, where they stand, what was done to their text, and what the directory named
    in the input says of itself (looked at before the transaction, because a slow disk must not hold up the writer)."""

    tx: Transaction
    caller: Caller
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
    def readable(self) -> frozenset[str] | None:
        """The mailboxes whose mail and changes the caller may read; None means all, which is so while there are no tokens."""
        return None

    def own_project(self) -> Project:
        """The caller's project, certain enough to change things. Refuses `scope_guessed`."""
        return refuse_guess(self.scope, verb=self.verb, fields=self.scope_fields)

    def project(self, name: ProjectName) -> Project:
        """The project of that name. Refuses `not_found`, with near names."""
        found = StoredDirectory(self.tx).project_named(name)
        if found is None:
            raise ProjectNotFound(f"There is no project '{name}'.", near=near_names(self.tx, name))
        return found

    def message(self, message_id: str) -> Message:
        """The message of that id. Refuses `message_not_found`, and `invalid_input` for what is no id."""
        found = find_message(self.tx, parse_id(message_id, field="message_id"))
        if found is None:
            raise MessageNotFound("There is no message of that id.")
        return found

    def introduce(self) -> bool:
        """Registers the acting session where the call may do so; answers whether it is known now."""
        return introduce_session(self.tx, self.caller, self.scope, self.own_project())

    def acting_session(self) -> str:
        """The acting session, registered. Refuses `scope_guessed`, `session_required`, `not_found`."""
        return require_session(self.scope, known=self.introduce(), verb=self.verb)

    def reader(self, *, with_user: bool = True) -> Reader:
        """Whose inbox this call reads."""
        return reader_of(self.tx, self.caller, self.scope, with_user=with_user)


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation(Generic[I, O]):
    """One verb. `sender` says that the own project stands in `from_*`; `needs` the rights it takes; `idempotent` that a repeat
    without a key is harmless."""

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

    @property
    def verb(self) -> str:
        """The verb alone, for messages."""
        return self.name.partition(".")[2].replace("_", " ")
