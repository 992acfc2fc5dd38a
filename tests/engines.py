"""The pytest plugin behind the engines: which one a test runs on, and a database of its own where that is Postgres.

A test that asks for `engine` runs once on each; of the doors' tests, which ask for `door_engine`, those that `engine_choice` names.
Without any Postgres the second is skipped, but never in CI.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine_choice import DOORS_ON_BOTH
from tests.postgres_cluster import VARIABLE, Cluster, shared_cluster

__all__ = ["ENGINES"]

ENGINES = ("sqlite", "postgres")
MISSING = f"no Postgres 15 or newer: set {VARIABLE}, install postgresql, or run requirements/install.sh dev"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs the doors' tests that were chosen for it on both engines."""
    if "door_engine" in metafunc.fixturenames:
        both = metafunc.module.__name__ in DOORS_ON_BOTH
        metafunc.parametrize("door_engine", ENGINES if both else ENGINES[:1])


@pytest.fixture(scope="session")
def found_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster | None]:
    """The run's Postgres, if one can be had."""
    own = tmp_path_factory.getbasetemp()
    with shared_cluster(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) as cluster:
        yield cluster


@pytest.fixture
def cluster(found_cluster: Cluster | None) -> Cluster:
    """The run's Postgres; the test is skipped without one, and fails in CI."""
    if found_cluster is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    return found_cluster


@pytest.fixture
def postgres_url(cluster: Cluster) -> Iterator[str]:
    """A migrated database of the test's own."""
    url = cluster.make()
    yield url
    cluster.drop(url)


@pytest.fixture
def empty_postgres_url(cluster: Cluster) -> Iterator[str]:
    """An empty database of the test's own."""
    url = cluster.make(migrated=False, options="encoding 'UTF8'")
    yield url
    cluster.drop(url)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The engine that the test runs on."""
    return str(request.param)


@pytest.fixture
def database(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the test's store lies: a path that does not exist yet, or the URL of a migrated database."""
    if engine == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return str(tmp_path / "waypost.db")


@pytest.fixture
def door_place(door_engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the store behind a door's test lies."""
    if door_engine == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return str(tmp_path / "waypost.db")
