"""What a promise is, and the reasons for which one may be set aside: the title of the issue that brings it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = [
    "AUDIT",
    "COMPAT",
    "ISSUE_3",
    "ISSUE_4",
    "ISSUE_5",
    "ISSUE_6",
    "ISSUE_7",
    "REASONS",
    "WEBHOOKS",
    "Promise",
    "group",
]

ISSUE_3 = "Several nodes: Postgres, the change feed, the Python client"
ISSUE_4 = "The whole mailbox: leases, reminders, wake, history, decisions, handoffs"
ISSUE_5 = "Coding agents: setup, hooks, session start, doctor, with the real programs"
ISSUE_6 = "Project memory: facts, trust, review, context, search"
ISSUE_7 = "Rooms and the courier: late results arrive once"
WEBHOOKS = "not yet filed: webhooks"
COMPAT = "not yet filed: compatibility"
AUDIT = "not yet filed: audit"

REASONS = (ISSUE_3, ISSUE_4, ISSUE_5, ISSUE_6, ISSUE_7, WEBHOOKS, COMPAT, AUDIT)


@dataclass(frozen=True, kw_only=True, slots=True)
class Promise:
    """One behaviour that a user may rely on. `set_aside` is None for a live promise, else the reason from `REASONS`."""

    id: str
    source: str
    sentence: str
    set_aside: str | None


def group(source: str, sentences: Mapping[str, str], *, set_aside: str | None = None) -> list[Promise]:
    """The promises of one source, all live or all set aside for the same reason."""
    return [
        Promise(id=promise_id, source=source, sentence=sentence, set_aside=set_aside)
        for promise_id, sentence in sentences.items()
    ]
