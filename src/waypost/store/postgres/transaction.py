"""The transaction that a unit sees, over one connection of Postgres.

It begins with its first statement: what nobody waits for travels with the next answer that somebody needs, in one exchange. `now`
is the database's clock as the transaction began, or after the first lock where the unit takes one before it asks. It ends with
its unit. Knows no pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import psycopg

from waypost.kernel.errors import WaypostError
from waypost.kernel.time import Clock
from waypost.store.interface import Actor, Query, Row, Value
from waypost.store.journal import APPEND, entry_parameters
from waypost.store.postgres.dialect import Statement, Statements
from waypost.store.postgres.errors import translate
from waypost.store.postgres.versions import Opening
from waypost.store.postgres.wire import Result, Wire

if TYPE_CHECKING:
    from waypost.store.interface import Transaction

__all__ = ["PostgresTransaction", "ReadTransaction"]

NOTHING: Final[Mapping[str, Value]] = {}
NOW: Final = Query(name="now", text="select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now")
MOST_UNSENT: Final = 250
COMMIT: Final = Statement(name=b"waypost_commit", sql=b"commit", parameters=(), holds=False)


@dataclass(kw_only=True, slots=True, eq=False)
class Asked:
    """A statement that is on its way: what is raised where it changes not exactly one row, and its answer once it is there."""

    statement: Statement
    parameters: Mapping[str, Value]
    otherwise: WaypostError | None = None
    answer: Result | None = None


class PostgresTransaction:
    """A unit's transaction that may write. `journalled` says whether it appended to the journal."""

    __slots__ = ("_begun_at", "_clock", "_now", "_opening", "_statements", "_unsent", "_wire", "journalled")

    def __init__(self, wire: Wire, statements: Statements, clock: Clock | None, opening: Opening) -> None:
        self._wire: Wire | None = wire
        self._statements = statements
        self._clock = clock
        self._opening: Opening | None = opening
        self._begun_at: int | None = None
        self._now: int | None = None
        self._unsent: list[Asked] = []
        self.journalled = False

    def end(self) -> None:
        """After this the transaction refuses every call."""
        self._wire = None

    def commit(self) -> None:
        """Sends what was not sent yet, and the commit behind it. Raises the driver's errors where the commit itself may have been
        sent, refusals where it was not."""
        if self._opening is not None and not self._unsent:
            return  # nothing was asked
        if self._opening is not None or any(asked.otherwise for asked in self._unsent):
            self._exchange()
        unsent, self._unsent = self._unsent, []
        self._open().run_together([*((asked.statement, asked.parameters) for asked in unsent), (COMMIT, NOTHING)])

    @property
    def now(self) -> int:
        if self._now is None:
            self._now = self._clock.now() if self._clock is not None else self._database_now()
        return self._now

    def rows(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> Sequence[Row]:
        return self._answer(self._ask(query, parameters)).rows

    def row(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> Row | None:
        found = self.rows(query, parameters)
        return found[0] if found else None

    def later(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> Callable[[], Sequence[Row]]:
        asked = self._ask(query, parameters)
        return lambda: self._answer(asked).rows

    def execute(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> int:
        return self._answer(self._ask(query, parameters)).changed

    def put(
        self, query: Query, parameters: Mapping[str, Value] = NOTHING, *, otherwise: WaypostError | None = None
    ) -> None:
        self._ask(query, parameters).otherwise = otherwise

    def many(self, query: Query, parameters: Iterable[Mapping[str, Value]]) -> None:
        for given in parameters:
            self._ask(query, given)

    def hold(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> None:
        self._answer(self._ask(query, parameters))

    def journal(self, kind: str, subject_id: str, *, version: int, actor: Actor, scopes: Sequence[str]) -> None:
        self.put(APPEND, entry_parameters(kind, subject_id, version=version, actor=actor, scopes=scopes, at=self.now))
        self.journalled = True

    def _ask(self, query: Query, parameters: Mapping[str, Value]) -> Asked:
        self._open()
        if len(self._unsent) >= MOST_UNSENT:
            self._exchange()
        asked = Asked(statement=self._statements[query.text], parameters=parameters)
        self._unsent.append(asked)
        return asked

    def _answer(self, asked: Asked) -> Result:
        if asked.answer is None:
            self._exchange()
        assert asked.answer is not None
        return asked.answer

    def _exchange(self) -> None:
        """Sends everything that is unsent, with the transaction's beginning in front of the first, and takes the answers."""
        unsent, self._unsent = self._unsent, []
        opening, self._opening = self._opening, None
        steps = [(asked.statement, asked.parameters) for asked in unsent]
        begun = 0
        if opening is not None:
            begun = len(opening.statements)
            steps = [*((statement, NOTHING) for statement in opening.statements), *steps]
        try:
            answers = self._open().run_together(steps)
        except psycopg.Error as error:
            raise translate(error) from error
        if opening is not None:
            self._begun_at = opening.read(answers[begun - 1])
        for at, asked in enumerate(unsent, begun):
            asked.answer = answer = answers[at]
            if asked.statement.holds:
                self._begun_at = None  # a lock may have been waited for
            if asked.otherwise is not None and answer.changed != 1:
                raise asked.otherwise

    def _database_now(self) -> int:
        if self._opening is not None:
            self._exchange()
        if self._begun_at is not None:
            return self._begun_at
        return int(str(self.rows(NOW)[0]["now"]))

    def _open(self) -> Wire:
        wire = self._wire
        if wire is None:
            raise RuntimeError("this transaction ended with its unit")
        return wire


class ReadTransaction(PostgresTransaction):
    """A unit's transaction on a snapshot; whatever would change something is a programming error."""

    __slots__ = ()

    def execute(self, query: Query, parameters: Mapping[str, Value] = NOTHING) -> int:  # noqa: ARG002 - refused whatever it is
        raise RuntimeError(f"{query.name} would change something in a read")

    def put(
        self,
        query: Query,
        parameters: Mapping[str, Value] = NOTHING,  # noqa: ARG002 - as above
        *,
        otherwise: WaypostError | None = None,  # noqa: ARG002 - as above
    ) -> None:
        raise RuntimeError(f"{query.name} would change something in a read")

    def many(self, query: Query, parameters: Iterable[Mapping[str, Value]]) -> None:  # noqa: ARG002 - as above
        raise RuntimeError(f"{query.name} would change something in a read")

    def journal(self, kind: str, subject_id: str, *, version: int, actor: Actor, scopes: Sequence[str]) -> None:  # noqa: ARG002 - as above
        raise RuntimeError(f"{kind} would be journalled in a read")


if TYPE_CHECKING:

    def _conforms(transaction: PostgresTransaction) -> Transaction:
        return transaction
