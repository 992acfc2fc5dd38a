"""Backups of a running store, and the check that `doctor` runs.

Both use a connection of their own on one snapshot, so they hold up neither the writer nor the readers. Knows no domain.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import apsw

from waypost.kernel.errors import InvalidInput
from waypost.store.sqlite.copying import copy_into, partial_path, publish
from waypost.store.sqlite.engine import SqliteStore
from waypost.store.sqlite.errors import translate
from waypost.store.sqlite.place import real_path

__all__ = ["backup", "check"]

MOST_PROBLEMS: Final = 20


def backup(store: SqliteStore, target: str | Path, *, overwrite: bool = False) -> Path:
    """Writes a whole, consistent copy of a running store to `target`, for its owner alone, and answers its real path.

    Refuses (`conflict`) a name that is taken unless `overwrite`, (`invalid_input`) the store's own files and folders, and
    (`store_unavailable`) a full disk or a damaged store. A refusal leaves no partial file.
    """
    place = real_path(target)
    own = [Path(f"{store.facts.place}{ending}") for ending in ("", "-wal", "-shm", ".lock")]
    if place in own or place.is_dir():
        raise InvalidInput(f"{place} cannot take a backup. Nothing was written.", hint="Name a new file.")
    source = store.readers.borrow()
    try:
        copy_into(source, partial_path(place))
    finally:
        source.close()
    publish(partial_path(place), place, overwrite=overwrite)
    return place


def check(store: SqliteStore) -> list[str]:
    """What is wrong with the store's pages, indexes and references, at most 20 sentences; empty where all is well."""
    connection = store.readers.borrow()
    try:
        found = [str(row[0]) for row in connection.execute(f"pragma quick_check({MOST_PROBLEMS})")]
        problems = [] if found == ["ok"] else found
        lost = connection.execute("pragma foreign_key_check").fetchall()
        problems += [f"a row of {row[0]} refers to a row of {row[2]} that does not exist" for row in lost]
        return problems[:MOST_PROBLEMS]
    except apsw.Error as error:
        raise translate(error) from error
    finally:
        connection.close()
