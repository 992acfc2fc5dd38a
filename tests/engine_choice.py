"""Which tests run on both engines, and which on one, with the reason: the one list.

The operations' tests, the contract tests of the store (units, journal, keys), the exchange of whole stores, and the doors' tests named
here run on both. A test that asks for `engine`, `database` or `door_engine` is one of them.
"""

from __future__ import annotations

from typing import Final

__all__ = ["DOORS_ON_BOTH", "ON_ONE"]

DOORS_ON_BOTH: Final = frozenset(
    {
        "tests.doors.mcp.test_answers",
        "tests.doors.mcp.test_tools",
        "tests.doors.test_background",
        "tests.doors.test_rest_changes",
        "tests.doors.test_rest_refusals",
        "tests.doors.test_rest_verbs",
        "tests.doors.test_rest_waiting",
    }
)
"""The doors' tests whose answers depend on what the store does."""

ON_ONE: Final = {
    "tests/browser": "SQLite: a browser's view of the pages; what a page reads goes through operations that run on both",
    "tests/conformance": "SQLite: the MCP protocol, which touches no store",
    "tests/crash/test_points.py": "SQLite: named points of its files: backup, restore, migration copies, the lock",
    "tests/crash/test_power.py": "SQLite: a disk that loses what was not synced; Postgres keeps its own log",
    "tests/crash/test_server.py": "SQLite: full disks, rights and damage of its file; Postgres' are in tests/postgres/test_trouble.py",
    "tests/doors/mcp/test_protocol.py": "SQLite: the protocol, which touches no store",
    "tests/doors/test_bridge.py": "none: a fake server",
    "tests/doors/test_cli_store.py": "SQLite: backup, restore and migrate of a file; tests/postgres/test_serving.py for a database",
    "tests/doors/test_cli_verbs.py": "SQLite: processes, of which each costs a second; the verbs run on both below the door",
    "tests/doors/test_rest_callers.py": "SQLite: who calls, decided before the store",
    "tests/doors/test_rest_requests.py": "SQLite: the shape of requests, refused before the store",
    "tests/doors/test_rest_security.py": "SQLite: headers and addresses, refused before the store",
    "tests/doors/test_rest_service.py": "SQLite: backup and a store that is gone; tests/postgres/test_versions.py asks /readyz of a database",
    "tests/doors/web": "SQLite: what pages show; tests/postgres/test_live_nodes.py watches them across nodes",
    "tests/postgres": "Postgres: several nodes, its locks, clock, sequencer, versions and failures",
    "tests/start": "none: which modules are loaded",
    "tests/store/test_backup.py": "SQLite: a copy of its file; Postgres has its own tools",
    "tests/store/test_commit.py": "SQLite: its one writer and shared commits",
    "tests/store/test_commit_faults.py": "SQLite: a disk whose faults can be set",
    "tests/store/test_damage.py": "SQLite: damaged pages of its file",
    "tests/store/test_flat_history.py": "SQLite: its own count of steps; benchmarks/history_postgres.py counts Postgres' buffers",
    "tests/store/test_kill.py": "SQLite: the writer's process dies; tests/postgres/test_nodes.py and the campaign for nodes",
    "tests/store/test_lock.py": "SQLite: one process at a time; on Postgres any number",
    "tests/store/test_migrations.py": "SQLite: the copy beside the file; tests/postgres/test_open.py and test_versions.py",
    "tests/store/test_restore.py": "SQLite: a copy comes back; Postgres has its own tools",
    "tests/store/test_wal_upkeep.py": "SQLite: its write-ahead log",
}
"""By path: the engine, and why the other one has nothing to say there, or where it says it."""
