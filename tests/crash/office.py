"""A small post office for tests that crash it: two projects, some mail that was acknowledged, and what must be true of it afterwards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from waypost.assembly.settings import Settings
from waypost.assembly.waypost import Waypost, open_waypost
from waypost.operations.call import Call, Caller, Rights
from waypost.store.interface import Query
from waypost.store.migrations import Migration, load_migrations, migration
from waypost.store.sqlite.backup import check
from waypost.store.sqlite.engine import SqliteStore

__all__ = ["CALLER", "MIGRATIONS", "ask", "bodies", "opened", "prepare", "send", "whole"]

REBUILT = """
create table mail_by_body (body text not null, message_id text not null, primary key (body, message_id)) {keyed};
insert into mail_by_body select m.body, m.id from messages m;
insert into mail_by_body select m.body || ' again', m.id from messages m;
"""
"""A step that a later Waypost might bring: it reads all mail and writes much."""
MIGRATIONS: Final[Sequence[Migration]] = (
    *load_migrations(),
    migration(f"{len(load_migrations()) + 1:04d}_mail_by_body.sql", REBUILT),
)
CALLER: Final = Caller(door="cli", rights=Rights.OWNER, login="maria")


def prepare(database: Path, *, messages: int = 5) -> list[str]:
    """Makes a store with the projects `a` and `b` and mail between them; answers the ids that were acknowledged."""
    waypost = open_waypost(database, Settings())
    for name in "ab":
        waypost.run("project.put", Call(caller=CALLER, fields={"workspace": "default", "project": name}))
    ids = [send(waypost, key=f"prepared {number}")["message_id"] for number in range(messages)]
    waypost.close()
    return ids


def ask(waypost: Waypost, operation: str, key: str | None = None, **fields: Any) -> dict[str, Any]:
    """The answer of any operation."""
    answer: dict[str, Any] = json.loads(waypost.run(operation, Call(caller=CALLER, fields=fields, key=key)).json)
    return answer


def send(waypost: Waypost, *, key: str) -> dict[str, Any]:
    """Sends from `a` to `b` under a key; the answer."""
    fields = {"from_project": "a", "to_project": "b", "body": f"Please look at {key}. " + "The export is slow. " * 40}
    answer: dict[str, Any] = json.loads(
        waypost.run("message.send", Call(caller=CALLER, fields=fields, key=key.replace(" ", "-"))).json
    )
    return answer


def opened(database: Path) -> Waypost:
    """The store as the next process finds it; refuses at once where somebody still holds it."""
    return open_waypost(database, Settings())


def bodies(waypost: Waypost) -> dict[str, str]:
    """The ids of all messages with their bodies' first words."""
    rows = waypost.store.read(lambda tx: tx.rows(Query(name="all", text="select id, body from messages")))
    return {str(row["id"]): str(row["body"]).partition(".")[0] for row in rows}


def whole(waypost: Waypost) -> bool:
    """Whether the store passes its check and its journal has no gap."""
    assert isinstance(waypost.store, SqliteStore)
    counted = waypost.store.read(
        lambda tx: tx.row(
            Query(name="c", text="select count(*) as n, min(position) as low, max(position) as high from journal")
        )
    )
    assert counted is not None
    low, high = counted["low"], counted["high"]
    assert isinstance(low, int)
    assert isinstance(high, int)
    return check(waypost.store) == [] and counted["n"] == high - low + 1
