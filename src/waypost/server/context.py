"""What all doors of one server share. Made once by `make_context`, closed once; knows no door."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from waypost.assembly.settings import Settings
from waypost.assembly.waypost import Waypost
from waypost.kernel.time import Clock, SystemClock
from waypost.server.answers import Answers
from waypost.server.changes import Changes
from waypost.server.credentials import Credentials
from waypost.server.exposure import is_exposed
from waypost.server.logs import Log, silent_log
from waypost.server.metrics import Metrics
from waypost.server.signin import SignIns
from waypost.server.workdirs import Workdirs

__all__ = ["ServerContext", "make_context"]

READING_THREADS = 8
"""As many as the store keeps connections for reading."""


@dataclass(kw_only=True, slots=True, eq=False)
class ServerContext:
    """The running Waypost, its settings, and what the doors share.

    `key` is that of the run file and proves the account that owns the store. `base_url` is where people open the page, without a
    closing slash; `hosts` are further names by which this server may be called. `auth_required` says that a
    request without a credential is refused. `answered` is set once the first request was
    answered: what is slow to load waits for it (`first_answer`). `request_stop` asks the process to end. `threads`
    is for what could block the event loop.
    """

    waypost: Waypost
    settings: Settings
    key: str
    changes: Changes
    answers: Answers
    signins: SignIns
    credentials: Credentials
    workdirs: Workdirs
    clock: Clock
    started_at: int
    threads: ThreadPoolExecutor
    log: Log
    metrics: Metrics = field(default_factory=Metrics)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    base_url: str = "http://127.0.0.1:7433"
    hosts: frozenset[str] = frozenset()
    auth_required: bool = False
    request_stop: Callable[[], None] = field(default=lambda: None)

    def start(self) -> None:
        """Binds what waits to the running event loop. Called by the app's lifespan, before the first request."""
        self.answers.start()
        self.changes.start()

    async def first_answer(self, *, within: float) -> None:
        """Returns after the first answer, or after `within` seconds."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.answered.wait(), within)

    def close(self) -> None:
        """Ends the threads; the Waypost itself is closed by who opened it."""
        self.threads.shutdown(wait=True, cancel_futures=True)


def make_context(
    waypost: Waypost,
    settings: Settings,
    *,
    key: str | None = None,
    clock: Clock | None = None,
    log: Log | None = None,
) -> ServerContext:
    """The context of a server over an open Waypost. Without `key` nobody can know it; `clock` is replaced in tests."""
    clock, log = clock or SystemClock(), log or silent_log()
    threads = ThreadPoolExecutor(READING_THREADS, thread_name_prefix="waypost-door")
    return ServerContext(
        waypost=waypost,
        settings=settings,
        key=key or secrets.token_hex(32),
        changes=Changes(waypost.store),
        answers=Answers(),
        signins=SignIns(clock, store_id=waypost.store.facts.store_id),
        workdirs=Workdirs(),
        clock=clock,
        started_at=clock.now(),
        threads=threads,
        log=log,
        credentials=Credentials(waypost.store, clock, threads, log),
        auth_required=settings.auth.required or is_exposed(settings),
    )
