"""The time that a hook has. When it is over the process ends with status 0, whatever it waits for.

Invariant: no more than one line is logged, and a log that hangs delays the end by a moment only.
"""

from __future__ import annotations

import os
import time

from waypost.hook.log import log
from waypost.hook.payload import Late

__all__ = ["Alarm"]

# Kept back for the log line of a run that is cut off.
LAST_SECONDS = 0.02
# At most this part of the time goes to reading the input; some clients never close it.
READING_SHARE = 0.4


class Alarm:
    """Counts from the start of the process: what the interpreter itself took is a part of the budget."""

    def __init__(self, client: str, event: str, budget_seconds: float) -> None:
        self._client = client
        self._event = event
        began = time.monotonic() - time.process_time()
        self.deadline = began + budget_seconds - LAST_SECONDS
        self._budget = budget_seconds
        self._reading = False
        self._over = False
        # The module behind `signal`, which builds enumerations at each import.
        self._signal = __import__("_signal")
        self._works = hasattr(self._signal, "setitimer")
        if self._works:
            self._signal.signal(self._signal.SIGALRM, self._ring)
            self._set(self.deadline - time.monotonic())

    def begin_reading(self) -> None:
        """From here a ring is `Late`."""
        self._reading = True
        self._set(max(self._budget * READING_SHARE, 0.01))

    def end_reading(self) -> None:
        """From here a ring ends the process."""
        self._reading = False
        self._set(self.deadline + LAST_SECONDS / 2 - time.monotonic())

    def stop(self) -> None:
        """Rings no more."""
        if self._works:
            self._signal.setitimer(self._signal.ITIMER_REAL, 0)

    def _set(self, seconds: float) -> None:
        if self._works:
            self._signal.setitimer(self._signal.ITIMER_REAL, max(seconds, 0.001))

    def _ring(self, _number: int, _frame: object) -> None:
        if self._reading:
            self._reading = False
            raise Late
        if not self._over:
            self._over = True
            self._set(LAST_SECONDS)
            log(self._client, self._event, "the time was over")
        os._exit(0)
