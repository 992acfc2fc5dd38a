"""Tells the server once that an agent works in the client's directory, which makes the project's mailbox exist."""

from __future__ import annotations

import json
import threading

from waypost.bridge.log import log
from waypost.bridge.messages import new_key
from waypost.bridge.patience import Patience
from waypost.bridge.relay import Refused, Relay
from waypost.client.errors import WaypostError

__all__ = ["Registration"]

# How long a call waits for a registration that a running server is slow with; while the server is away, the call could not
# be answered either, and would then be sent before its project exists.
SECONDS = 5.0


class Registration:
    """The registration of one directory: begun in the background, waited for by tool calls, begun again after a failure."""

    def __init__(self, relay: Relay, directory: str) -> None:
        self._relay = relay
        self._body = json.dumps({"directory": directory}).encode("ascii")
        self._key = new_key()
        self._lock = threading.Lock()
        self._running: threading.Thread | None = None
        self._patience = Patience()
        self._settled = False

    def begin(self) -> threading.Thread | None:
        """Begins, unless it is running or settled; answers the running thread."""
        with self._lock:
            if self._settled:
                return None
            if self._running is None or not self._running.is_alive():
                self._patience = Patience()
                self._running = threading.Thread(target=self._run, name="waypost-registration", daemon=True)
                self._running.start()
            return self._running

    def wait(self) -> None:
        """Waits until it has ended. A failure is no reason to hold a call back: the server resolves its project anew."""
        thread = self.begin()
        if thread is not None:
            thread.join(SECONDS)
            while thread.is_alive() and self._patience.away:
                thread.join(SECONDS)
            thread.join(SECONDS)

    def _run(self) -> None:
        try:
            status, body = self._relay.post("/v1/projects", self._body, self._key, self._patience)
        except (WaypostError, Refused) as failure:
            log(f"the directory was not registered: {failure}")
            return
        self._settled = True
        if status >= 400:
            log(f"the directory was not registered: status {status} {body[:300]!r}")
