"""The store's own refusals, below `StoreUnavailable` in the one hierarchy.

    StoreUnavailable            store_unavailable  503
    ├── StoreDamaged                               the file is not a database, or pages of it are damaged
    ├── StoreMisplaced                             the file lies where SQLite cannot keep it safely
    └── StoreForeign                               the file is a database, but not one that this Waypost made as it stands

None of them passes by itself, so none is retryable.

    Conflict                    conflict           409
    └── Overtaken                                  another unit came first: the store runs this one again

Knows no engine.
"""

from __future__ import annotations

from waypost.kernel.errors import Conflict, StoreUnavailable

__all__ = ["Overtaken", "StoreDamaged", "StoreForeign", "StoreMisplaced"]


class StoreDamaged(StoreUnavailable):
    """The file is not a database, or pages of it are damaged."""

    title = "The store is damaged"
    retryable = False
    hint_by_default = "Stop Waypost, keep a copy of the file with its -wal file, and bring back the last good backup with `waypost restore`."


class StoreMisplaced(StoreUnavailable):
    """The file lies where SQLite cannot keep it safely: a network file system, or under two names."""

    title = "The store lies in an unsafe place"
    retryable = False


class Overtaken(Conflict):
    """Another unit changed or made the record first. The store rolls this one back and runs it again, so that it sees what is there
    now; raised to the caller only where that happened each time."""

    retryable = True
    hint_by_default = "Repeat the request."


class StoreForeign(StoreUnavailable):
    """A database that Waypost did not make or cannot use, or whose migrations differ from those of this Waypost."""

    title = "The database is not this Waypost's store"
    retryable = False
