"""An import that is killed anywhere leaves the place as it was or whole, and can be run again."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.crash.waiting import wait_until
from tests.operations.office import Office
from tests.promises.marks import promise
from tests.store.stores import WAIT_SECONDS
from tests.transfer.conftest import Places
from tests.transfer.filling import Schema, made_up
from tests.transfer.places import Place, comparable
from waypost.kernel.errors import Conflict, NotFound

ROOT = Path(__file__).parents[2]
POINTS = [
    ("sqlite", "put:1", False),
    ("sqlite", "put:9", True),
    ("sqlite", "before:renew", False),
    ("sqlite", "after:renew", True),
    ("sqlite", "before:take_place", False),
    ("sqlite", "before:take_place", True),
    ("postgres", "put:1", False),
    ("postgres", "put:9", True),
    ("postgres", "before:_begin_epoch", False),
    ("postgres", "after:_begin_epoch", True),
    ("postgres", "after:read_facts", False),
]
"""Engine, point, and whether a store stands there that was only ever opened."""


def killed(place: Place, export: bytes, point: str) -> None:
    """Runs an import that is killed at the point."""
    file = place.folder / "given.jsonl"
    file.write_bytes(export)
    command = [sys.executable, "-m", "tests.transfer.importing_child", place.database, str(file), point]
    status = subprocess.run(command, cwd=ROOT, timeout=WAIT_SECONDS * 3, check=False).returncode
    assert status == -signal.SIGKILL


def settled(place: Place) -> None:
    """Waits until the database has noticed that the process is gone."""
    if "://" not in place.database:
        return
    with psycopg.connect(place.database, autocommit=True) as connection:
        others = "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"

        def alone() -> bool:
            found = connection.execute(others).fetchone()
            return found is not None and found[0] == 0

        wait_until(alone, "the end of the killed import's connection")


def holds_a_store(place: Place) -> bool:
    try:
        place.give()
    except NotFound:
        return False
    return True


@promise("store.import.all_or_nothing")
@pytest.mark.parametrize(("engine", "point", "opened"), POINTS)
def test_an_import_killed_before_its_end_leaves_nothing_and_runs_again(
    schema: Schema, places: Places, engine: str, point: str, opened: bool
) -> None:
    place = places(engine)
    before = b""
    if opened:
        Office(place.database).waypost.close()
        before = place.give()
    export = made_up(schema, 6)
    killed(place, export, point)
    settled(place)
    if opened:
        assert comparable(place.give()) == comparable(before)
        Office(place.database).waypost.close()  # it opens, and whoever opens it clears up
    else:
        assert not holds_a_store(place)
    place.take(export)
    assert comparable(place.give()) == comparable(export)
    assert not [file.name for file in place.folder.iterdir() if "partial" in file.name or "replaced" in file.name]


@promise("store.import.all_or_nothing")
def test_an_import_killed_after_its_end_is_whole(schema: Schema, place: Place) -> None:
    export = made_up(schema, 6)
    killed(place, export, "done")
    settled(place)
    assert comparable(place.give()) == comparable(export)
    with pytest.raises(Conflict, match="not empty"):
        place.take(export)


@promise("store.import.all_or_nothing")
def test_an_import_killed_between_the_new_file_and_the_old_ones_removal_is_whole(
    schema: Schema, places: Places
) -> None:
    place = places("sqlite")
    Office(place.database).waypost.close()
    export = made_up(schema, 6)
    killed(place, export, "after:take_place")
    assert comparable(place.give()) == comparable(export)
