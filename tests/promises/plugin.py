"""The pytest plugin behind the promises.

Records which promises the collected tests name, before any selection takes tests away, and prints at the end of each run how
many promises are set aside and why. Each worker of a parallel run collects the whole and keeps its own record.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.promises.manifest import counts_by_reason, live

__all__ = ["NAMED", "collected_whole"]

NAMED = pytest.StashKey[dict[str, list[str]]]()
"""For each promise id that a collected test names: the node ids of those tests."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option by which another process asks for the record."""
    parser.addoption("--named-promises", metavar="FILE", help="write the promises that collected tests name, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Makes the empty record."""
    config.stash[NAMED] = {}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Records the promises that one test names."""
    for mark in item.iter_markers("promise"):
        for promise_id in mark.args:
            item.config.stash[NAMED].setdefault(promise_id, []).append(item.nodeid)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Writes the record where it was asked for."""
    asked = session.config.getoption("--named-promises")
    if asked:
        Path(asked).write_text(json.dumps(session.config.stash[NAMED]), encoding="utf-8")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the honest distance: the promises set aside, by reason."""
    counts = counts_by_reason()
    terminalreporter.section(f"promises: {len(live())} live, {sum(counts.values())} set aside")
    for reason, count in counts.items():
        terminalreporter.write_line(f"{count:5} {reason}")
    terminalreporter.write_line("python -m tests.promises lists them; --unproved lists live ones that no test names")


def collected_whole(config: pytest.Config) -> bool:
    """Whether this run collected the whole tree of tests and not only some files of it."""
    tests = config.rootpath / "tests"
    given = [Path(config.invocation_params.dir, argument.partition("::")[0]) for argument in config.args]
    return any(path.resolve() in {tests, config.rootpath} for path in given) and "::" not in "".join(config.args)
