"""Finds the mail that asks for a turn, and when the next may. What may happen to it then is `wake_rules`' to say."""

from __future__ import annotations

import json

from waypost.mail.boxes import place_of
from waypost.mail.models import Message, Reader
from waypost.mail.store import message_from_row
from waypost.mail.wake_rules import MOST_WAKES
from waypost.store.interface import Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import maybe_number

__all__ = ["next_wake", "to_wake"]

SQL = load_queries("waypost.mail")


def to_wake(tx: Transaction, reader: Reader) -> Message | None:
    """The oldest message that asks this reader's session for a turn now. Holds nothing."""
    found = [
        tx.row(
            SQL.to_wake,
            {"mailbox_id": mailbox, "now": tx.now, "most": MOST_WAKES, "lineage": json.dumps(reader.lineage)},
        )
        for mailbox in reader.mailboxes
    ]
    return min((message_from_row(row) for row in found if row), key=place_of, default=None)


def next_wake(tx: Transaction, reader: Reader) -> int | None:
    """When time alone may next make a message of the reader's mailboxes ask for a turn."""
    times = [
        maybe_number(tx.rows(SQL.next_wake, {"mailbox_id": mailbox, "now": tx.now})[0], "at")
        for mailbox in reader.mailboxes
    ]
    return min((at for at in times if at is not None), default=None)
