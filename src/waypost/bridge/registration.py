"""Tells the server once that an agent works in the client's directory, which makes the project's mailbox exist."""

from __future__ import annotations

import json
import threading
import time

from waypost.bridge.log import log
from waypost.bridge.messages import new_key
from waypost.bridge.relay import Relay
from waypost.client.errors import WaypostError

__all__ = ["Registration"]

SECONDS = 5.0
PAUSE_SECONDS = 0.1


class Registration:
    """The registration of one directory: begun in the background, waited for by tool calls, begun again after a failure."""

    def __init__(self, relay: Relay, directory: str) -> None:
        self._relay = relay
        self._body = json.dumps({"directory": directory}).encode("ascii")
        self._key = new_key()
        self._lock = threading.Lock()
        self._running: threading.Thread | None = None
        self._settled = False

    def begin(self) -> threading.Thread | None:
        """Begins, unless it is running or settled; answers the running thread."""
        with self._lock:
            if self._settled:
                return None
            if self._running is None or not self._running.is_alive():
                self._running = threading.Thread(target=self._run, name="waypost-registration", daemon=True)
                self._running.start()
            return self._running

    def wait(self) -> None:
        """Waits until it has finished, `SECONDS` at most. A failure is no reason to hold a call back: the server resolves anew."""
        thread = self.begin()
        if thread is not None:
            thread.join(SECONDS)

    def _run(self) -> None:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                status, body = self._relay.post("/v1/projects", self._body, self._key, deadline - time.monotonic())
                failure = f"status {status}"
                if status < 500:
                    self._settled = True
                    if status >= 400:
                        log(f"the directory was not registered: {failure} {body[:300]!r}")
                    return
            except WaypostError as error:
                failure = error.detail
            if time.monotonic() + PAUSE_SECONDS >= deadline:
                log(f"the directory was not registered: {failure}")
                return
            time.sleep(PAUSE_SECONDS)
