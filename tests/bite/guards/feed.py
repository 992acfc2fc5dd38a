"""Guards in the change feed: what moves a checkpoint, what is told of a gap, who sees what, and how much a stream holds."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

OPERATIONS = "tests/operations/test_changes.py"
DOOR = "tests/doors/test_rest_changes.py"
COMMAND = "tests/doors/test_cli_changes.py"


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard tried by one file of tests."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(tests,))


GUARDS = [
    guard("feed.gap.explicit", "operations/feed.py", OPERATIONS, "if cursor.position < kept.below:", "if False:"),
    guard("feed.gap.explicit", "operations/feed.py", OPERATIONS, "if cursor.epoch != kept.epoch:", "if False:"),
    guard(
        "feed.entry.only_where_readable",
        "operations/changes.py",
        OPERATIONS,
        "            if is_readable(entry, readable):",
        "            if True:",
    ),
    guard(
        "feed.entry.only_where_readable",
        "operations/entries.py",
        OPERATIONS,
        "mentioned if readable is None else mentioned & readable",
        "mentioned",
    ),
    guard(
        "feed.cursor.always_goes_on",
        "operations/changes.py",
        OPERATIONS,
        "            reached = entry.position\n",
        "            reached = entry.position if is_readable(entry, readable) else reached\n",
    ),
    guard(
        "feed.consumer.never_back",
        "operations/consumers.py",
        OPERATIONS,
        "to.position < at.position and not given.rewind",
        "to.position < at.position < 0",
    ),
    guard(
        "feed.consumer.never_back",
        "operations/consumers.py",
        OPERATIONS,
        "    check_given(to, kept)\n    return to",
        "    return to",
    ),
    guard(
        "feed.stream.resumes",
        "server/feed.py",
        DOOR,
        "            place = place.at(page.next_cursor)\n",
        "",
    ),
    guard(
        "feed.stream.bounded",
        "server/streams.py",
        DOOR,
        "        finally:\n            self.open -= 1",
        "        finally:\n            pass",
    ),
    guard("feed.stream.bounded", "server/streams.py", DOOR, "send_timeout=TAKE_SECONDS, ", ""),
    guard(
        "cli.changes.follow",
        "cli/changes.py",
        COMMAND,
        "        self._output.flush()\n        if self._consumer is None:\n            return\n",
        "        if self._consumer is None:\n            return self._output.flush()\n",
    ),
]
