"""Guards of work in bulk: sweeps that wait for a row, and pages that pass over much."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]


def guard(promise: str, file: str, test: str, snippet: str, replacement: str = "if False:") -> Guard:
    """One guard, tried by one test."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(test,))


GUARDS = [
    guard(
        "feed.cursor.always_goes_on",
        "operations/changes.py",
        "tests/operations/test_changes.py::test_a_short_page_asks_in_batches_for_what_it_passes_over",
        "min(max(limit, LOOKED_AT_ONCE), MOST_PASSED_OVER)",
        "limit",
    ),
    guard(
        "idempotency.key.kept_a_day",
        "store/queries.sql",
        "tests/postgres/test_sweeps.py::test_what_was_renewed_while_the_sweep_waited_for_it_stays",
        ") and created_at < :before",
        ")",
    ),
    guard(
        "feed.consumer.durable",
        "store/queries.sql",
        "tests/postgres/test_sweeps.py::test_what_was_renewed_while_the_sweep_waited_for_it_stays",
        ") and used_at < :before",
        ")",
    ),
]
