"""A running Waypost without any door: the store, the pipeline over it, and the person whose machine it is.

Doors take one of these. A command line without a server and an embedding program use it as it is.
"""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from pathlib import Path

from waypost.assembly.postgres import driver_needed
from waypost.assembly.settings import Settings
from waypost.client.folders import database_url
from waypost.client.postgres_url import is_postgres
from waypost.identity.store import add_user, user_named
from waypost.kernel.addresses import slug
from waypost.kernel.time import Clock, SystemClock
from waypost.mail.models import Limits
from waypost.operations.call import Answer, Call
from waypost.operations.catalogue import OPERATIONS
from waypost.operations.pipeline import AnyOperation, Pipeline
from waypost.store.interface import Store
from waypost.store.sqlite.engine import SqliteStore
from waypost.store.sqlite.lock import TIMEOUT_SECONDS

__all__ = ["Waypost", "local_login", "open_waypost"]


class Waypost:
    """A store with its pipeline. Safe to use from any thread; `close` it."""

    def __init__(
        self, store: Store, *, limits: Limits, login: str, operations: Sequence[AnyOperation] = OPERATIONS
    ) -> None:
        self.store = store
        self.login = login
        self.pipeline = Pipeline(store, operations, limits=limits)
        # A person's mailbox exists from the first start on; looking first keeps a plain start from writing.
        if store.read(lambda tx: user_named(tx, login)) is None:
            store.write(lambda tx: add_user(tx, login))

    def run(self, operation: str, call: Call) -> Answer:
        """Runs an operation and waits for its durable answer."""
        return self.pipeline.run(operation, call)

    def close(self) -> None:
        """Finishes what waits, then closes the store. Idempotent."""
        self.store.close()


def local_login() -> str:
    """The operating system's name for the account, as a name that Waypost takes."""
    try:
        return slug(getpass.getuser())
    except (KeyError, OSError):
        return "local"


def open_waypost(
    database: Path | str,
    settings: Settings,
    *,
    clock: Clock | None = None,
    vfs: str | None = None,
    lock_timeout: float = TIMEOUT_SECONDS,
) -> Waypost:
    """Opens the store at `database` (a file, or the URL or place of a Postgres database) and puts the pipeline on it. Refuses as the
    store does: `store_busy` after `lock_timeout` seconds, `schema_newer`, `store_unavailable`."""
    store: Store
    if is_postgres(str(database)):
        store = _open_postgres(database_url(str(database)), clock)
    else:
        store = SqliteStore.open(database, clock=clock or SystemClock(), vfs=vfs, lock_timeout=lock_timeout)
    try:
        return Waypost(store, limits=settings.mail(), login=local_login())
    except BaseException:
        store.close()
        raise


def _open_postgres(url: str, clock: Clock | None) -> Store:
    """The engine and its driver are imported only here, since most stores are files."""
    with driver_needed():
        from waypost.store.postgres.engine import PostgresStore  # noqa: PLC0415 - an extra, and slow to import
    return PostgresStore.open(url, clock=clock)
