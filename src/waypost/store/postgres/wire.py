"""Statements over one connection, by the driver's thin layer over libpq: prepared at their second use, several in one exchange.

The driver's cursors cost more processor time for a statement than Postgres itself. All parameters travel as text of a type that
Postgres infers; results are loaded by the driver. Where a migration changed a table under a prepared statement, all are
prepared anew. Knows no transaction and no unit.
"""

from __future__ import annotations

import select
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.adapt import Transformer
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult
from psycopg.rows import DictRow

from waypost.store.interface import Row, Value
from waypost.store.postgres.dialect import Statement

__all__ = ["Connection", "Result", "UnitConnection", "Wire"]

Connection = psycopg.Connection[DictRow]
GOOD: Final = frozenset({ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK})
PLAN_OUTLIVED: Final = "0A000"
"""A prepared statement whose result would have other columns than when it was prepared."""


class Result(NamedTuple):
    """What a statement answered."""

    rows: Sequence[Row]
    changed: int


class Wire:
    """Runs statements on one connection. Raises the driver's errors, with their codes."""

    __slots__ = ("_connection", "_loader", "_names", "_outlived", "_poll", "_prepared", "_seen")

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._loader = Transformer(connection)
        self._seen: set[bytes] = set()
        self._prepared: set[bytes] = set()
        self._names: dict[bytes, tuple[str, ...]] = {}
        self._outlived = False
        self._poll: select.poll | None = None

    def end(self) -> None:
        """Rolls back what is under way, if anything is."""
        if self._connection.pgconn.transaction_status != TransactionStatus.IDLE:
            self._exchange("exec_", b"rollback")

    def run(self, statement: Statement, parameters: Mapping[str, Value]) -> Result:
        """Runs one statement."""
        values, formats = statement.encode(parameters)
        if self._is_prepared(statement):
            result = self._exchange("exec_prepared", statement.name, values, formats)
        else:
            result = self._exchange("exec_params", statement.sql, values, None, formats)
        return self._result(statement, result)

    def run_together(self, steps: Sequence[tuple[Statement, Mapping[str, Value]]]) -> Sequence[Result]:
        """Runs several statements in one exchange. After one that fails none of the others takes place."""
        if self._outlived and self._connection.pgconn.transaction_status == TransactionStatus.IDLE:
            self._forget()
        if len(steps) == 1:
            return [self.run(*steps[0])]
        sent = [(statement, self._is_prepared(statement), *statement.encode(given)) for statement, given in steps]
        pgconn = self._connection.pgconn
        self._check_alive()
        pgconn.enter_pipeline_mode()
        try:
            for statement, prepared, values, formats in sent:
                if prepared:
                    pgconn.send_query_prepared(statement.name, values, formats)
                else:
                    pgconn.send_query_params(statement.sql, values, None, formats)
            pgconn.pipeline_sync()
            found = self._collect()
        except psycopg.OperationalError as error:
            raise self._lost() from error
        finally:
            if pgconn.status == ConnStatus.OK:
                pgconn.exit_pipeline_mode()
        for result in found:
            self._check(result)
        return [self._result(statement, result) for (statement, _), result in zip(steps, found, strict=True)]

    # -- one exchange --------------------------------------------------------------------------------------------------

    def _exchange(self, call: str, *arguments: Any) -> PGresult:
        self._check_alive()
        try:
            result: PGresult = getattr(self._connection.pgconn, call)(*arguments)
        except MemoryError:  # what the driver makes of a statement that libpq could not send
            raise self._lost() from None
        self._check(result)
        return result

    def _collect(self) -> list[PGresult]:
        """The results up to the end of the exchange, waiting for them without holding up other threads."""
        pgconn = self._connection.pgconn
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(pgconn.socket, select.POLLIN)
        found: list[PGresult] = []
        while True:
            while pgconn.is_busy():
                self._poll.poll()
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:
                if pgconn.status != ConnStatus.OK:
                    raise self._lost()
            elif result.status == ExecStatus.PIPELINE_SYNC:
                return found
            else:
                found.append(result)

    def _check(self, result: PGresult) -> None:
        if result.status in GOOD:
            return
        state = (result.error_field(DiagnosticField.SQLSTATE) or b"").decode("ascii")
        if not state:
            raise self._lost()
        if state == PLAN_OUTLIVED and self._prepared:
            self._outlived = True
        words = result.error_message.decode("utf-8", "replace")
        try:
            raise psycopg.errors.lookup(state)(words)
        except KeyError:
            raise _of_unknown_code(state, words) from None

    def _check_alive(self) -> None:
        if self._connection.pgconn.status != ConnStatus.OK:
            raise self._lost()

    def _lost(self) -> psycopg.OperationalError:
        return psycopg.OperationalError("the connection is lost")

    # -- statements and results ----------------------------------------------------------------------------------------

    def _is_prepared(self, statement: Statement) -> bool:
        """Whether the statement is prepared here; it is from its second use on."""
        name = statement.name
        if name in self._prepared:
            return True
        if name not in self._seen:
            self._seen.add(name)
            return False
        self._exchange("prepare", name, statement.sql)
        self._prepared.add(name)
        return True

    def _forget(self) -> None:
        self._exchange("exec_", b"deallocate all")
        self._prepared.clear()
        self._names.clear()
        self._outlived = False

    def _result(self, statement: Statement, result: PGresult) -> Result:
        if not result.nfields:
            return Result(rows=(), changed=result.command_tuples or 0)
        names = self._names.get(statement.name)
        if names is None:
            names = _names_in(result)
            if statement.name in self._prepared:
                self._names[statement.name] = names
        return Result(rows=self._rows(result, names), changed=result.command_tuples or 0)

    def _rows(self, result: PGresult, names: tuple[str, ...]) -> Sequence[Row]:
        if not result.ntuples:
            return ()
        self._loader.set_pgresult(result)
        found = self._loader.load_rows(0, result.ntuples, tuple)
        if len(names) == 1:
            name = names[0]
            return [{name: value} for (value,) in found]
        return [dict(zip(names, values)) for values in found]  # noqa: B905 - each row has the columns of its statement


class UnitConnection(psycopg.Connection[DictRow]):
    """A connection of the pool, with its wire. In autocommit: a unit begins and ends its transaction itself."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.pgconn.nonblocking = 0
        self.wire = Wire(self)


def _names_in(result: PGresult) -> tuple[str, ...]:
    return tuple((result.fname(place) or b"").decode() for place in range(result.nfields))


def _of_unknown_code(state: str, words: str) -> psycopg.DatabaseError:
    error = psycopg.DatabaseError(words)
    error.sqlstate = state
    return error
