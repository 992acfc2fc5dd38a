"""The writer: one thread that runs the waiting units together and commits them once.

Nobody is answered before COMMIT returned: not the units that succeeded, and not those that refused either, since a refusal may
rest on what a neighbour did. Each unit stands behind a savepoint of its own. Where SQLite ends the transaction in the middle of
a unit (full disk, interrupt), that unit gets its error and its neighbours run again, one by one. Where COMMIT fails, all get a
retryable error and the connection is opened anew. Once damage was seen, nothing is written any more. Knows nothing of what
units do.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from queue import Empty, SimpleQueue
from typing import Any, Final

import apsw

from waypost.kernel.errors import StoreBusy, StoreUnavailable, WaypostError
from waypost.kernel.time import Clock
from waypost.store.errors import StoreDamaged
from waypost.store.interface import Transaction
from waypost.store.sqlite.dialect import Statements
from waypost.store.sqlite.errors import translate
from waypost.store.sqlite.transaction import SqliteTransaction
from waypost.store.sqlite.upkeep import WalUpkeep

__all__ = ["Writer"]

MOST_TOGETHER: Final = 64
MOST_WAITING: Final = 10_000
LINGER_SECONDS: Final = 0.001

SETTLE: Final = """
insert into store_info (key, value) values ('settled_at', :now)
on conflict (key) do update set value = excluded.value
"""

log = logging.getLogger(__name__)


class Job:
    """A unit that waits, its future, and what came out of it until the commit lets it be answered."""

    __slots__ = ("error", "future", "result", "unit")

    def __init__(self, unit: Callable[[Transaction], Any]) -> None:
        self.unit = unit
        self.future: Future[Any] = Future()
        self.result: object = None
        self.error: BaseException | None = None


class Writer:
    """The thread that writes one store. `connection` is its first; `reopen` makes another after a failure."""

    def __init__(
        self,
        connection: apsw.Connection,
        reopen: Callable[[], apsw.Connection],
        *,
        statements: Statements,
        clock: Clock,
        upkeep: WalUpkeep,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._reopen = reopen
        self._statements = statements
        self._clock = clock
        self._upkeep = upkeep
        self._most_waiting = most_waiting
        self._gate = threading.Lock()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._closing = False
        self._damage: StoreDamaged | None = None
        self._in_unit = False
        self._together = 1
        self._listeners: tuple[Callable[[int], None], ...] = ()
        self._connection: apsw.Connection | None = connection
        self._cursor: apsw.Cursor | None = connection.cursor()
        upkeep.watch(connection)
        self._thread = threading.Thread(target=self._work, name="waypost-writer", daemon=True)
        self._thread.start()

    # -- from any thread -----------------------------------------------------------------------------------------------

    def submit(self, unit: Callable[[Transaction], Any]) -> Future[Any]:
        """Queues a unit. Refuses (`store_busy`) above the bound and (`store_unavailable`) once closing."""
        if self._in_unit and self.is_own_thread():
            raise RuntimeError("a unit cannot write outside its transaction")
        job = Job(unit)
        with self._gate:
            if self._closing:
                raise StoreUnavailable("The store was closed. Nothing was stored.", hint="Start Waypost again.")
            if self._queue.qsize() >= self._most_waiting:
                raise StoreBusy(
                    f"{self._most_waiting} writes wait already. Nothing of this one was stored.",
                    hint="Repeat the request in a moment.",
                )
            self._queue.put(job)
        return job.future

    def is_own_thread(self) -> bool:
        """Whether the caller runs on the writer's thread, where waiting for a write would never end."""
        return threading.current_thread() is self._thread

    def condemn(self, damage: StoreDamaged) -> None:
        """Somebody saw damage: from now on nothing is written, so that what is whole stays as it is."""
        self._damage = damage

    def subscribe(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """As `Store.subscribe`."""
        with self._gate:
            self._listeners = (*self._listeners, listener)

        def end() -> None:
            with self._gate:
                self._listeners = tuple(other for other in self._listeners if other is not listener)

        return end

    def close(self) -> None:
        """Lets what waits finish, then ends the thread. Idempotent; not for the writer's own thread."""
        if self.is_own_thread():
            raise RuntimeError("the store's thread cannot close the store")
        with self._gate:
            if not self._closing:
                self._closing = True
                self._queue.put(None)
        self._thread.join()

    def disconnect(self) -> None:
        """Closes the connection of a writer that is closed, as the store's last one, which empties the WAL."""
        self._drop()

    # -- on the writer's thread ----------------------------------------------------------------------------------------

    def _work(self) -> None:
        going_on = True
        while going_on:
            batch, going_on = self._gather()
            if not batch:
                continue
            try:
                self._run(batch)
            except BaseException as error:
                log.exception("the writer could not run a batch")
                self._drop()
                self._answer_all(batch, self._judged(error))

    def _gather(self) -> tuple[list[Job], bool]:
        """What waits, at most 64, and whether more may come. While nothing waits, the WAL is looked after."""
        try:
            job = self._queue.get(timeout=self._upkeep.next_pause())
        except Empty:
            self._upkeep.idle(None if self._damage else self._connection)
            return [], True
        batch: list[Job] = []
        until = time.monotonic() + LINGER_SECONDS
        while job is not None:
            if _starts(job.future):
                batch.append(job)
            if len(batch) == MOST_TOGETHER:
                break
            try:
                job = self._next(len(batch), until)
            except Empty:
                break
        self._together = len(batch)
        return batch, job is not None

    def _next(self, gathered: int, until: float) -> Job | None:
        """What waits next; where nothing does, what comes `until` then, as long as fewer have come than the last time. Clients that
        were answered together ask again almost together, and one commit for all of them is worth that moment."""
        try:
            return self._queue.get_nowait()
        except Empty:
            left = until - time.monotonic()
            if gathered >= self._together or left <= 0:
                raise
            return self._queue.get(timeout=left)

    def _run(self, batch: list[Job]) -> None:
        """Runs a batch as one transaction; what SQLite threw out of it runs again, each by itself."""
        waiting = self._commit(batch)
        for job in waiting:
            self._commit([job])
        self._upkeep.after_commit(None if self._damage else self._connection)

    def _commit(self, batch: Sequence[Job]) -> Sequence[Job]:
        """One transaction. Answers the units that must run again because SQLite ended it under one of them."""
        try:
            cursor = self._cursor or self._connect()
            cursor.execute("begin immediate")
        except Exception as error:
            self._drop()
            self._answer_all(batch, self._judged(error))
            return ()
        head = 0
        alone = len(batch) == 1
        for job in batch:
            head = self._unit(cursor, job, savepoint=not alone) or head
            if self._damage is not None:
                self._drop()
                self._answer_all(batch, StoreDamaged(self._damage.detail))
                return ()
            if not cursor.connection.in_transaction:
                self._answer(job, job.error or StoreUnavailable("SQLite ended the transaction. Nothing was stored."))
                return [other for other in batch if other is not job]
        try:
            cursor.execute("commit")
        except BaseException as error:
            self._answer_all(batch, self._after_failed_commit(error))
            return ()
        for job in batch:
            self._answer(job, job.error)
        if head:
            self._tell(head)
        return ()

    def _unit(self, cursor: apsw.Cursor, job: Job, *, savepoint: bool) -> int:
        """Runs one unit and answers the last position that it journalled, or 0. A failure undoes what it did, and no more."""
        job.result = job.error = None
        if savepoint:
            cursor.execute("savepoint unit")
        transaction = SqliteTransaction(cursor, self._statements, self._clock.now())
        self._in_unit = True
        try:
            job.result = job.unit(transaction)
        except BaseException as error:
            job.error = self._judged(error)
        finally:
            self._in_unit = False
            transaction.end()
        if not cursor.connection.in_transaction:
            return 0
        if job.error is not None:
            _undo(cursor, savepoint=savepoint)
            return 0
        if savepoint:
            cursor.execute("release unit")
        return transaction.journalled

    def _after_failed_commit(self, error: BaseException) -> BaseException:
        """Opens the connection anew and makes sure that the lost batch stays lost; answers what its units are told.

        A commit whose sync failed may lie whole in the WAL. The next commit is written over it, so one is made here, before
        anybody is answered; else a crash could bring back what was reported as not stored.
        """
        log.error("a commit failed", exc_info=error)
        self._drop()
        try:
            cursor = self._connect()
            cursor.execute("begin immediate")
            cursor.execute(SETTLE, {"now": str(self._clock.now())})
            cursor.execute("commit")
        except Exception:
            log.exception("the store could not be opened anew after a failed commit")
            self._drop()
            if not isinstance(error, apsw.FullError):
                return StoreUnavailable(
                    "The disk failed while the change was being made durable, and whether it was stored is not known.",
                    hint="Look at the disk; then repeat the request with the same idempotency key.",
                )
        known = self._judged(error)
        if isinstance(known, WaypostError):
            return known
        return StoreUnavailable("The change could not be committed. Nothing of this request was stored.")

    def _judged(self, error: BaseException) -> BaseException:
        known = translate(error)
        if isinstance(known, StoreDamaged):
            self.condemn(known)
        return known

    # -- connection, answers, listeners --------------------------------------------------------------------------------

    def _connect(self) -> apsw.Cursor:
        connection = self._reopen()
        self._upkeep.watch(connection)
        self._connection = connection
        self._cursor = connection.cursor()
        return self._cursor

    def _drop(self) -> None:
        connection, self._connection, self._cursor = self._connection, None, None
        if connection is not None:
            with contextlib.suppress(apsw.Error):
                if self._damage is not None:
                    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                connection.close(True)

    def _answer(self, job: Job, error: BaseException | None) -> None:
        try:
            if error is None:
                job.future.set_result(job.result)
            else:
                job.future.set_exception(error)
        except InvalidStateError:  # somebody outside set it; that is theirs to explain
            return

    def _answer_all(self, batch: Sequence[Job], error: BaseException) -> None:
        for job in batch:
            if not job.future.done():
                self._answer(job, error)

    def _tell(self, head: int) -> None:
        for listener in self._listeners:
            try:
                listener(head)
            except Exception:
                log.exception("a listener of the journal failed")


def _starts(future: Future[Any]) -> bool:
    """Whether the unit is still wanted: not cancelled, and not answered by somebody outside."""
    try:
        return future.set_running_or_notify_cancel()
    except (InvalidStateError, RuntimeError):  # a fault of whoever answered it, which the futures' log names
        return False


def _undo(cursor: apsw.Cursor, *, savepoint: bool) -> None:
    """Undoes one unit. Where even that fails, the whole transaction goes, so that its neighbours run again."""
    try:
        if savepoint:
            cursor.execute("rollback to unit")
            cursor.execute("release unit")
            return
    except apsw.Error:
        log.exception("a unit could not be rolled back alone")
    cursor.execute("rollback")
