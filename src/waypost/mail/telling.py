"""What waits for one reader: the unread mail that may reach an agent by itself, and the receipts that say it was shown.

Text reaches an agent unasked only where its own project surely wrote it, and not as a wake; all else is only counted
(contracts/mail.md, What reaches an agent by itself). Who is sure of a project is the caller's to say.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from waypost.mail.models import Message, Reader
from waypost.mail.store import message_from_row
from waypost.store.interface import Fields, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import flag, maybe_number, number

__all__ = ["Waiting", "mark_shown", "waiting_for"]

SQL = load_queries("waypost.mail")
MOST_OWN = 60
"""More items than a block could ever hold, as bodies or as ids."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """The unread mail of a reader: what its own project wrote, apart by whether it was shown before, and the counts of all. `own`
    counts what the two lists were taken from, so that what they leave out is known. `latest` is when the last of what is only
    counted came due; None where nothing is."""

    new: tuple[Message, ...]
    shown_before: tuple[Message, ...]
    own: int
    unread: int
    latest: int | None

    @property
    def only_counted(self) -> int:
        """How much of it is told as a number alone."""
        return self.unread - self.own


def waiting_for(tx: Transaction, reader: Reader, *, certain_sources: Sequence[str]) -> Waiting:
    """What is due and unread for the reader. `certain_sources` are the ways of finding a sender's project that count."""
    fields: Fields = {
        "now": tx.now,
        "lineage": json.dumps(reader.lineage),
        "certain": json.dumps(list(certain_sources)),
        "sessionless": int(reader.session is None),
    }
    counts = [
        tx.rows(SQL.count_waiting, {**fields, "mailbox_id": mailbox, "since": reader.news_since(mailbox)})[0]
        for mailbox in _mailboxes(reader)
    ]
    own = number(counts[0], "own") if reader.project_id is not None else 0
    rows = []
    if own:
        rows = list(
            tx.rows(
                SQL.waiting_own,
                {
                    **fields,
                    "mailbox_id": reader.project_id,
                    "since": reader.news_since(reader.project_id),
                    "limit": MOST_OWN,
                },
            )
        )
    return Waiting(
        new=tuple(message_from_row(row) for row in rows if not flag(row, "told")),
        shown_before=tuple(message_from_row(row) for row in rows if flag(row, "told")),
        own=own,
        unread=sum(number(count, "messages") for count in counts),
        latest=max((at for count in counts if (at := maybe_number(count, "latest")) is not None), default=None),
    )


def mark_shown(tx: Transaction, message: Message, session: str) -> None:
    """Notes that a session was shown this occurrence, the first time that it was. Changes no version; reads nothing."""
    tx.execute(
        SQL.receipt_notified,
        {
            "message_id": message.id,
            "occurrence": message.occurrence,
            "session": session,
            "workspace": message.workspace,
            "now": tx.now,
        },
    )


def _mailboxes(reader: Reader) -> tuple[str, ...]:
    """The project's mailbox first; a user's own only for a session, because mail to a user reaches nobody who is not one."""
    return reader.mailboxes if reader.session is not None else reader.mailboxes[: int(reader.project_id is not None)]
