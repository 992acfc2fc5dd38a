"""Fixtures of the tests of export and import."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.postgres_cluster import Cluster
from tests.transfer.filling import Schema
from tests.transfer.places import Place

Places = Callable[[str], Place]


@pytest.fixture(scope="session")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    """The schema of this Waypost."""
    return Schema(tmp_path_factory.mktemp("schema"))


@pytest.fixture
def places(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Places]:
    """Makes places without a store, on the engine that is named, as often as it is called."""
    made: list[tuple[Cluster, str]] = []
    numbers = itertools.count(1)

    def make(engine: str) -> Place:
        folder = tmp_path / f"place-{next(numbers)}"
        folder.mkdir()
        if engine == "sqlite":
            return Place(database=str(folder / "waypost.db"), folder=folder)
        cluster: Cluster = request.getfixturevalue("cluster")
        made.append((cluster, cluster.make(migrated=False, options="encoding 'UTF8'")))
        return Place(database=made[-1][1], folder=folder)

    yield make
    for cluster, url in made:
        cluster.drop(url)


@pytest.fixture
def place(engine: str, places: Places) -> Place:
    """A place without a store on the engine that the test runs on."""
    return places(engine)
