"""Signing in to the page: single-use codes that live a minute, and the sessions that they buy. Kept in memory, as hashes.

`POST /v1/server:open` issues a code; the page redeems it for a session token, which its cookie carries. Who has a token of his own
signs in by that, and his session lasts no longer than the token is good. A restart signs everybody out. Nothing here is ever logged.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from dataclasses import dataclass
from typing import TypeVar

from waypost.kernel.time import HOUR, MINUTE, Clock

__all__ = ["CODE_LIVES", "SESSION_LIVES", "PageSession", "SignIns"]

V = TypeVar("V")

CODE_LIVES = MINUTE
SESSION_LIVES = 12 * HOUR
PAGE_COOKIE = "waypost_page"
"""How the name of the page's cookie begins."""
MOST_CODES = 64
MOST_SESSIONS = 256


@dataclass(frozen=True, kw_only=True, slots=True)
class PageSession:
    """A session of the page: the operator's, or that of the token with which it was signed in."""

    until: int
    token_id: str | None = None


class SignIns:
    """The codes that wait and the sessions that run, of the server of one store. Safe to use from any thread."""

    def __init__(self, clock: Clock, *, store_id: str) -> None:
        self._clock = clock
        # Browsers keep cookies by host and not by port, so that two servers of one host would sign each other out. The id's
        # last part is the random one; stores made in the same minute share the first.
        self.cookie = f"{PAGE_COOKIE}_{store_id.rpartition('-')[2]}"
        self._gate = threading.Lock()
        self._codes: dict[bytes, int] = {}
        self._sessions: dict[bytes, PageSession] = {}

    def issue(self) -> str:
        """A new code, good once within a minute."""
        with self._gate:
            return _add(self._codes, self._clock.now() + CODE_LIVES, most=MOST_CODES)

    def redeem(self, code: str) -> str | None:
        """The token of a new session for a code that is good; the code is used up. None for any other."""
        now = self._clock.now()
        with self._gate:
            until = self._codes.pop(_hash(code), 0)
            return self._begin(None) if until > now else None

    def admit(self, token_id: str) -> str:
        """The token of a new session for whoever showed the token of that id."""
        with self._gate:
            return self._begin(token_id)

    def session(self, token: str) -> PageSession | None:
        """The session of that token, while it runs."""
        with self._gate:
            found = self._sessions.get(_hash(token))
            return found if found is not None and found.until > self._clock.now() else None

    def holds(self, token: str) -> bool:
        """Whether the token belongs to a session that still runs."""
        return self.session(token) is not None

    def _begin(self, token_id: str | None) -> str:
        session = PageSession(until=self._clock.now() + SESSION_LIVES, token_id=token_id)
        return _add(self._sessions, session, most=MOST_SESSIONS)

    def end(self, token: str) -> None:
        """Signs out. Harmless to repeat."""
        with self._gate:
            self._sessions.pop(_hash(token), None)


def _add(kept: dict[bytes, V], value: V, *, most: int) -> str:
    while len(kept) >= most:
        del kept[next(iter(kept))]  # the oldest gives way, so that neither table grows without end
    token = secrets.token_urlsafe(32)
    kept[_hash(token)] = value
    return token


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
