"""The manifest and the tests agree: every live promise is named by a test, and no test names an unknown one."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tests.promises.coverage import named_by_all_tests
from tests.promises.manifest import MANIFEST, counts_by_reason, live
from tests.promises.marks import promise
from tests.promises.model import REASONS
from tests.promises.plugin import NAMED, collected_whole

ID = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+){2}")


pytestmark = pytest.mark.timeout(300)  # the whole tree is collected in a process of its own


@pytest.fixture(scope="module")
def named(request: pytest.FixtureRequest) -> Mapping[str, list[str]]:
    """The promises that tests name: this run's record where it collected everything, else a collection of its own."""
    if collected_whole(request.config):
        named = request.config.stash[NAMED]
        return named  # noqa: RET504 - the name gives the stash its invariant type
    return named_by_all_tests()


@promise("house.promises.all_proved")
def test_every_live_promise_is_named_by_a_test(named: Mapping[str, list[str]]) -> None:
    unproved = [entry.id for entry in live() if entry.id not in named]
    assert not unproved, f"{len(unproved)} live promises have no test:\n" + "\n".join(unproved)


@promise("house.promises.all_proved")
def test_no_test_names_an_unknown_promise(named: Mapping[str, list[str]]) -> None:
    unknown = {promise_id: tests for promise_id, tests in named.items() if promise_id not in MANIFEST}
    assert not unknown, f"tests name promises that the manifest does not hold: {unknown}"


@promise("house.promises.all_proved")
def test_ids_are_area_subject_point_and_sentences_are_sentences() -> None:
    wrong = [entry.id for entry in MANIFEST.values() if not ID.fullmatch(entry.id)]
    wrong += [entry.id for entry in MANIFEST.values() if not entry.sentence.endswith(".")]
    assert not wrong


@promise("house.promises.set_aside_printed")
def test_every_promise_set_aside_says_which_issue_brings_it() -> None:
    assert set(counts_by_reason()) <= set(REASONS)


@promise("house.promises.set_aside_printed")
def test_a_run_ends_with_the_promises_set_aside_by_reason(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess("-p", "tests.promises.plugin", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines([f"*{count} {reason}" for reason, count in counts_by_reason().items()])
