"""Guards of what reaches an agent by itself: wakes, the briefing, and mail that another Waypost wrote."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

RULES = "tests/rules/test_wake_rules.py::"
WAKES = "tests/operations/test_waking.py::"
BRIEFING = "tests/operations/test_briefing.py::"
NEWER = "tests/operations/test_newer_mail.py::"


def guard(promise: str, file: str, test: str, snippet: str, replacement: str = "if False:") -> Guard:
    """One guard, tried by one test."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(test,))


ONCE = "test_an_accepted_occurrence_asks_again_only_after_a_lease_ran_out_since"
ONLY_GIVEN = "test_only_who_was_given_the_wake_may_report_on_it"
OWN_ONLY = "test_mail_that_is_not_surely_the_own_projects_is_a_count_and_never_a_word"
FIRST_ACKED = "test_a_session_that_starts_after_information_was_first_acked_does_not_get_it"

GUARDS = [
    guard(
        "wake.occurrence.once",
        "mail/wake_rules.py",
        RULES + "test_three_turns_are_started_for_an_occurrence_at_most",
        "if wake.count >= MOST_WAKES:",
    ),
    guard(
        "wake.occurrence.once",
        "mail/wake_rules.py",
        RULES + ONCE,
        "return lapsed is not None and lapsed > wake.until",
        "return lapsed is not None",
    ),
    guard(
        "wake.reserve.one_receiver",
        "mail/wake_rules.py",
        RULES + "test_a_reservation_is_one_receivers_for_sixty_seconds",
        "    if not asks_for_turn(message, now):\n",
        "    if False:\n",
    ),
    guard(
        "wake.reserve.one_receiver",
        "mail/wake_rules.py",
        RULES + ONLY_GIVEN,
        "wake is None or wake.owner != session or not hmac",
        "wake is None or not hmac",
    ),
    guard(
        "wake.occurrence.once",
        "mail/queries.sql",
        WAKES + "test_one_receiver_is_given_a_wake_and_accepting_it_reads_nothing",
        "or wake_accepted = 1 and lease_until > wake_until",
        "or wake_accepted = 1",
    ),
    guard(
        "agent.text.same_project_only",
        "mail/queries.sql",
        BRIEFING + OWN_ONLY,
        "  and from_project_id = :mailbox_id and from_source in {each:certain} and delivery = 'next_activity'\n",
        "",
    ),
    guard(
        "agent.block.old_information_skipped",
        "mail/models.py",
        BRIEFING + FIRST_ACKED,
        "return -1 if self.began_at is None or mailbox_id != self.project_id else self.began_at",
        "return -1",
    ),
    guard(
        "agent.block.shown_once_told",
        "operations/briefing.py",
        BRIEFING + "test_only_a_recipient_session_can_say_that_it_was_shown_something",
        "        check_recipient(message, reader)\n",
        "",
    ),
    guard(
        "record.format.newer_skipped",
        "mail/queries.sql",
        NEWER + "test_a_wake_that_cannot_be_read_does_not_hide_the_next_one",
        "status = 'open' and format = 1 and delivery = 'wake' and due_at <= :now\n  and (expires_at is null",
        "status = 'open' and delivery = 'wake' and due_at <= :now\n  and (expires_at is null",
    ),
]
