"""The follower: one thread of each node that hears of every node's changes, and sees to it that its own get their positions.

It has a connection of its own. After a commit here it runs the sequencer; once a second it looks whether another node left
entries without positions or a notification was lost. Listeners are told each new head once, in order. Where the connection is
lost, it makes another until it is stopped.
"""

from __future__ import annotations

import logging
import selectors
import socket
import threading
from collections.abc import Callable
from typing import Final

import psycopg

from waypost.kernel.errors import WaypostError
from waypost.store.postgres.connections import configure, connect, hold_open
from waypost.store.postgres.sequencer import CHANNEL, give_positions, look_at_journal
from waypost.store.postgres.wire import Connection

__all__ = ["Follower"]

LOOK_EVERY_SECONDS: Final = 1.0
"""One query in this time where nothing happens."""

log = logging.getLogger(__name__)


class Follower:
    """The thread that follows the journal of one store. `head` is the highest position that it knows."""

    def __init__(self, info: str, *, schema: int, sequences: bool = True) -> None:
        self._info = info
        self._schema = schema
        self._sequences = sequences
        self._listeners: tuple[Callable[[int], None], ...] = ()
        self._gate = threading.Lock()
        self._moved = threading.Condition()
        self.head = 0
        self._stopping = threading.Event()
        self._committed = threading.Event()
        self._bell, self._rope = socket.socketpair()
        self._bell.setblocking(False)
        self._rope.setblocking(False)
        self._thread = threading.Thread(target=self._work, name="waypost-journal", daemon=True)

    # -- from any thread -----------------------------------------------------------------------------------------------

    def start(self, connection: Connection) -> None:
        """Begins on a first connection, in autocommit, from the head that there is."""
        self._listen(connection)
        self.head = look_at_journal(connection, schema=self._schema)[0]
        self._connection: Connection | None = connection
        self._thread.start()

    def nudge(self) -> None:
        """A commit here appended to the journal."""
        if not self._committed.is_set():
            self._committed.set()
            self._ring()

    def subscribe(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """As `Store.subscribe`."""
        with self._gate:
            self._listeners = (*self._listeners, listener)

        def end() -> None:
            with self._gate:
                self._listeners = tuple(other for other in self._listeners if other is not listener)

        return end

    def is_own_thread(self) -> bool:
        """Whether the caller is a listener, where waiting for the store would hold up every other."""
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        """Ends the thread, after what was committed here got its positions. Idempotent."""
        self._stopping.set()
        self._ring()
        self._thread.join()

    # -- on the follower's thread --------------------------------------------------------------------------------------

    def _work(self) -> None:
        while not self._stopping.is_set() or (self._committed.is_set() and self._connection is not None):
            try:
                self._turn(self._connection or self._again())
            except (psycopg.Error, WaypostError, OSError) as error:
                log.warning("the journal's connection failed: %s", type(error).__name__)
                self._drop()
                self._stopping.wait(LOOK_EVERY_SECONDS)
        self._drop()
        self._bell.close()
        self._rope.close()

    def _turn(self, connection: Connection) -> None:
        """Sequences what is new here, else waits for news; with no news, looks."""
        if not self._committed.is_set() and not self._wait(connection):
            head, waiting = look_at_journal(connection, schema=self._schema)
            self._tell(head)
            if waiting:
                self._committed.set()
        if self._committed.is_set():
            self._committed.clear()  # before the positions are given: what is committed from here on rings again
            more = self._sequences
            while more:
                head, more = give_positions(connection, schema=self._schema)
                self._tell(head)

    def _wait(self, connection: Connection) -> bool:
        """Waits for a notification or a nudge; answers whether one came within a second."""
        news = connection.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(news, selectors.EVENT_READ)
            selector.register(self._bell, selectors.EVENT_READ)
            ready = {key.fd for key, _ in selector.select(LOOK_EVERY_SECONDS)}
        if self._bell.fileno() in ready:
            self._bell.recv(4_096)
        if news in ready:
            connection.pgconn.consume_input()
            while notice := connection.pgconn.notifies():
                self._tell(int(notice.extra))
        return bool(ready)

    def _again(self) -> Connection:
        connection = connect(self._info)
        self._listen(connection)
        self._connection = connection
        head, waiting = look_at_journal(connection, schema=self._schema)
        self._tell(head)
        if waiting:
            self._committed.set()
        return connection

    def _listen(self, connection: Connection) -> None:
        configure(connection)
        hold_open(connection)
        connection.add_notify_handler(lambda notice: self._tell(int(notice.payload)))
        connection.execute(f"listen {CHANNEL}")

    def _tell(self, head: int) -> None:
        if head <= self.head:
            return
        self.head = head
        for listener in self._listeners:
            try:
                listener(head)
            except Exception:
                log.exception("a listener of the journal failed")

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _ring(self) -> None:
        try:
            self._rope.send(b"!")
        except OSError:  # full of rings that wait already, or the thread has ended
            return
