"""A post office in a scratch folder with a clock that tests move, and callers with the facts that a door would bring."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from waypost.assembly.settings import LimitSettings
from waypost.assembly.waypost import Waypost
from waypost.identity.workdir import look_at
from waypost.kernel.errors import WaypostError
from waypost.kernel.time import SECOND
from waypost.operations.call import Answer, Call, Caller, Rights
from waypost.store.interface import Query, Row, Store
from waypost.store.postgres.engine import PostgresStore
from waypost.store.postgres.sequencer import give_positions
from waypost.store.sqlite.engine import SqliteStore

START = 1_764_000_000 * SECOND
LOGIN = "maria"


class VirtualClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> int:
        return self.at

    def pass_seconds(self, seconds: float) -> None:
        self.at += int(seconds * SECOND)


class Office:
    """Runs operations as a door would and answers plain JSON."""

    def __init__(self, database: Path | str, limits: LimitSettings | None = None) -> None:
        """`database` is a folder for a SQLite file, the file itself, or the URL of a Postgres database."""
        self.database = str(database / "waypost.db") if isinstance(database, Path) else database
        self.clock = VirtualClock()
        self.limits = (limits or LimitSettings()).limits()
        self.caller = Caller(door="rest", rights=Rights.OWNER, login=LOGIN)
        self._open()

    def _open(self) -> None:
        self.waypost = Waypost(self._store(), limits=self.limits, login=LOGIN)

    def _store(self) -> SqliteStore | PostgresStore:
        if "://" in self.database:
            return PostgresStore.open(self.database, clock=self.clock, sequences=False)
        return SqliteStore.open(self.database, clock=self.clock)

    def reopen(self) -> None:
        """Closes the store and opens it again, as a restart does."""
        self.waypost.close()
        self._open()

    def answer(self, operation: str, *, caller: Caller | None = None, key: str | None = None, **fields: Any) -> Answer:
        """The operation's answer as the pipeline gives it. A trailing underscore in a field's name is dropped."""
        given = {name.rstrip("_"): value for name, value in fields.items()}
        if operation.startswith(("activity.", "changes.", "consumer.")):
            self.settle()
        return self.waypost.run(operation, Call(caller=caller or self.caller, fields=given, key=key))

    def run(self, operation: str, *, caller: Caller | None = None, key: str | None = None, **fields: Any) -> Any:
        """The operation's answer as plain JSON."""
        return json.loads(self.answer(operation, caller=caller, key=key, **fields).json)

    def add(self, *names: str) -> None:
        """Adds projects by their labels."""
        for name in names:
            workspace, _, project = name.rpartition("/")
            self.run("project.put", workspace=workspace or "default", project=project)

    def send(self, *, caller: Caller | None = None, key: str | None = None, **fields: Any) -> Any:
        """Sends from project a to project b unless told otherwise."""
        fields = {"from_project": "a", "to_project": "b", "body": "Please look at the export endpoint."} | fields
        fields = {name: value for name, value in fields.items() if value is not None}
        return self.run("message.send", caller=caller, key=key, **fields)

    def ids(self, **fields: Any) -> list[str]:
        """The ids that a list answers."""
        return [item["id"] for item in self.run("message.list", **fields)["items"]]

    def at(self, directory: Path, **facts: Any) -> Caller:
        """A caller whose door carries a directory."""
        return replace(self.caller, workdir=look_at(str(directory)), **facts)

    def rows(self, sql: str) -> list[Row]:
        """What a query of the test's own sees, read only."""
        self.settle()
        return list(self.waypost.store.read(lambda tx: tx.rows(Query(name="test", text=sql), {})))

    def settle(self) -> None:
        """Gives the journal's entries their positions now: a test sees what it did at once."""
        settle(self.waypost.store)

    def everything(self) -> list[list[Row]]:
        """All rows of the tables that a refusal must leave alone."""
        tables = (
            *("messages", "message_versions", "receipts", "decisions", "handoffs", "journal", "projects", "sessions"),
            *("idempotency_keys", "users", "tokens", "token_limits", "grants", "grant_versions"),
        )
        return [self.rows(f"select * from {table} order by 1, 2") for table in tables]


def settle(store: Store) -> None:
    """Gives the journal's entries their positions now, where that is not the writer's work."""
    if isinstance(store, PostgresStore):
        with store.pool.lend() as connection:
            give_positions(connection, schema=store.facts.schema)


@contextmanager
def refused(office: Office, code: str) -> Iterator[list[WaypostError]]:
    """Expects a refusal with this code that changes nothing, whole in its sentence; gives the error when the block is over."""
    before = office.everything()
    caught: list[WaypostError] = []
    try:
        yield caught
    except WaypostError as error:
        caught.append(error)
    assert [error.code for error in caught] == [code], [error.problem() for error in caught]
    assert caught[0].detail.endswith((".", "?")), f"not a sentence: {caught[0].detail}"
    assert office.everything() == before, f"{code} left a change behind"
