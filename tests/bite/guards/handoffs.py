"""The guards of handoffs."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

RULES = ("tests/rules/test_handoff_rules.py",)
OPERATIONS = ("tests/operations/test_handoffs.py", "-k")

GUARDS = [
    Guard(
        promise="handoff.accept.single_use",
        file="mail/handoffs.py",
        snippet="    if there is not HandoffState.OPEN:\n",
        replacement="    if False:\n",
        tests=RULES,
    ),
    Guard(
        promise="handoff.offer.not_while_source_active",
        file="mail/handoffs.py",
        snippet="now - source_seen_at >= QUIET",
        replacement="True",
        tests=RULES,
    ),
    Guard(
        promise="handoff.expiry.thirty_days",
        file="mail/handoffs.py",
        snippet="EXPIRES_AFTER = 30 * DAY",
        replacement="EXPIRES_AFTER = 31 * DAY",
        tests=(*OPERATIONS, "sqlite and thirty_days"),
    ),
    Guard(
        promise="handoff.manual.beats_automatic",
        file="mail/handoffs.sql",
        snippet="order by automatic, created_at desc, id desc limit :limit;",
        replacement="order by created_at desc, id desc limit :limit;",
        tests=(*OPERATIONS, "sqlite and by_hand"),
    ),
    Guard(
        promise="handoff.automatic.when_enabled",
        file="operations/handoffs.py",
        snippet="if given.automatic and not unit.limits.automatic_handoffs:",
        replacement="if False:",
        tests=(*OPERATIONS, "sqlite and setting_is_off"),
    ),
    Guard(
        promise="frame.answer.every_foreign_text",
        file="operations/handoff_records.py",
        snippet='summary=frame(handoff.summary, origin="handoff").text if foreign else handoff.summary,',
        replacement="summary=handoff.summary,",
        tests=(*OPERATIONS, "sqlite and framed"),
    ),
]
