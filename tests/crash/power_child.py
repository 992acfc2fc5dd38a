"""A process on a disk that forgets what was not synced: it writes, prints each number once it was acknowledged, until the power fails.

`python -m tests.crash.power_child DATABASE full|normal OPERATIONS SEED FIRST`
"""

from __future__ import annotations

import itertools
import os
import random
import sys

import apsw

from tests.crash.disks import ForgetfulDisk
from tests.store.stores import MIGRATIONS, put
from waypost.store.sqlite import engine, upkeep
from waypost.store.sqlite.connections import open_writer
from waypost.store.sqlite.engine import SqliteStore

PAGES_BEFORE_CHECKPOINT = 12
"""So few that the power also fails in the middle of checkpoints and of a WAL that begins anew."""


def relaxed(path: str, vfs: str | None) -> apsw.Connection:
    """A writer that does not sync its commits, as Waypost's never is."""
    connection = open_writer(path, vfs)
    connection.pragma("synchronous", "normal")
    return connection


def main(database: str, synchronous: str, operations: str, seed: str, first: str) -> None:
    """Writes until the power fails."""
    upkeep.COPY_PAGES = PAGES_BEFORE_CHECKPOINT  # type: ignore[misc] # final for all but this child
    if synchronous == "normal":
        engine.open_writer = relaxed  # type: ignore[attr-defined] # a seam of this child alone
    disk = ForgetfulDisk(operations=int(operations), rng=random.Random(seed))
    store = SqliteStore.open(database, migrations=MIGRATIONS)
    assert disk.contents, "the store does not lie on the forgetful disk"
    for number in itertools.count(int(first)):
        store.write(put(number, body=os.urandom(600)))
        os.write(1, f"{number}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
