"""Tokens at the door: read from the header, looked up by hash, counted where they are wrong, noted as used now and then.

Invariant: a token is in no log, figure, exception or table here; what is remembered are hashes. Wrong ones are counted by address and
refused unseen (`rate_limited`) after ten in a minute, but a token that was good here a moment ago always comes through, so that one
misconfigured program locks nobody out who shares its address.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from waypost.identity.access import Credential, Token
from waypost.identity.credential_store import TOUCH_EVERY, touch_token
from waypost.identity.errors import TokenRefused
from waypost.identity.token_text import digest_of
from waypost.kernel.errors import RateLimited, Unauthenticated
from waypost.kernel.time import MINUTE, Clock
from waypost.operations.authority import authenticate, recall
from waypost.server.logs import Log
from waypost.store.interface import Store, Transaction

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["MOST_WRONG", "Credentials", "token_of"]

V = TypeVar("V")
MOST_WRONG = 10
"""Wrong tokens from one address within a minute."""
MOST_REMEMBERED = 4_096
"""Addresses and hashes that are remembered; the oldest give way."""


def token_of(authorization: bytes) -> str:
    """The token in an Authorization header. Refuses `unauthenticated` for any other scheme."""
    scheme, _, token = authorization.decode("latin-1").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated(
            "The Authorization header holds no bearer token. Nothing was changed.",
            hint="Send `Authorization: Bearer` and the token.",
        )
    return token.strip()


class Credentials:
    """The tokens of one server's store. Used on the event loop alone."""

    def __init__(self, store: Store, clock: Clock, threads: ThreadPoolExecutor, log: Log) -> None:
        self._store = store
        self._clock = clock
        self._threads = threads
        self._log = log
        self._wrong: dict[str, list[int]] = {}
        self._good: dict[str, None] = {}
        self._touched: dict[str, int] = {}

    async def check(self, token_text: str, address: str) -> Credential:
        """Whose the token is. Refuses `unauthenticated`, and `rate_limited` where too many wrong ones came from the address."""
        digest = digest_of(token_text)
        if digest not in self._good and self._count(address) >= MOST_WRONG:
            raise RateLimited(
                f"{MOST_WRONG} wrong tokens came from this address within a minute; this one was not looked at.",
                hint="Wait a minute, then send a good one.",
            )
        try:
            token = await self._read(lambda tx: authenticate(tx, token_text))
        except TokenRefused:
            self._good.pop(digest, None)
            self._note_wrong(address)
            raise
        _remember(self._good, digest, None)
        self._touch(token)
        return token.credential

    async def recall(self, token_id: str) -> Credential:
        """Whose a page session is, by the token that it was signed in with. Refuses `unauthenticated`."""
        token = await self._read(lambda tx: recall(tx, token_id))
        self._touch(token)
        return token.credential

    async def _read(self, unit: Callable[[Transaction], Token]) -> Token:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._store.read, unit)

    def _count(self, address: str) -> int:
        since = self._clock.now() - MINUTE
        recent = [at for at in self._wrong.get(address, ()) if at > since]
        if recent:
            self._wrong[address] = recent
        else:
            self._wrong.pop(address, None)
        return len(recent)

    def _note_wrong(self, address: str) -> None:
        _remember(self._wrong, address, [*self._wrong.get(address, ()), self._clock.now()][-MOST_WRONG:])
        self._log.warning("token refused", address=address, recent=len(self._wrong[address]))

    def _touch(self, token: Token) -> None:
        """Notes the use of a token, unless that was done within the hour. Nobody waits for it."""
        now = self._clock.now()
        last = max(self._touched.get(token.id, 0), token.last_used_at or 0)
        if now - last >= TOUCH_EVERY:
            _remember(self._touched, token.id, now)
            written: Future[None] = self._store.submit(lambda tx: touch_token(tx, token.id))
            written.add_done_callback(_forget_failure)


def _forget_failure(done: Future[None]) -> None:
    """A use that could not be noted is noted another time."""
    if not done.cancelled():
        done.exception()


def _remember(kept: dict[str, V], key: str, value: V) -> None:
    kept.pop(key, None)
    while len(kept) >= MOST_REMEMBERED:
        del kept[next(iter(kept))]
    kept[key] = value
