"""How an entry of the journal looks at every door: names for ids, and never text of anybody. The one way to present one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waypost.identity.store import mailbox_names
from waypost.kernel.time import format_instant
from waypost.operations.inputs import Output
from waypost.operations.records import AddressRecord, address_record
from waypost.store.interface import Actor, Transaction
from waypost.store.journal import Entry

__all__ = ["ActorRecord", "EntryRecord", "entry_fields", "is_readable", "present_entries"]


class ActorRecord(Output):
    """Who did it. Project and session may be the caller's own word; `scope_source` says how they were found."""

    door: str
    user: str | None
    client: str | None
    workspace: str | None
    project: str | None
    session: str | None
    scope_source: str | None


class EntryRecord(Output):
    """One change: of what, to which version, in whose mailboxes, by whom."""

    position: int
    at: str
    kind: str
    id: str
    version: int
    mailboxes: list[AddressRecord]
    actor: ActorRecord


def is_readable(entry: Entry, readable: frozenset[str] | None) -> bool:
    """Whether somebody who may read these mailboxes (None: all) may see the entry: where one of its own is among them."""
    return readable is None or not readable.isdisjoint(entry.scopes)


def present_entries(tx: Transaction, entries: Sequence[Entry], *, readable: frozenset[str] | None) -> list[EntryRecord]:
    """Entries as records, with one look for all names; a mailbox that is not readable is said to be one and not named."""
    return [EntryRecord(**fields) for fields in entry_fields(tx, entries, readable=readable)]


def entry_fields(
    tx: Transaction, entries: Sequence[Entry], *, readable: frozenset[str] | None
) -> Iterator[dict[str, Any]]:
    """The fields of each entry's record, for a record that has more. What entries share, mailboxes and actors, is made once."""
    mentioned = {
        mailbox for entry in entries for mailbox in (*entry.scopes, entry.actor.project) if mailbox is not None
    }
    names = mailbox_names(tx, mentioned if readable is None else mentioned & readable)
    mailboxes = {mailbox: address_record(names.get(mailbox), None) for mailbox in mentioned}
    actors: dict[Actor, ActorRecord] = {}
    for entry in entries:
        actor = actors.get(entry.actor)
        if actor is None:
            actor = actors[entry.actor] = _actor(entry.actor, mailboxes)
        yield {
            "position": entry.position,
            "at": format_instant(entry.at),
            "kind": entry.kind,
            "id": entry.subject_id,
            "version": entry.version,
            "mailboxes": [mailboxes[scope] for scope in entry.scopes],
            "actor": actor,
        }


def _actor(actor: Actor, mailboxes: Mapping[str, AddressRecord]) -> ActorRecord:
    own = mailboxes[actor.project] if actor.project else None
    return ActorRecord(
        door=actor.door,
        user=actor.user,
        client=actor.client,
        workspace=own.workspace if own else None,
        project=own.project if own else None,
        session=actor.session if own is None or own.workspace is not None else None,
        scope_source=actor.scope_source,
    )
