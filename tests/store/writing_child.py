"""A process that writes from four threads and prints each number once it was acknowledged, until it is killed."""

from __future__ import annotations

import itertools
import os
import sys
import threading

from tests.store.stores import MIGRATIONS, put
from waypost.store.sqlite import SqliteStore


def write(store: SqliteStore, start: int) -> None:
    for number in itertools.count(start, 4):
        store.write(put(number))
        os.write(1, f"{number}\n".encode())  # one write, so that a line is there whole or not at all


if __name__ == "__main__":
    written = SqliteStore.open(sys.argv[1], migrations=MIGRATIONS)
    first = int(sys.argv[2])
    for offset in range(4):
        threading.Thread(target=write, args=(written, first + offset)).start()
