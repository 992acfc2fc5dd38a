"""Whether the driver for Postgres is there: an extra, and slow to import, so only those ask who open a database by it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from waypost.kernel.errors import StoreUnavailable

__all__ = ["driver_needed"]


@contextlib.contextmanager
def driver_needed() -> Iterator[None]:
    """Around the import of the Postgres engine. Refuses (`store_unavailable`) where its driver is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("psycopg"):
            raise
        raise StoreUnavailable(
            "The driver for Postgres is not installed. Nothing was opened.",
            hint="Install it with: pip install 'waypost[postgres]'.",
        ) from None
