"""What callers' directories say of themselves, remembered for some seconds, because every call of a bridge brings the same one.

Looking at a directory reads files, so it happens in a worker thread; what is remembered is answered at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from waypost.identity.models import Workdir
from waypost.identity.workdir import look_at
from waypost.kernel.errors import InvalidInput

__all__ = ["Workdirs"]

KEPT_SECONDS = 5.0
MOST = 1_024


class Workdirs:
    """A memory of directories. Used on the event loop alone, but for `look`."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[str, tuple[float, Workdir]] = {}

    def remembered(self, directory: str) -> Workdir | None:
        """What the directory said within the last seconds."""
        found = self._kept.get(directory)
        if found is None or found[0] <= self._clock():
            return None
        return found[1]

    def remember(self, directory: str, workdir: Workdir) -> None:
        """Keeps what a directory said."""
        if len(self._kept) >= MOST:
            self._kept.clear()
        self._kept[directory] = (self._clock() + KEPT_SECONDS, workdir)

    @staticmethod
    def look(directory: str) -> Workdir:
        """Reads the directory. Refuses `invalid_input`, naming the header that brought it."""
        try:
            return look_at(directory)
        except (InvalidInput, OSError, ValueError) as error:
            what = error.detail if isinstance(error, InvalidInput) else "directory cannot be read."
            raise InvalidInput(
                f"Waypost-Directory: {what} Nothing was changed.",
                hint="Send the percent-encoded absolute path of an existing directory, or leave the header out.",
            ) from None
