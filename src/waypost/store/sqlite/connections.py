"""Opens connections to the store's file with the settings that the promises need, and checks SQLite itself.

WAL, a sync at each commit, foreign keys, page checks; readers cannot write. Knows nothing of units and threads.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final
from urllib.parse import quote

import apsw

from waypost.store.errors import StoreForeign
from waypost.store.sqlite.errors import translate

__all__ = [
    "APPLICATION_ID",
    "BUSY_TIMEOUT_MS",
    "OLDEST_SQLITE",
    "check_version",
    "open_plain",
    "open_reader",
    "open_still",
    "open_to_look",
    "open_writer",
    "sqlite_version",
]

OLDEST_SQLITE: Final = (3, 51, 3)
"""Older ones can lose committed data when a checkpoint and a write meet (the WAL-reset fault)."""
APPLICATION_ID: Final = 0x57505354
"""`WPST` in the file's header: this database is a Waypost store."""
BUSY_TIMEOUT_MS: Final = 5_000
"""How long a statement waits for a lock of another program."""
CACHED_STATEMENTS: Final = 512
EXISTING = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_EXRESCODE


def sqlite_version() -> str:
    """The version of the SQLite that runs here."""
    return apsw.sqlite_lib_version()


def check_version(version: str) -> None:
    """Refuses (`store_unavailable`) an SQLite older than 3.51.3."""
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        oldest = ".".join(str(part) for part in OLDEST_SQLITE)
        raise StoreForeign(
            f"This Waypost runs on SQLite {version}, which can lose committed data. The store was not opened.",
            hint=f"Install apsw with SQLite {oldest} or newer: pip install --upgrade apsw.",
        )


def open_plain(path: str, vfs: str | None) -> apsw.Connection:
    """A connection without a part in the store's traffic. It never creates a file."""
    try:
        return _open(path, vfs)
    except apsw.Error as error:
        raise translate(error) from error


def open_to_look(path: str, vfs: str | None) -> apsw.Connection:
    """A plain connection that leaves a WAL which holds something as it is, even where it is the last to close."""
    connection = open_plain(path, vfs)
    wal = Path(f"{path}-wal")
    if wal.exists() and wal.stat().st_size > 0:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def open_writer(path: str, vfs: str | None) -> apsw.Connection:
    """The one connection that writes. Its commits return when the change is on the disk."""
    connection = open_plain(path, vfs)
    try:
        if connection.readonly("main"):
            raise apsw.ReadOnlyError("opened for reading only")  # noqa: TRY301 - the handler below closes the connection
        if connection.pragma("journal_mode", "wal") != "wal":
            raise apsw.IOError("WAL mode was refused")  # noqa: TRY301 - as above
        connection.pragma("synchronous", "full")
        if sys.platform == "darwin":  # elsewhere fsync reaches the disk by itself
            connection.pragma("fullfsync", 1)
            connection.pragma("checkpoint_fullfsync", 1)
        connection.pragma("foreign_keys", 1)
        connection.pragma("temp_store", "memory")
        connection.pragma("wal_autocheckpoint", 0)  # the writer checkpoints after it has answered
    except BaseException as error:
        connection.close()
        raise translate(error) from error
    return connection


def open_reader(path: str, vfs: str | None) -> apsw.Connection:
    """A connection that reads only."""
    connection = open_plain(path, vfs)
    try:
        connection.pragma("temp_store", "memory")
        connection.pragma("wal_autocheckpoint", 0)
        connection.pragma("query_only", 1)
    except BaseException as error:
        connection.close()
        raise translate(error) from error
    return connection


def open_still(path: str) -> apsw.Connection:
    """A connection for reading a file that nobody writes, such as a backup, even in a folder that cannot be written."""
    still = "" if Path(f"{path}-wal").exists() else "?immutable=1"
    try:
        return apsw.Connection(
            f"file:{quote(path)}{still}",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_EXRESCODE,
        )
    except apsw.Error as error:
        raise translate(error) from error


def _open(path: str, vfs: str | None) -> apsw.Connection:
    connection = apsw.Connection(path, flags=EXISTING, vfs=vfs, statementcachesize=CACHED_STATEMENTS)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    # Without it SQLite plans a statement anew each time a parameter that might decide for a partial index is bound.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.pragma("trusted_schema", 0)
    connection.pragma("cell_size_check", 1)
    return connection
