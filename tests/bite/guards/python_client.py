"""Guards in the Python client: what is repeated, whose answer is believed, where a list and the feed go on."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

FAULTS = "tests/doors/python/test_faults.py"
PLACES = "tests/doors/python/test_places.py"
FOLLOWING = "tests/doors/python/test_following.py"


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard tried by one file of the client's tests."""
    return Guard(promise=promise, file=f"client/{file}", snippet=snippet, replacement=replacement, tests=(tests,))


GUARDS = [
    guard(
        "client.python.unkeyed_once",
        "api/exchange.py",
        FAULTS,
        "retry_after=retry_after) if asked.repeatable else None",
        "retry_after=retry_after)",
    ),
    guard(
        "client.python.retries_keyed",
        "api/asked.py",
        FAULTS,
        "    if keyed:\n        headers",
        "    if False:\n        headers",
    ),
    guard(
        "client.python.retries_asked",
        "api/retries.py",
        FAULTS,
        " and retry_after <= self.longest_pause",
        "",
    ),
    guard(
        "client.python.store_checked", "api/answers.py", FAULTS, "if known is not None and store != known:", "if False:"
    ),
    guard("client.python.store_checked", "api/answers.py", FAULTS, "    if not store:\n", "    if False:\n"),
    guard(
        "client.python.lists_resume",
        "api/listing.py",
        FAULTS,
        "        self.cursor = page.next_cursor\n",
        "        self.cursor = None\n",
    ),
    guard(
        "client.python.token_kept",
        "addresses.py",
        PLACES,
        "if with_token and not found.secure and not found.loopback:",
        "if False:",
    ),
    guard(
        "client.python.feed_resumes",
        "api/progress.py",
        FOLLOWING,
        '"after": self._ends, "wait"',
        '"after": self.begins, "wait"',
    ),
    guard(
        "client.python.feed_gaps", "api/progress.py", FOLLOWING, "        if gap is not None:\n", "        if False:\n"
    ),
    guard(
        "client.python.checkpoints",
        "api/progress.py",
        FOLLOWING,
        "if refused is not None and page.gap is None:",
        "if False:",
    ),
]
