"""The list of guards is in order, and the runner tells a bite from a survivor and from a run that tested nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bite.guards import ALL
from tests.bite.model import Guard
from tests.bite.runner import ROOT, Outcome, bite
from tests.promises.manifest import MANIFEST
from tests.promises.marks import promise

PATIENT = pytest.mark.timeout(120)
TESTS = ("tests/rules/test_kernel.py", "-k", "naive or key_is_refused")


@promise("house.bite.guards")
@pytest.mark.parametrize("guard", ALL, ids=[f"{place} {guard.promise}" for place, guard in enumerate(ALL)])
def test_every_guard_stands_where_it_is_listed_and_keeps_a_live_promise(guard: Guard) -> None:
    text = (ROOT / "src" / "waypost" / guard.file).read_text(encoding="utf-8")
    assert guard.take_out(text) != text
    assert MANIFEST[guard.promise].set_aside is None


def try_guard(*, snippet: str, replacement: str, promise_id: str = "mail.due.input_checked") -> Outcome:
    guard = Guard(promise=promise_id, file="kernel/time.py", snippet=snippet, replacement=replacement, tests=TESTS)
    return bite(guard).outcome


@PATIENT
@promise("house.bite.guards")
def test_a_guard_whose_absence_fails_a_test_is_bitten() -> None:
    assert try_guard(snippet="if moment.tzinfo is None:", replacement="if False:") is Outcome.BITTEN


@PATIENT
@promise("house.bite.guards")
def test_a_change_that_no_test_notices_survives() -> None:
    assert try_guard(snippet="MINUTE = 60 * SECOND", replacement="MINUTE = SECOND * 60") is Outcome.SURVIVED


@promise("house.bite.guards")
def test_a_snippet_that_does_not_stand_exactly_once_is_an_error() -> None:
    assert try_guard(snippet="raise InvalidInput(", replacement="pass") is Outcome.ERROR
    assert try_guard(snippet="no such line", replacement="pass") is Outcome.ERROR


@PATIENT
@promise("house.bite.guards")
def test_a_mutation_that_cannot_be_imported_is_an_error_and_no_bite() -> None:
    assert try_guard(snippet="MINUTE = 60 * SECOND", replacement="MINUTE = = 60") is Outcome.ERROR


@PATIENT
@promise("house.bite.guards")
def test_tests_that_do_not_name_the_promise_are_an_error() -> None:
    outcome = try_guard(snippet="if moment.tzinfo is None:", replacement="if False:", promise_id="house.bite.guards")
    assert outcome is Outcome.ERROR


@promise("house.bite.guards")
def test_the_real_source_is_left_alone(tmp_path: Path) -> None:
    before = (ROOT / "src" / "waypost" / "kernel" / "time.py").read_bytes()
    try_guard(snippet="no such line", replacement="pass")
    assert (ROOT / "src" / "waypost" / "kernel" / "time.py").read_bytes() == before
