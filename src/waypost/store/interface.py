"""What the domains and operations may know of storage: a transaction that runs named queries, and a store that runs units.

A unit is a plain function of a transaction. `write` returns its result only after the commit is durable, and a unit has no
effect outside its transaction, because the store may run it again. Knows no engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol, TypeVar

from waypost.kernel.errors import WaypostError
from waypost.store.errors import Overtaken

__all__ = ["Actor", "Fields", "Overtaken", "Query", "Row", "Store", "StoreFacts", "Transaction", "Value"]

Value = str | int | float | bytes | None
Row = Mapping[str, Value]
Fields = dict[str, Value]
"""The parameters of a query, under construction."""
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """One named statement in the shared dialect, with `:name` parameters, as the loader read it from a `queries.sql`."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """Who did a thing. `user` and `client` come from the credential and the door; `project` and `session` may be claimed by the
    caller, and `scope_source` says how they were found."""

    door: str
    user: str | None = None
    client: str | None = None
    project: str | None = None
    session: str | None = None
    scope_source: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoreFacts:
    """What names a store: its id and creation (a wiped store is another one), its epoch, engine and schema."""

    store_id: str
    created_at: int
    epoch: int
    engine: str
    engine_version: str
    schema: int
    place: str


class Transaction(Protocol):
    """One consistent view of the store. In a write, everything in it commits together or not at all."""

    @property
    def now(self) -> int:
        """The one instant of this unit, in microseconds. A unit that needs a row to itself takes its lock before it first asks, so
        that the instant is later than whatever the row's last holder did."""
        ...

    def rows(self, query: Query, parameters: Mapping[str, Value] = ...) -> Sequence[Row]:
        """All rows of a query."""
        ...

    def row(self, query: Query, parameters: Mapping[str, Value] = ...) -> Row | None:
        """The first row of a query, or None."""
        ...

    def execute(self, query: Query, parameters: Mapping[str, Value] = ...) -> int:
        """Runs a statement and answers how many rows it changed."""
        ...

    def put(
        self, query: Query, parameters: Mapping[str, Value] = ..., *, otherwise: WaypostError | None = None
    ) -> None:
        """Runs a statement whose count nobody needs; where `otherwise` is given and not exactly one row changed, that is raised. It
        may travel with a later one, so its failure may come later, but before the commit."""
        ...

    def later(self, query: Query, parameters: Mapping[str, Value] = ...) -> Callable[[], Sequence[Row]]:
        """Asks a query now and answers a call that gives its rows, so that several can travel together. It sees what the unit did
        before, and nothing that it does after."""
        ...

    def many(self, query: Query, parameters: Iterable[Mapping[str, Value]]) -> None:
        """Runs a statement once for each set of parameters."""
        ...

    def hold(self, query: Query, parameters: Mapping[str, Value] = ...) -> None:
        """Holds the rows of a query that does nothing but lock them, to the end of the unit. Where only one unit writes at a time
        there is nothing to do."""
        ...

    def journal(self, kind: str, subject_id: str, *, version: int, actor: Actor, scopes: Sequence[str]) -> None:
        """Appends one entry: that `subject_id` changed to `version` by `kind`. `scopes` are the ids of the mailboxes (at most
        two: the one concerned and the sender's) whose readers may see the entry. Never carries foreign text."""
        ...


class Store(Protocol):
    """A running store. Safe to use from any thread."""

    @property
    def facts(self) -> StoreFacts:
        """What names this store."""
        ...

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Runs a read-only unit on a consistent snapshot in the calling thread."""
        ...

    def write(self, unit: Callable[[Transaction], T]) -> T:
        """Runs a unit and returns its result once the commit is durable. A refusal raised by the unit rolls it back.
        Raises `store_unavailable` (or `StoreFull`, `StoreReadOnly`) where the database failed, `store_busy` when too many wait."""
        ...

    def submit(self, unit: Callable[[Transaction], T]) -> Future[T]:
        """As `write`, without waiting: the future is done once the commit is durable."""
        ...

    def subscribe(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Calls `listener(position)` on the store's thread after each commit that appended to the journal; must not block.
        Returns the call that ends it."""
        ...

    def close(self) -> None:
        """Finishes what waits, then closes. Idempotent."""
        ...
