"""Fixtures of the tests of Postgres: nodes on one database, and connections of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from waypost.kernel.time import Clock
from waypost.store.postgres import PostgresStore

Nodes = Callable[..., PostgresStore]
Raw = Callable[[], psycopg.Connection[Any]]


@pytest.fixture
def node(postgres_url: str) -> Iterator[Nodes]:
    """Opens a node on the test's database, as often as it is called."""
    opened: list[PostgresStore] = []

    def make(clock: Clock | None = None, **options: Any) -> PostgresStore:
        opened.append(PostgresStore.open(postgres_url, clock=clock, connections=8, **options))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def raw(postgres_url: str) -> Iterator[Raw]:
    """A connection beside the nodes', in a transaction of its own, on Waypost's schema."""
    opened: list[psycopg.Connection[Any]] = []

    def make() -> psycopg.Connection[Any]:
        connection = psycopg.connect(postgres_url, options="-c search_path=waypost")
        opened.append(connection)
        return connection

    yield make
    for connection in opened:
        connection.close()
