"""Fixtures of the store's tests: a path, an open store, a disk whose faults can be set."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.shims import DiskShim
from tests.store.stores import MIGRATIONS, WAIT_SECONDS
from waypost.kernel.time import Clock
from waypost.store.interface import Store, Transaction
from waypost.store.postgres import PostgresStore
from waypost.store.sqlite import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "waypost.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.open(path, migrations=MIGRATIONS)
    yield store
    store.close()


OpenStore = Callable[[Clock | None], Store]


@pytest.fixture
def either(engine: str, path: Path, request: pytest.FixtureRequest) -> Iterator[OpenStore]:
    """Opens the test's store on the engine that it runs on; opening again opens the same."""
    url = str(request.getfixturevalue("empty_postgres_url")) if engine == "postgres" else ""
    opened: list[Store] = []

    def make(clock: Clock | None) -> Store:
        store: Store = (
            PostgresStore.open(url, migrations=MIGRATIONS, clock=clock)
            if url
            else SqliteStore.open(path, migrations=MIGRATIONS, clock=clock)
        )
        opened.append(store)
        return store

    yield make
    for store in opened:
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
