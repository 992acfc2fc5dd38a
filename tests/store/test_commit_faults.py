"""The writer on a disk that fills up, fails to sync, or fails for good."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from benchmarks.shims import DiskShim
from tests.promises.marks import promise
from tests.store.conftest import Held
from tests.store.stores import INSERT, MIGRATIONS, WAIT_SECONDS, numbers, put
from waypost.kernel.errors import InvalidInput, StoreFull, StoreUnavailable
from waypost.store.interface import Transaction
from waypost.store.sqlite import SqliteStore

Hold = Callable[[SqliteStore], Held]
MEGABYTE = 1 << 20


@promise("store.commit.full_disk_middle_unit", "store.full.clear_error")
def test_a_full_disk_in_the_middle_unit_costs_only_that_unit(shimmed: SqliteStore, disk: DiskShim, hold: Hold) -> None:
    shimmed.write(put(0))
    held = hold(shimmed)
    before, big, after = shimmed.submit(put(1)), shimmed.submit(put(2, bytes(8 * MEGABYTE))), shimmed.submit(put(3))
    disk.space = MEGABYTE
    held.let_go()
    assert (before.result(WAIT_SECONDS), after.result(WAIT_SECONDS)) == (1, 3)
    with pytest.raises(StoreFull, match="disk that holds the store is full") as refusal:
        big.result(WAIT_SECONDS)
    assert refusal.value.status == 507
    assert "Free space" in refusal.value.hint
    assert shimmed.read(numbers) == [0, 1, 3]
    disk.space = None
    assert shimmed.write(put(2, bytes(8 * MEGABYTE))) == 2


@promise("store.commit.full_disk_middle_unit")
def test_a_unit_that_hides_the_full_disk_is_not_reported_as_stored(
    shimmed: SqliteStore, disk: DiskShim, hold: Hold
) -> None:
    def hides(tx: Transaction) -> str:
        try:
            tx.execute(INSERT, {"id": 2, "body": bytes(8 * MEGABYTE)})
        except StoreUnavailable:
            return "as if nothing had happened"
        raise AssertionError

    held = hold(shimmed)
    before, hiding, after = shimmed.submit(put(1)), shimmed.submit(hides), shimmed.submit(put(3))
    disk.space = MEGABYTE
    held.let_go()
    assert (before.result(WAIT_SECONDS), after.result(WAIT_SECONDS)) == (1, 3)
    with pytest.raises(StoreUnavailable):
        hiding.result(WAIT_SECONDS)
    assert shimmed.read(numbers) == [1, 3]


@promise("store.commit.full_disk_middle_unit")
def test_a_refusal_before_the_full_disk_is_judged_again_without_what_was_lost(
    shimmed: SqliteStore, disk: DiskShim, hold: Hold
) -> None:
    runs: list[list[int]] = []

    def looks(tx: Transaction) -> None:
        runs.append(numbers(tx))
        raise InvalidInput("seen")

    held = hold(shimmed)
    first, looking, big = shimmed.submit(put(1)), shimmed.submit(looks), shimmed.submit(put(2, bytes(8 * MEGABYTE)))
    disk.space = MEGABYTE
    held.let_go()
    assert first.result(WAIT_SECONDS) == 1
    with pytest.raises(InvalidInput):
        looking.result(WAIT_SECONDS)
    with pytest.raises(StoreFull):
        big.result(WAIT_SECONDS)
    assert runs == [[1], [1]]


@promise("store.commit.failed_commit_retryable")
def test_a_failed_commit_answers_everybody_with_a_retryable_error_and_the_store_goes_on(
    shimmed: SqliteStore, disk: DiskShim, hold: Hold
) -> None:
    def refuses(tx: Transaction) -> None:
        raise InvalidInput("it saw what was lost")

    shimmed.write(put(0))
    held = hold(shimmed)
    futures: list[Future[int] | Future[None]] = [
        shimmed.submit(put(1)),
        shimmed.submit(refuses),
        shimmed.submit(put(2)),
    ]
    disk.failing_syncs = 1
    held.let_go()
    for future in futures:
        error = future.exception(WAIT_SECONDS)
        assert isinstance(error, StoreUnavailable)
        assert error.retryable
        assert "Nothing of this request was stored" in error.detail
    assert shimmed.read(numbers) == [0]
    assert shimmed.write(put(1)) == 1
    assert shimmed.read(numbers) == [0, 1]


@promise("store.commit.failed_commit_retryable")
def test_what_a_failed_commit_reported_as_not_stored_does_not_come_back_after_a_crash(
    shimmed: SqliteStore, disk: DiskShim, path: Path, tmp_path: Path
) -> None:
    shimmed.write(put(0))
    disk.failing_syncs = 1
    with pytest.raises(StoreUnavailable):
        shimmed.write(put(1))
    crashed = tmp_path / "crashed.db"
    shutil.copy(path, crashed)
    shutil.copy(f"{path}-wal", f"{crashed}-wal")
    after_crash = SqliteStore.open(crashed, migrations=MIGRATIONS)
    try:
        assert after_crash.read(numbers) == [0]
    finally:
        after_crash.close()


@promise("store.commit.failed_commit_retryable")
def test_a_disk_that_goes_on_failing_says_that_the_outcome_is_not_known(shimmed: SqliteStore, disk: DiskShim) -> None:
    shimmed.write(put(0))
    disk.failing_syncs = 1_000
    with pytest.raises(StoreUnavailable, match="whether it was stored is not known") as refusal:
        shimmed.write(put(1))
    assert "same idempotency key" in refusal.value.hint
    assert refusal.value.retryable
    disk.failing_syncs = 0
    assert shimmed.write(put(2)) == 2
    assert shimmed.read(numbers) == [0, 2]


@promise("store.full.clear_error")
def test_a_disk_that_is_full_at_the_commit_refuses_and_goes_on_once_there_is_space(
    shimmed: SqliteStore, disk: DiskShim
) -> None:
    shimmed.write(put(0))
    disk.space = 0
    with pytest.raises(StoreFull):
        shimmed.write(put(1))
    assert shimmed.read(numbers) == [0]
    disk.space = None
    assert shimmed.write(put(1)) == 1
