"""Guards in the Postgres engine: locks before `now`, units that run again, positions under a lock, clear refusals."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

ENGINE = "store/postgres/"


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard tried by one test or file of the tests of Postgres."""
    return Guard(
        promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(f"tests/postgres/{tests}",)
    )


GUARDS = [
    guard(
        "postgres.delete.no_dead_inbox",
        "operations/projects.py",
        "test_deletion.py::test_a_deletion_that_waits_while_mail_is_sent_sees_it_and_is_refused",
        "    lock_mailbox(unit.tx, project.id)",
        "    unit.tx  # noqa: B018",
    ),
    guard(
        "postgres.delete.no_dead_inbox",
        "operations/sending.py",
        "test_deletion.py::test_a_send_that_waits_while_the_project_is_deleted_is_refused",
        "    check_still_there(unit, destination)\n",
        "",
    ),
    guard(
        "sequencer.two.no_doubles",
        ENGINE + "sequencer.py",
        "test_sequencer.py",
        'f"{LOCK}; {GIVE.format(',
        'f"select 1; {GIVE.format(',
    ),
    guard(
        "sequencer.late_committer.in_order",
        ENGINE + "sequencer.py",
        "test_sequencer.py::test_a_late_committer_with_an_early_sequence_is_read_after_what_was_visible_before_it",
        "set position = head.position + waiting.step",
        "set position = journal.entry",
    ),
    guard(
        "sequencer.restore.new_cluster",
        ENGINE + "sequencer.py",
        "test_sequencer.py::test_a_restore_into_a_new_cluster_leaves_positions_and_cursors_right",
        "set position = head.position + waiting.step",
        "set position = journal.entry",
    ),
    guard(
        "sequencer.two.no_doubles",
        ENGINE + "follower.py",
        "test_sequencer.py::test_what_a_node_left_without_positions_gets_them_from_another",
        "            if waiting:\n                self._committed.set()\n        if self._committed",
        "        if self._committed",
    ),
    guard(
        "postgres.claims.skip_locked",
        ENGINE + "dialect.py",
        "test_nodes.py::test_a_pop_passes_over_what_another_node_holds_without_waiting",
        '"skip": "for update skip locked"',
        '"skip": "for update nowait"',
    ),
    guard(
        "postgres.bounds.exact",
        "operations/sending.py",
        "test_nodes.py::test_the_bound_of_an_inbox_is_exact_while_nodes_send_at_once",
        "    lock_mailbox(unit.tx, destination.mailbox_id)  # before the first `now`\n",
        "",
    ),
    guard(
        "postgres.engine.same_promises",
        "store/keys.py",
        "test_units.py::test_two_requests_with_one_key_give_one_answer",
        "scope.parameters(), **fields}, otherwise=overtaken)",
        "scope.parameters(), **fields})",
    ),
    guard(
        "postgres.engine.same_promises",
        ENGINE + "errors.py",
        "test_units.py",
        'AGAIN: Final = frozenset({"40001", "40P01", "55P03", "0A000"})',
        'AGAIN: Final = frozenset({"40001", "55P03", "0A000"})',
    ),
    guard(
        "postgres.engine.same_promises",
        ENGINE + "errors.py",
        "test_nodes.py::test_a_name_that_another_node_took_between_two_looks_is_found",
        "return isinstance(error, Overtaken) or (",
        "return (",
    ),
    guard(
        "postgres.engine.same_promises",
        ENGINE + "dialect.py",
        "test_dialect.py",
        '{"text": \'text collate "C"\', "integer": "bigint"}',
        '{"text": "text", "integer": "bigint"}',
    ),
    guard(
        "postgres.clock.after_the_lock",
        ENGINE + "transaction.py",
        "test_units.py::test_now_is_the_databases_clock_read_after_the_lock",
        "extract(epoch from clock_timestamp())",
        "extract(epoch from now())",
    ),
    guard(
        "postgres.engine.same_promises",
        "operations/projects.py",
        "test_nodes.py::test_a_name_that_another_node_took_between_two_looks_is_found",
        "        raise Overtaken(taken.detail) from taken\n",
        "        raise\n",
    ),
    guard(
        "postgres.clock.after_the_lock",
        ENGINE + "transaction.py",
        "test_units.py::test_now_is_the_databases_clock_read_after_the_lock",
        "                self._begun_at = None  # a lock may have been waited for\n",
        "                pass\n",
    ),
    guard(
        "postgres.nodes.one_dies",
        ENGINE + "connections.py",
        "test_live_nodes.py::test_every_connection_of_a_node_has_bounds_for_locks_statements_and_standing_still",
        "  set_config('idle_in_transaction_session_timeout', '{IDLE_TIMEOUT_MS}', false),\n",
        "",
    ),
    guard(
        "postgres.migrations.any_number",
        ENGINE + "schema.py",
        "test_versions.py::test_a_migration_that_leaves_nodes_behind_waits_for_the_units_that_write",
        '                connection.execute(f"select pg_advisory_xact_lock({SCHEMA_LOCK})")\n',
        "                pass\n",
    ),
    guard(
        "postgres.versions.side_by_side",
        ENGINE + "versions.py",
        "test_versions.py::test_a_migration_that_leaves_nodes_behind_waits_for_the_units_that_write",
        "    if schema < oldest:\n",
        "    if schema < 0:\n",
    ),
    guard(
        "postgres.versions.side_by_side",
        ENGINE + "versions.py",
        "test_versions.py::test_a_migration_that_leaves_nodes_behind_waits_for_the_units_that_write",
        "statements=(BEGIN_WRITE, SHARE, SEEN)",
        "statements=(BEGIN_WRITE, SEEN)",
    ),
    guard(
        "postgres.versions.side_by_side",
        ENGINE + "sequencer.py",
        "test_versions.py::test_the_journal_of_a_database_that_left_a_node_behind_is_given_no_positions_by_it",
        "where position is null and {SERVED} <= {{schema}} order by",
        "where position is null order by",
    ),
    guard(
        "postgres.versions.side_by_side",
        ENGINE + "wire.py",
        "test_versions.py::test_a_statement_that_a_migration_outlived_is_prepared_anew",
        "            self._outlived = True\n",
        "            pass\n",
    ),
    guard(
        "postgres.migrations.any_number",
        ENGINE + "schema.py",
        "test_open.py",
        'connection.execute(f"select pg_advisory_lock({MIGRATION_LOCK})")',
        'connection.execute("select 1")',
    ),
    guard(
        "postgres.restart.reconnects",
        ENGINE + "units.py",
        "test_units.py::test_a_unit_whose_connection_is_cut_runs_again_and_a_lost_commit_is_said_so",
        "or not (lost or runs_again(error))",
        "or not runs_again(error)",
    ),
    guard(
        "postgres.restart.reconnects",
        ENGINE + "units.py",
        "test_units.py::test_a_unit_whose_connection_is_cut_runs_again_and_a_lost_commit_is_said_so",
        "isinstance(error, UnknownCommit) or",
        "False or",
    ),
    guard(
        "postgres.errors.clear",
        ENGINE + "connections.py",
        "test_open.py",
        '    if row is not None and row["only"] == "on":',
        '    if row is not None and row["only"] == "never":',
    ),
]
