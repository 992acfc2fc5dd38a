"""Guards against death in the middle of a thing, tried by the crash tests at their named points."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

ENGINE = "store/sqlite/"


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard, tried by some of the crash tests (`file -k words`)."""
    path, _, words = tests.partition(" -k ")
    return Guard(
        promise=promise,
        file=file,
        snippet=snippet,
        replacement=replacement,
        tests=(f"tests/crash/{path}.py", *(("-k", words) if words else ())),
    )


GUARDS = [
    guard(
        "store.restore.new_epoch",
        ENGINE + "engine.py",
        "test_points -k restore",
        "            undo_interrupted_restore(place)\n",
        "",
    ),
    guard(
        "store.crash.nothing_lost",
        ENGINE + "leftovers.py",
        "test_points -k restore",
        '            Path(f"{kept}-wal").rename(f"{place}-wal")\n',
        "            pass\n",
    ),
    guard(
        "store.backup.whole",
        ENGINE + "copying.py",
        "test_points -k backup",
        "        clear_partials(_target_of(partial))\n",
        "",
    ),
    guard(
        "store.commit.durable_before_answer",
        ENGINE + "connections.py",
        "test_power",
        'connection.pragma("synchronous", "full")',
        'connection.pragma("synchronous", "normal")',
    ),
    guard(
        "rest.health.told_apart",
        "server/service.py",
        "test_server -k full_disk",
        "store.submit(try_writing)",
        "store.submit(bounds)",
    ),
    guard(
        "store.corrupt.clear_error",
        "server/main.py",
        "test_server -k damage",
        "            raise app.refusal from None\n",
        "            pass\n",
    ),
]
