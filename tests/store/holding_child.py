"""A process that opens a store, says so, and holds it until it is killed."""

from __future__ import annotations

import sys

from tests.store.stores import MIGRATIONS
from waypost.store.sqlite import SqliteStore

if __name__ == "__main__":
    held = SqliteStore.open(sys.argv[1], migrations=MIGRATIONS)
    sys.stdout.write("open\n")
    sys.stdout.flush()
    sys.stdin.read()
