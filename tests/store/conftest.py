"""Fixtures of the store's tests: a path, an open store, a disk whose faults can be set."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.shims import DiskShim
from tests.store.stores import MIGRATIONS, WAIT_SECONDS
from waypost.store.interface import Transaction
from waypost.store.sqlite import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "waypost.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    yield store
    store.close()


@pytest.fixture
def disk() -> Iterator[DiskShim]:
    with DiskShim("shimmed") as disk:
        yield disk


@pytest.fixture
def shimmed(path: Path, disk: DiskShim) -> Iterator[SqliteStore]:
    """A store on the disk whose faults can be set; they are taken back before it is closed."""
    store = SqliteStore.open(path, migrations=MIGRATIONS, vfs="shimmed")
    yield store
    disk.failing_syncs, disk.space = 0, None
    disk.gate.set()
    store.close()


class Held:
    """A unit that holds the writer until it is let go, so that what is submitted meanwhile waits together."""

    def __init__(self, store: SqliteStore) -> None:
        self._running = threading.Event()
        self._go = threading.Event()
        self._future = store.submit(self._unit)
        assert self._running.wait(WAIT_SECONDS)

    def let_go(self) -> None:
        self._go.set()
        self._future.result(WAIT_SECONDS)

    def _unit(self, tx: Transaction) -> None:
        self._running.set()
        assert self._go.wait(WAIT_SECONDS)


@pytest.fixture
def hold() -> Iterator[Callable[[SqliteStore], Held]]:
    held: list[Held] = []

    def make(store: SqliteStore) -> Held:
        held.append(Held(store))
        return held[-1]

    yield make
    for one in held:
        one.let_go()
