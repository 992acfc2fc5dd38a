"""Guards of export and import: one snapshot, the sum, empty and unused places, all or nothing, a new epoch."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard of the store tried by one file, or one test of a file, of the tests of export and import."""
    return Guard(
        promise=promise,
        file=f"store/{file}",
        snippet=snippet,
        replacement=replacement,
        tests=(f"tests/transfer/{tests}",),
    )


GUARDS = [
    guard(
        "store.export.sum",
        "transfer/reading.py",
        "test_lines.py",
        "closing.sha256 != digest.hexdigest() or ",
        "",
    ),
    guard(
        "store.export.sum",
        "transfer/lines.py",
        "test_lines.py",
        " or write_closing(closing) != line:",
        ":",
    ),
    guard(
        "store.export.sum",
        "transfer/reading.py",
        "test_lines.py::test_a_file_that_changes_between_its_two_readings_is_refused",
        "if digest.hexdigest() != self._closing.sha256:",
        "if False:",
    ),
    guard(
        "store.export.one_moment",
        "sqlite/exporting.py",
        "test_beside_writers.py",
        'connection.execute("begin")',
        "pass",
    ),
    guard(
        "store.export.one_moment",
        "postgres/exporting.py",
        "test_beside_writers.py",
        "psycopg.IsolationLevel.REPEATABLE_READ",
        "psycopg.IsolationLevel.READ_COMMITTED",
    ),
    guard(
        "store.export.one_moment",
        "postgres/exporting.py",
        "test_beside_writers.py::test_an_export_while_mail_is_sent_holds_each_message_with_its_journal_entry",
        "last = last + 1 if row[0] is None else row[0]",
        "last = row[0]",
    ),
    guard(
        "store.export.bounded",
        "transfer/writing.py",
        "test_streaming.py",
        "if len(lines) == LINES_AT_ONCE:",
        "if False:",
    ),
    guard(
        "store.import.needs_stopped",
        "postgres/follower.py",
        "test_kept_open.py",
        "        hold_open(connection)\n",
        "",
    ),
    guard(
        "store.import.needs_stopped",
        "postgres/importing.py",
        "test_refusals.py::test_a_store_that_a_server_has_open_takes_no_import",
        'if not row["alone"]:',
        "if False:",
    ),
    guard(
        "store.import.empty_only",
        "postgres/importing.py",
        "test_refusals.py::test_a_store_that_holds_anything_is_refused_with_what_it_holds",
        "    if held:\n",
        "    if False:\n",
    ),
    guard(
        "store.import.empty_only",
        "sqlite/importing.py",
        "test_refusals.py::test_a_store_that_holds_anything_is_refused_with_what_it_holds",
        "        if held:\n",
        "        if False:\n",
    ),
    guard(
        "store.import.all_or_nothing",
        "postgres/importing.py",
        "test_kill.py::test_an_import_killed_before_its_end_leaves_nothing_and_runs_again",
        "            with connection.transaction():\n",
        "            if True:\n",
    ),
    guard(
        "store.import.new_epoch",
        "postgres/importing.py",
        "test_round_trip.py",
        "        wire.run(statements[ending.text], ending_parameters(now=now, epoch=epoch))\n",
        "        pass\n",
    ),
    guard(
        "store.import.new_epoch",
        "sqlite/importing.py",
        "test_round_trip.py",
        "_epoch_of_empty(place)) + 1",
        "_epoch_of_empty(place))",
    ),
    guard(
        "store.import.refused_by_line",
        "sqlite/importing.py",
        "test_refusals.py",
        'connection.pragma("foreign_keys", 1)',
        'connection.pragma("foreign_keys", 0)',
    ),
]
