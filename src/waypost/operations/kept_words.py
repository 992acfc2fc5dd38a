"""The words of messages in the answers that are kept for idempotency keys: which message an answer repeats, and the answer without.

Only what a write answers is kept: a message, a question, or a briefing with the text of several messages.
"""

from __future__ import annotations

import json
from typing import Any

from waypost.mail.redaction import blank_outcome
from waypost.operations.inputs import Output
from waypost.store.interface import Transaction
from waypost.store.keys import rewrite_answers

__all__ = ["blank_kept_comments", "blank_kept_words", "words_in"]

SEVERAL = "several"
"""What an answer holds that repeats the words of more than one message."""


def words_in(output: Output) -> str | None:
    """The id of the message or question whose words an answer repeats; `SEVERAL` for a briefing, None for every other answer."""
    if getattr(output, "inbox_block", None) is not None:
        return SEVERAL
    for name in ("message", "decision"):
        record = getattr(output, name, None)
        if isinstance(record, Output):
            return str(vars(record)["id"])
    return None


def blank_kept_words(tx: Transaction, record_id: str, *, redacted_at: str) -> None:
    """Takes the words of a message or question out of all that is kept. A briefing is forgotten whole; asking again is harmless."""
    rewrite_answers(tx, record_id, lambda answer: _without_words(answer, redacted_at))
    rewrite_answers(tx, SEVERAL, lambda answer: None)  # noqa: ARG005 - forgotten unseen


def blank_kept_comments(tx: Transaction, decision_id: str) -> None:
    """Takes the comment of its answer out of all that is kept of a question."""
    rewrite_answers(tx, decision_id, _without_comment)


def _without_words(answer: str, redacted_at: str) -> str:
    kept = json.loads(answer)
    message, decision = kept.get("message"), kept.get("decision")
    if isinstance(message, dict):
        outcome = blank_outcome(message["outcome"])
        message |= {"subject": "", "body": "", "outcome": outcome, "foreign": False, "redacted_at": redacted_at}
    if isinstance(decision, dict):
        options = [{**option, "label": "", "description": ""} for option in decision["options"]]
        texts = {"question": "", "details": "", "links": [], "options": options}
        decision |= {**texts, "foreign": False, "redacted_at": redacted_at}
        _blank_comment(decision)
    return json.dumps(kept)


def _without_comment(answer: str) -> str:
    kept = json.loads(answer)
    if isinstance(kept.get("decision"), dict):
        _blank_comment(kept["decision"])
    return json.dumps(kept)


def _blank_comment(decision: dict[str, Any]) -> None:
    if decision["answer"] is not None:
        decision["answer"]["comment"] = ""
