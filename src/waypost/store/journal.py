"""The journal: the ordered record that something changed, its appending and its reading.

An entry is appended in the transaction of the change that it describes. Positions are dense and rise by commit; readers and
cursors use nothing else. Entries carry ids, versions and actors, never text. Knows no engine: how a position is given is the
engine's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from waypost.store.interface import Actor, Query, Row, Transaction, Value
from waypost.store.loader import load_queries

__all__ = [
    "APPEND",
    "Bounds",
    "Entry",
    "bounds",
    "entries_after",
    "entries_before",
    "entry_parameters",
    "epoch",
    "prune",
]

MOST_SCOPES = 2
ABOVE_ALL = 2**63 - 1
"""Above every position."""
ACTOR_COLUMNS = ("door", "actor_user", "actor_client", "actor_project", "actor_session", "scope_source")

_queries = load_queries("waypost.store")
APPEND: Query = _queries.append_entry
"""The statement by which an engine's transaction appends; its parameters come from `entry_parameters`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One journal entry as it is read. `scopes` are the ids of the mailboxes whose readers may see it."""

    position: int
    at: int
    kind: str
    subject_id: str
    version: int
    scopes: tuple[str, ...]
    actor: Actor


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """What the journal holds: the lowest position kept and the highest given. Both are 0 in an empty journal."""

    first: int
    head: int


def entry_parameters(
    kind: str, subject_id: str, *, version: int, actor: Actor, scopes: Sequence[str], at: int
) -> dict[str, Value]:
    """The parameters of `APPEND`. More than two scopes are a programming error and raise ValueError."""
    if len(scopes) > MOST_SCOPES:
        raise ValueError(f"a journal entry has at most {MOST_SCOPES} scopes")
    return {
        "at": at,
        "kind": kind,
        "subject_id": subject_id,
        "version": version,
        "scope_a": scopes[0] if scopes else None,
        "scope_b": scopes[1] if len(scopes) > 1 and scopes[1] != scopes[0] else None,
        "door": actor.door,
        "actor_user": actor.user,
        "actor_client": actor.client,
        "actor_project": actor.project,
        "actor_session": actor.session,
        "scope_source": actor.scope_source,
    }


def entries_after(tx: Transaction, position: int, *, limit: int, mailbox: str | None = None) -> list[Entry]:
    """The next entries above `position` in order, at most `limit`; with `mailbox` only those its readers may see."""
    parameters: dict[str, Value] = {"after": position, "most": limit}
    if mailbox is None:
        return _entries(tx.rows(_queries.entries_after, parameters))
    parameters["mailbox"] = mailbox
    return _entries(tx.rows(_queries.entries_of_mailbox_after, parameters))


def entries_before(tx: Transaction, position: int | None, *, limit: int, mailbox: str | None = None) -> list[Entry]:
    """The entries below `position` (None: all), newest first, at most `limit`; with `mailbox` only those its readers may see."""
    parameters: dict[str, Value] = {"before": ABOVE_ALL if position is None else position, "most": limit}
    if mailbox is None:
        return _entries(tx.rows(_queries.entries_before, parameters))
    parameters["mailbox"] = mailbox
    return _entries(tx.rows(_queries.entries_of_mailbox_before, parameters))


def bounds(tx: Transaction) -> Bounds:
    """The lowest and the highest position that the journal holds."""
    row = tx.row(_queries.journal_bounds)
    assert row is not None
    return Bounds(first=_number(row["first"]), head=_number(row["head"]))


def epoch(tx: Transaction) -> int:
    """The store's epoch as it is now; another node may have begun a new one since this one opened the store."""
    row = tx.row(_queries.store_epoch)
    assert row is not None
    return _number(row["value"])


def try_writing(tx: Transaction) -> None:
    """Writes one row that says when, so that its commit shows whether the store can be written. Journals nothing."""
    tx.execute(_queries.note_tried, {"now": str(tx.now)})


def prune(tx: Transaction, *, before: int, limit: int) -> int:
    """Drops at most `limit` of the oldest entries from before the time `before` and answers how many. Call it again until it
    answers 0. The newest entry always stays, so that no position is given twice."""
    return tx.execute(_queries.prune_entries, {"before": before, "most": limit})


def _entries(rows: Sequence[Row]) -> list[Entry]:
    """Rows as entries. Those of one actor share it: a page has few, and making one costs as much as all else of an entry."""
    actors: dict[tuple[Value, ...], Actor] = {}
    found = []
    for row in rows:
        facts = tuple(row[column] for column in ACTOR_COLUMNS)
        actor = actors.get(facts)
        if actor is None:
            actor = actors[facts] = _actor(row)
        found.append(
            Entry(
                position=_number(row["position"]),
                at=_number(row["at"]),
                kind=str(row["kind"]),
                subject_id=str(row["subject_id"]),
                version=_number(row["version"]),
                scopes=tuple(str(scope) for scope in (row["scope_a"], row["scope_b"]) if scope is not None),
                actor=actor,
            )
        )
    return found


def _actor(row: Row) -> Actor:
    return Actor(
        door=str(row["door"]),
        user=_text(row["actor_user"]),
        client=_text(row["actor_client"]),
        project=_text(row["actor_project"]),
        session=_text(row["actor_session"]),
        scope_source=_text(row["scope_source"]),
    )


def _number(value: Value) -> int:
    return int(value) if value is not None else 0


def _text(value: Value) -> str | None:
    return None if value is None else str(value)
