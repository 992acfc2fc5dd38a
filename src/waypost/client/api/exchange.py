"""Requests and their repeats over blocking sockets. `exchange_async` is the same for asyncio; what both decide stands elsewhere.

Invariant: a request is sent again only where `Retries` says so, with the key that it had. Safe for use by several threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import httpx2

from waypost.client.api.answers import Answered, Readable, fault_of, refusal_of, store_of, typed
from waypost.client.api.asked import Acting, Asked, Fields, held_for, prepare
from waypost.client.api.connecting import LIMITS, LONG_SECONDS, Connecting, check_arrival, timeout_of
from waypost.client.api.listing import Listing, Page
from waypost.client.api.places import Reached
from waypost.client.api.retries import Retries
from waypost.client.api.waits import Wait, WaitPage
from waypost.client.errors import ConnectionFault, StoreChanged
from waypost.kernel.errors import WaypostError

__all__ = ["Exchange"]

O = TypeVar("O", bound=Readable)  # noqa: E741 - the customary letter for an output
P = TypeVar("P", bound=Page[object])
I = TypeVar("I")  # noqa: E741 - the customary letter for an item
W = TypeVar("W", bound=WaitPage)


class Exchange:
    """What the verbs of `Waypost` speak through. `sleep` and `clock` are replaced in tests."""

    def __init__(self, connecting: Connecting, *, acting: Acting, seconds: float, retries: Retries) -> None:
        self.connecting = connecting
        self.acting = acting
        self.seconds = seconds
        self.retries = retries
        self.sleep: Callable[[float], None] = time.sleep
        self.clock: Callable[[], float] = time.monotonic
        self._gate = threading.Lock()
        self._store: str | None = None
        self._way: Reached | None = None
        self._clients: dict[Reached, httpx2.Client] = {}
        self._closed = False

    def read(self, operation: str, output: type[O], fields: Fields, *, seconds: float | None = None) -> O:
        """The answer of an operation that changes nothing."""
        return self._ask(operation, output, fields, seconds=seconds, key=None, keyed=False)

    def write(self, operation: str, output: type[O], fields: Fields, key: str | None) -> O:
        """The answer of an operation that changes something, under the caller's key or one of its own."""
        return self._ask(operation, output, fields, seconds=None, key=key, keyed=True)

    def write_once(self, operation: str, output: type[O], fields: Fields) -> O:
        """The answer of a verb on the process. It takes no key, so that it is never sent again, and may take its time."""
        return self._ask(operation, output, fields, seconds=max(self.seconds, LONG_SECONDS), key=None, keyed=False)

    def pages(
        self, operation: str, output: type[P], fields: Fields, items: Callable[[P], Sequence[I]]
    ) -> Listing[P, I]:
        """The list that an operation answers page by page."""

        def fetch(cursor: str | None) -> P:
            return self.read(operation, output, {**fields, "cursor": cursor})

        return Listing(fetch, items, cast("str | None", fields.get("cursor")))

    def wait(self, operation: str, output: type[W], fields: Fields) -> W:
        """The answer of a long poll, asked again until there is something or its time is up."""
        wait = Wait.begin(fields, self.clock())
        while True:
            asked_at = self.clock()
            page = self.read(operation, output, wait.fields(asked_at), seconds=self.seconds + wait.slice(asked_at))
            pause = wait.pause(page, asked_at=asked_at, now=self.clock())
            if pause is None:
                return page
            self.sleep(pause)

    def _ask(
        self,
        operation: str,
        output: type[O],
        fields: Fields,
        *,
        seconds: float | None,
        key: str | None,
        keyed: bool,
    ) -> O:
        asked = prepare(
            operation,
            fields,
            acting=self.acting,
            seconds=self.seconds + held_for(fields) if seconds is None else seconds,
            key=key,
            keyed=keyed,
        )
        return typed(output, self.send(asked), asked)

    def send(self, asked: Asked) -> Answered:
        """The answer of a success, after as many repeats as it takes. Raises the refusal or the connection's fault."""
        tried = 0
        while True:
            tried += 1
            retry_after = None
            try:
                answered = self._once(asked)
                refusal = refusal_of(answered)
                if refusal is None:
                    return answered
                retry_after = answered.retry_after
                raise refusal
            except WaypostError as fault:
                if isinstance(fault, ConnectionFault):
                    self._way = None  # it may be elsewhere by now, or gone
                pause = self.retries.pause(fault, tried=tried, retry_after=retry_after) if asked.repeatable else None
                if pause is None:
                    raise
            self.sleep(pause)

    def _once(self, asked: Asked) -> Answered:
        client = self._client()
        latest = self.clock() + asked.seconds
        try:
            with client.stream(
                asked.method,
                asked.target,
                content=asked.body,
                headers=self.connecting.headers(asked, self._store),
                timeout=timeout_of(asked),
            ) as response:
                parts: list[bytes] = []
                size = 0
                for part in response.iter_raw():
                    size += len(part)
                    check_arrival(size, late=self.clock() > latest)
                    parts.append(part)
        except httpx2.RequestError as error:
            raise fault_of(error) from None
        answered = Answered(status=response.status_code, headers=response.headers, body=b"".join(parts))
        self._store = store_of(answered, self._store)
        return answered

    def _client(self) -> httpx2.Client:
        with self._gate:
            if self._closed:
                raise RuntimeError("this client was closed")
            way = self._way
            if way is None:
                way = self.connecting.place.find()
                if way.store is not None and self._store not in {None, way.store}:
                    raise StoreChanged("The database belongs to another store than the one that was spoken to so far.")
                self._store, self._way = way.store or self._store, way
            client = self._clients.get(way)
            if client is None:
                client = self._clients[way] = self._connect(way)
            return client

    def _connect(self, way: Reached) -> httpx2.Client:
        trust = not way.loopback
        transport = None
        if way.socket is not None:
            transport = httpx2.HTTPTransport(uds=way.socket, limits=LIMITS, trust_env=trust)
        verify = self.connecting.verify
        return httpx2.Client(base_url=way.base, transport=transport, verify=verify, trust_env=trust, limits=LIMITS)

    def close(self) -> None:
        """Closes every connection; requests under way are broken off."""
        with self._gate:
            self._closed = True
            clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            client.close()
