"""Guards of leases: who holds a message, until when, what its end undoes; and of due times on a wall."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

RULES = "tests/rules/test_lease_rules.py::"
OPERATIONS = "tests/operations/test_leasing.py::"


def rule(promise: str, test: str, snippet: str, replacement: str = "if False:") -> Guard:
    """A guard in the rules of leases, tried by one test of theirs."""
    return Guard(
        promise=promise, file="mail/lease_rules.py", snippet=snippet, replacement=replacement, tests=(RULES + test,)
    )


def operation(promise: str, file: str, test: str, snippet: str, replacement: str) -> Guard:
    """A guard behind the operations, tried on both engines."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(OPERATIONS + test,))


ONLY_HOLDER = "test_only_the_session_that_claimed_finishes_and_only_with_its_token"
LAPSED = "test_a_lease_that_ran_out_leaves_work_unread_and_its_old_holder_with_nothing"

GUARDS = [
    rule("mail.complete.stale_token_refused", "test_a_lease_ends_at_its_very_instant", "if lapsed is not None:"),
    rule("mail.complete.needs_token_and_outcome", ONLY_HOLDER, "if lease.holder != held.session:"),
    rule("mail.complete.needs_token_and_outcome", ONLY_HOLDER, "if not _same(lease.token, held.token):"),
    rule(
        "mail.complete.idempotent",
        "test_a_complete_is_answered_again_to_the_one_that_completed_however_late",
        "if _completed_by(message, held):",
    ),
    rule(
        "mail.complete.idempotent",
        "test_a_complete_is_answered_again_to_the_one_that_completed_however_late",
        "and message.closed_by_session == held.session\n",
        "",
    ),
    rule(
        "mail.claim.repeat_same_token",
        "test_a_renewed_lease_counts_from_now_and_a_repeated_claim_does_not",
        "if live is not None and live.holder == session:",
    ),
    rule(
        "mail.claim.generation_rises",
        "test_a_released_message_is_unread_by_everybody_and_keeps_its_generation",
        "generation=message.generation + 1,",
        "generation=1,",
    ),
    rule("mail.snooze.needs_future_time", "test_a_snooze_goes_to_the_future_alone", "if due_at <= now:"),
    rule(
        "mail.snooze.needs_future_time",
        "test_a_snooze_beyond_the_expiry_is_refused_because_it_would_never_come",
        "if message.expires_at is not None and message.expires_at <= due_at:",
    ),
    rule(
        "mail.claim.not_actionable",
        "test_no_order_of_commands_gives_a_message_two_owners_or_lets_an_old_token_finish_it",
        "if not message.actionable:",
    ),
    rule(
        "mail.snooze.next_occurrence",
        "test_a_snooze_begins_the_next_occurrence_anew",
        "wake=None,",
        "",
    ),
    Guard(
        promise="mail.cancel.claimed",
        file="mail/rules.py",
        snippet="closed_by_project=reader.project_id,\n        lease=None,\n        version=message.version + 1,\n    )\n\n\ndef expire",
        replacement="closed_by_project=reader.project_id,\n        version=message.version + 1,\n    )\n\n\ndef expire",
        tests=(RULES + "test_the_sender_withdraws_claimed_work_and_its_lease_with_it",),
    ),
    Guard(
        promise="mail.pop.leased_is_skipped",
        file="mail/rules.py",
        snippet='if message.lease_at(now) is not None:\n        raise AlreadyClaimed("A session holds this message and works',
        replacement='if False:\n        raise AlreadyClaimed("A session holds this message and works',
        tests=(RULES + "test_a_pop_takes_nothing_that_somebody_holds_and_anything_that_nobody_holds_any_more",),
    ),
    operation(
        "mail.claim.expired_is_free",
        "operations/leasing.py",
        LAPSED,
        "forget_acks(unit.tx, message, before=lapsed)",
        "pass",
    ),
    operation(
        "mail.release.frees",
        "operations/leasing.py",
        "test_a_released_message_is_unread_for_everybody_and_claimable_at_once",
        "forget_acks(unit.tx, freed, before=unit.now + 1)",
        "pass",
    ),
    operation(
        "mail.claim.expired_is_free",
        "mail/boxes.py",
        "test_a_waiter_knows_when_the_next_lease_runs_out",
        'dues.append(maybe_number(tx.rows(SQL.next_lapse, fields)[0], "lease_until"))',
        "pass",
    ),
    operation(
        "store.restore.new_epoch",
        "mail/store.py",
        "test_what_was_in_work_when_a_store_is_restored_is_unread_and_has_a_higher_generation",
        "RESTORE_ENDINGS = (SQL.end_acks, SQL.end_leases)",
        "RESTORE_ENDINGS = (SQL.end_leases,)",
    ),
    operation(
        "mail.due.while_down_once",
        "operations/records.py",
        "test_a_reminder_that_came_due_while_nothing_ran_is_delivered_once_and_says_how_late",
        "return (now - message.due_at) // SECOND",
        "return 0",
    ),
    Guard(
        promise="mail.due.timezone",
        file="operations/wall_time.py",
        snippet="if first.to_plain() != plain:",
        replacement="if False:",
        tests=("tests/operations/test_wall_time.py::test_gaps_and_overlaps_are_resolved_as_written",),
    ),
    Guard(
        promise="mail.due.timezone",
        file="operations/wall_time.py",
        snippet="whole = -(-shown // 60) * 60",
        replacement="whole = shown",
        tests=("tests/operations/test_wall_time.py::test_gaps_and_overlaps_are_resolved_as_written",),
    ),
]
