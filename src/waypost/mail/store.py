"""Loads and saves messages and receipts. Each change updates the row, keeps what it was, and appends one journal entry."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence

from waypost.kernel.errors import SchemaNewer
from waypost.kernel.time import DAY
from waypost.mail.models import FORMAT, Delivery, Lease, Message, Receipt, Sender, Status, Unreadable, Wake
from waypost.mail.redaction import blank_outcome
from waypost.store.interface import Actor, Fields, Overtaken, Query, Row, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import flag, maybe_number, maybe_text, number, text

__all__ = [
    "RESTORE_ENDINGS",
    "Version",
    "acked",
    "answers_to",
    "ask_receipts",
    "change",
    "claimed_by",
    "expired_messages",
    "find_message",
    "forget_acks",
    "has_acked",
    "hold_message",
    "insert",
    "mark_read",
    "message_from_row",
    "read_row",
    "redact_texts",
    "returned",
    "set_wake",
    "versions_of",
]

SQL = load_queries("waypost.mail")
RESTORE_ENDINGS = (SQL.end_acks, SQL.end_leases)
"""What a restore runs over mail: leases and wakes end, what was in work is unread, and generations go on above every earlier one."""
ACTOR_FIELDS = tuple(field.name for field in dataclasses.fields(Actor))
READ_KEPT_FOR = 30 * DAY
"""How long past its due time informational mail that somebody read stays open."""

Version = dict[str, object]
"""One earlier state of a message: version, changed_at, kind, actor and the fields it had."""


def insert(tx: Transaction, message: Message, *, actor: Actor) -> None:
    """A new message with its journal entry."""
    sender = message.sender
    fields: Fields = {
        "id": message.id,
        "format": message.format,
        "workspace": message.workspace,
        "mailbox_id": message.mailbox_id,
        "to_session": message.to_session,
        "from_project_id": sender.project_id,
        "from_session": sender.session,
        "from_client": sender.client,
        "from_user": sender.user,
        "from_door": sender.door,
        "from_source": sender.source,
        "subject": message.subject,
        "body": message.body,
        "actionable": int(message.actionable),
        "reminder": int(message.reminder),
        "delivery": message.delivery.value,
        "created_at": message.created_at,
        "due_at": message.due_at,
        "expires_at": message.expires_at,
        "reply_to": message.reply_to,
        "thread": message.thread,
        "about_session": message.about_session,
        "about_turn": message.about_turn,
        "digest": message.digest,
    }
    tx.put(SQL.insert_message, fields)
    tx.journal("message.sent", message.id, version=1, actor=actor, scopes=_scopes(message))


def change(tx: Transaction, old: Message, new: Message, *, kind: str, actor: Actor) -> None:
    """Saves `new` over `old`. Refuses `conflict` where somebody else changed it first, and the store runs the unit again."""
    fields: Fields = {
        "id": new.id,
        "expected": old.version,
        "version": new.version,
        "occurrence": new.occurrence,
        "due_at": new.due_at,
        "reminder": int(new.reminder),
        "status": new.status.value,
        "lease_holder": new.lease.holder if new.lease else None,
        "lease_token": new.lease.token if new.lease else None,
        "lease_until": new.lease.until if new.lease else None,
        "lease_generation": new.generation,
        **_wake_fields(new.wake),
        "outcome": new.outcome,
        "closed_at": new.closed_at,
        "closed_by_session": new.closed_by_session,
        "closed_by_project": new.closed_by_project,
        "closed_token": new.closed_token,
        "first_read_at": new.first_read_at,
    }
    overtaken = Overtaken("The message was changed meanwhile. Nothing was changed.", hint="View it and repeat.")
    tx.put(SQL.update_message, fields, otherwise=overtaken)
    tx.put(SQL.insert_version, _version(old, tx.now, kind, actor))
    tx.journal(kind, new.id, version=new.version, actor=actor, scopes=_scopes(new))


def redact_texts(tx: Transaction, message: Message) -> None:
    """Takes the words of a message that was just redacted off its row and off every version of it."""
    fields: Fields = {"id": message.id, "digest": message.digest, "redacted_at": message.redacted_at}
    tx.execute(SQL.redact_message, fields)
    for row in tx.rows(SQL.every_version, {"message_id": message.id}):
        state = json.loads(text(row, "state"))
        blank = {**state, "outcome": blank_outcome(state["outcome"])}
        if blank != state:
            key: Fields = {"message_id": message.id, "version": number(row, "version")}
            tx.execute(SQL.blank_version, {**key, "state": json.dumps(blank)})


def mark_read(tx: Transaction, message: Message) -> None:
    """Notes that somebody has read the message, which changes no version."""
    tx.put(SQL.mark_first_read, {"id": message.id, "first_read_at": message.first_read_at})


def set_wake(tx: Transaction, message: Message) -> None:
    """Notes who was given the wake, and until when. A reservation is no news: it changes no version and is not journaled."""
    tx.put(SQL.set_wake, {"id": message.id, "expected": message.version, **_wake_fields(message.wake)})


def acked(tx: Transaction, message: Message, session: str, *, actor: Actor) -> None:
    """Notes that a session has read this occurrence."""
    tx.put(SQL.receipt_acked, _receipt_key(message, session, tx.now))
    tx.journal("message.acked", message.id, version=message.version, actor=actor, scopes=_scopes(message))


def claimed_by(tx: Transaction, message: Message, session: str) -> None:
    """Notes that the session which owns the message now has read it and was handed its body."""
    tx.put(SQL.receipt_claimed, _receipt_key(message, session, tx.now))


def forget_acks(tx: Transaction, message: Message, *, before: int) -> None:
    """Makes the occurrence unread again for whoever acked it before an instant."""
    tx.put(SQL.forget_acks, {"message_id": message.id, "occurrence": message.occurrence, "before": before})


def has_acked(tx: Transaction, message: Message, session: str) -> bool:
    """Whether an ack of this occurrence by this session still holds; one from before a lease ran out does not."""
    key: Fields = {"message_id": message.id, "occurrence": message.occurrence, "session": session}
    row = tx.row(SQL.receipt_of, key)
    at = maybe_number(row, "acked_at") if row else None
    lapsed_at = message.lapsed_at(tx.now)
    return at is not None and (lapsed_at is None or at >= lapsed_at)


def returned(tx: Transaction, message: Message, session: str) -> None:
    """Notes that the body was handed to a session."""
    tx.put(SQL.receipt_returned, _receipt_key(message, session, tx.now))


def find_message(tx: Transaction, message_id: str) -> Message | None:
    """The message of that id. Refuses `schema_newer` where it is there but cannot be read."""
    return _find(tx, SQL.message, message_id)


def hold_message(tx: Transaction, message_id: str) -> Message | None:
    """The same, held to the end of the unit. Comes before the unit first asks for its `now`, so that what the message's last holder
    did lies before that instant."""
    return _find(tx, SQL.message_held, message_id)


def _find(tx: Transaction, query: Query, message_id: str) -> Message | None:
    row = tx.row(query, {"id": message_id})
    if row is None:
        return None
    message = read_row(row)
    if isinstance(message, Unreadable):
        raise SchemaNewer(
            f"The message has format {message.format}, which this Waypost cannot read. It was left as it is."
        )
    return message


def versions_of(tx: Transaction, message: Message) -> list[Version]:
    """What the message was before each change, newest first."""
    return [
        {
            "version": number(row, "version"),
            "changed_at": number(row, "changed_at"),
            "kind": text(row, "kind"),
            "actor": json.loads(text(row, "actor")),
            **json.loads(text(row, "state")),
        }
        for row in tx.rows(SQL.versions, {"message_id": message.id})
    ]


def answers_to(tx: Transaction, message: Message, *, limit: int) -> list[str]:
    """The ids of the messages that answer a message, the oldest first."""
    fields: Fields = {"thread": message.thread, "id": message.id, "limit": limit}
    return [text(row, "id") for row in tx.rows(SQL.answers_to, fields)]


def ask_receipts(tx: Transaction, messages: Iterable[Message]) -> Callable[[], dict[str, list[Receipt]]]:
    """Asks for the receipts of several messages; the answer is by message id."""
    ids = [message.id for message in messages]
    rows = tx.later(SQL.receipts_of, {"ids": json.dumps(ids)}) if ids else tuple
    return lambda: _receipts(ids, rows())


def _receipts(ids: Iterable[str], rows: Iterable[Row]) -> dict[str, list[Receipt]]:
    found: dict[str, list[Receipt]] = {message_id: [] for message_id in ids}
    for row in rows:
        receipt = Receipt(
            session=text(row, "session"),
            occurrence=number(row, "occurrence"),
            notified_at=maybe_number(row, "notified_at"),
            returned_at=maybe_number(row, "returned_at"),
            acked_at=maybe_number(row, "acked_at"),
        )
        found[text(row, "message_id")].append(receipt)
    return found


def expired_messages(tx: Transaction, *, limit: int) -> Sequence[Message]:
    """Open mail that has expired, at most `limit` of each kind: past its sender's expiry, or informational, read by somebody
    and 30 days past due. Unread and actionable mail never expires by itself."""
    own_time = tx.rows(SQL.expired, {"now": tx.now, "limit": limit})
    read = tx.rows(SQL.expired_read, {"before": tx.now - READ_KEPT_FOR, "limit": limit})
    found = (read_row(row) for row in [*own_time, *read])
    return list({message.id: message for message in found if isinstance(message, Message)}.values())


def read_row(row: Row) -> Message | Unreadable:
    """A message as its row says, or that it cannot be read."""
    message_format = number(row, "format")
    if message_format == FORMAT:
        try:
            return message_from_row(row)
        except (TypeError, ValueError):
            pass  # Damaged: said to the caller as such, like a format that is not known.
    return Unreadable(
        id=text(row, "id"),
        due_at=number(row, "due_at"),
        created_at=number(row, "created_at"),
        format=message_format,
    )


def message_from_row(row: Row) -> Message:
    """A message as its row says. A value outside its range raises ValueError or TypeError."""
    holder, token, until = maybe_text(row, "lease_holder"), maybe_text(row, "lease_token"), row["lease_until"]
    lease = None
    if holder is not None and token is not None and isinstance(until, int):
        lease = Lease(holder=holder, token=token, until=until)
    return Message(
        id=text(row, "id"),
        format=number(row, "format"),
        workspace=text(row, "workspace"),
        mailbox_id=text(row, "mailbox_id"),
        to_session=maybe_text(row, "to_session"),
        sender=_sender(row),
        subject=text(row, "subject"),
        body=text(row, "body"),
        actionable=flag(row, "actionable"),
        reminder=flag(row, "reminder"),
        delivery=Delivery(text(row, "delivery")),
        created_at=number(row, "created_at"),
        due_at=number(row, "due_at"),
        expires_at=maybe_number(row, "expires_at"),
        occurrence=number(row, "occurrence"),
        status=Status(text(row, "status")),
        version=number(row, "version"),
        lease=lease,
        generation=number(row, "lease_generation"),
        wake=_wake(row),
        outcome=maybe_text(row, "outcome"),
        closed_at=maybe_number(row, "closed_at"),
        closed_by_session=maybe_text(row, "closed_by_session"),
        closed_by_project=maybe_text(row, "closed_by_project"),
        closed_token=maybe_text(row, "closed_token"),
        reply_to=maybe_text(row, "reply_to"),
        thread=text(row, "thread"),
        about_session=maybe_text(row, "about_session"),
        about_turn=maybe_number(row, "about_turn"),
        first_read_at=maybe_number(row, "first_read_at"),
        digest=text(row, "digest"),
        redacted_at=maybe_number(row, "redacted_at"),
    )


def _wake(row: Row) -> Wake | None:
    owner, token, until = maybe_text(row, "wake_owner"), maybe_text(row, "wake_token"), maybe_number(row, "wake_until")
    if owner is None or token is None or until is None:
        return None
    accepted, count = flag(row, "wake_accepted"), number(row, "wake_count")
    return Wake(owner=owner, token=token, until=until, accepted=accepted, count=count)


def _wake_fields(wake: Wake | None) -> Fields:
    return {
        "wake_owner": wake.owner if wake else None,
        "wake_token": wake.token if wake else None,
        "wake_until": wake.until if wake else None,
        "wake_accepted": int(wake.accepted) if wake else 0,
        "wake_count": wake.count if wake else 0,
    }


def _sender(row: Row) -> Sender:
    return Sender(
        project_id=text(row, "from_project_id"),
        session=maybe_text(row, "from_session"),
        client=maybe_text(row, "from_client"),
        user=maybe_text(row, "from_user"),
        door=text(row, "from_door"),
        source=text(row, "from_source"),
    )


def _scopes(message: Message) -> list[str]:
    return list(dict.fromkeys([message.mailbox_id, message.sender.project_id]))


def _receipt_key(message: Message, session: str, now: int) -> Fields:
    return {
        "message_id": message.id,
        "occurrence": message.occurrence,
        "session": session,
        "workspace": message.workspace,
        "now": now,
    }


def _version(old: Message, now: int, kind: str, actor: Actor) -> Fields:
    state = {
        "occurrence": old.occurrence,
        "due_at": old.due_at,
        "status": old.status.value,
        "outcome": old.outcome,
        "lease_holder": old.lease.holder if old.lease else None,
        "lease_generation": old.generation,
    }
    return {
        "message_id": old.id,
        "version": old.version,
        "workspace": old.workspace,
        "changed_at": now,
        "kind": kind,
        "actor": json.dumps({name: getattr(actor, name) for name in ACTOR_FIELDS}),
        "state": json.dumps(state),
    }
