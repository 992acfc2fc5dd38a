"""What tests of the store share: a clock they set, a scratch table, and units that fill and read it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from waypost.store.interface import Actor, Query, Transaction
from waypost.store.migrations import Migration, load_migrations, migration

ACTOR = Actor(door="cli", user="maria", client="claude-code", project="p-1", session="s-1", scope_source="workdir")
SCRATCH = migration(
    "0002_scratch.sql", "create table scratch (id {big} not null primary key, body {blob} not null) {strict};"
)
MIGRATIONS: tuple[Migration, ...] = (load_migrations()[0], SCRATCH)

INSERT = Query(name="insert", text="insert into scratch (id, body) values (:id, :body)")
ALL = Query(name="all", text="select id, body from scratch order by id")
WAIT_SECONDS = 20


class TickingClock:
    """A clock that moves on by one microsecond at each question."""

    def __init__(self, start: int = 1_000_000) -> None:
        self.at = start

    def now(self) -> int:
        self.at += 1
        return self.at


def put(number: int, body: bytes = b"x") -> Callable[[Transaction], int]:
    """A unit that stores one row, with its journal entry, and answers its number."""

    def unit(tx: Transaction) -> int:
        tx.execute(INSERT, {"id": number, "body": body})
        tx.journal("scratch.put", str(number), version=1, actor=ACTOR, scopes=["m-1"])
        return number

    return unit


def numbers(tx: Transaction) -> list[int]:
    """A unit that answers the numbers stored."""
    return [int(row["id"] or 0) for row in tx.rows(ALL)]


@contextmanager
def ordinary_account(folder: Path) -> Iterator[None]:
    """Runs as an account whose rights files can bound: nobody, where the tests run as root. `folder` becomes that account's."""
    if os.geteuid() != 0:
        yield
        return
    nobody = 65534
    for place in [folder, *folder.rglob("*")]:
        os.chown(place, nobody, nobody)
    for parent in folder.parents:
        if parent.stat().st_uid == 0 and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)
