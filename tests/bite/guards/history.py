"""The guards of redaction, search, annotations, references and retention."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

HISTORY = ("tests/operations/test_history.py", "-k")
REDACTION = ("tests/operations/test_redaction.py", "-k")

GUARDS = [
    Guard(
        promise="history.annotation.outlives_completion",
        file="mail/history.sql",
        snippet="  and (due_at <= :now or occurrence > 1)\norder",
        replacement="  and due_at <= :now and status = 'open'\norder",
        tests=(*HISTORY, "sqlite and no_note_goes_away"),
    ),
    Guard(
        promise="history.conversation.whole",
        file="mail/history.sql",
        snippet="(mailbox_id in {each:mailboxes} or from_project_id = :own)",
        replacement="mailbox_id in {each:mailboxes}",
        tests=(*HISTORY, "sqlite and conversation"),
    ),
    Guard(
        promise="mail.redact.everywhere",
        file="mail/store.py",
        snippet='blank = {**state, "outcome": blank_outcome(state["outcome"])}',
        replacement="blank = state",
        tests=(*REDACTION, "sqlite and no_word_is_left"),
    ),
    Guard(
        promise="mail.redact.everywhere",
        file="operations/redacting.py",
        snippet="        blank_kept_words(unit.tx, message.id, redacted_at=format_instant(unit.now))\n",
        replacement="",
        tests=(*REDACTION, "sqlite and kept_for_a_key"),
    ),
    Guard(
        promise="mail.redact.operator_only",
        file="operations/redacting.py",
        snippet="needs=Rights.OPERATOR,",
        replacement="needs=Rights.OWNER,",
        tests=(*REDACTION, "sqlite and nobody_but"),
    ),
    Guard(
        promise="mail.redact.withdraws",
        file="mail/redaction.py",
        snippet="status=Status.CANCELLED if status is Status.OPEN else status,",
        replacement="status=status,",
        tests=(*REDACTION, "sqlite and withdrawn"),
    ),
    Guard(
        promise="mail.redact.repeated",
        file="mail/redaction.py",
        snippet='digest=f"redacted:{message.id}",',
        replacement="digest=message.digest,",
        tests=(*REDACTION, "sqlite and same_send"),
    ),
]
