"""One message to the server and its answers back, with patience: a server that is away, restarting or dying is waited for.

Invariants: every request that was not cancelled is answered exactly once; a tool call is repeated only with the same
idempotency key, and all else that is repeated is a read. No thread is started here.
"""

from __future__ import annotations

import time
from _thread import allocate_lock

from waypost.bridge.lines import Output
from waypost.bridge.log import log
from waypost.bridge.messages import INTERNAL_ERROR, INVALID_REQUEST, Message, error_line, parse_answer
from waypost.bridge.patience import Patience, Starter
from waypost.client.errors import AnswerLost, ForeignServer, ServerAway, WaypostError
from waypost.client.folders import run_file_path
from waypost.client.run_file import read_run_file
from waypost.client.transport import Answer, Connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    T = TypeVar("T")

__all__ = ["Call", "Refused", "Relay"]

# Calls may wait for mail and listen for changes; the client cancels what it no longer wants. All else is quick.
SLOW_METHODS = frozenset({"tools/call", "subscriptions/listen"})
QUICK_SECONDS = 60.0
NOTIFICATION_SECONDS = 5.0
POST_SECONDS = 5.0
# The one refusal of status 503 that waiting does not mend.
LASTING = "schema_newer"


class _Cancelled(Exception):
    """The client cancelled the request, which must not be answered any more."""


class Refused(Exception):
    """The server answered with an error outside JSON-RPC."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(status)
        self.status = status
        self.problem = problem


class _Busy(Refused):
    """The same, and a later try may succeed."""


class Call:
    """One request in flight, which another thread may cancel."""

    __slots__ = ("_connection", "_lock", "cancelled")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._connection: Connection | None = None
        self.cancelled = False

    def attach(self, connection: Connection) -> None:
        """Names the connection that a cancellation ends. Raises `_Cancelled` if it came already."""
        with self._lock:
            self._connection = connection
            if self.cancelled:
                raise _Cancelled

    def cancel(self) -> None:
        """Ends the request; from then on nothing of it is written."""
        with self._lock:
            self.cancelled = True
            if self._connection is not None:
                self._connection.abort()


class Relay:
    """The way to the server of one store, for all messages of one client."""

    def __init__(self, database: str, target: str, directory: str | None, output: Output) -> None:
        """`database` is a real path, `target` the path of MCP with its query, `directory` the client's, encoded."""
        self._run_file = run_file_path(database)
        self._target = target
        self._directory = directory
        self._output = output
        self._starter = Starter(database)
        self._client: str | None = None
        self._version: str | None = None

    def forward(self, message: Message, call: Call) -> None:
        """Sends a message and writes what comes back; a failure becomes the answer of a request and a log line otherwise."""
        self._client = message.client_name or self._client
        try:
            if message.is_request:
                self._request(message, call)
            else:
                self._notify(message, call)
        except _Cancelled:
            return
        except Refused as refusal:
            code = INTERNAL_ERROR if refusal.status >= 500 else INVALID_REQUEST
            words = [str(refusal.problem[name]) for name in ("detail", "hint") if refusal.problem.get(name)]
            text = " ".join(words) or f"The server refused with status {refusal.status}."
            self._fail(message, call, code, text, refusal.problem)
        except WaypostError as error:
            self._fail(message, call, INTERNAL_ERROR, f"{error.detail} {error.hint}".strip(), error.problem())
        except Exception as error:
            log(f"relaying failed: {error!r}")
            self._fail(message, call, INTERNAL_ERROR, "The bridge failed to relay this request; see its log.", {})

    def post(self, path: str, body: bytes, key: str, patience: Patience) -> tuple[int, bytes]:
        """A keyed POST of the bridge's own to the REST interface: status and body. Raises what ends patience, or `ServerSlow`."""
        headers = {**self._headers(), "Content-Type": "application/json", "Idempotency-Key": key, "Connection": "close"}

        def attempt() -> tuple[int, bytes]:
            with self._connect(time.monotonic() + POST_SECONDS) as connection:
                answer = connection.ask("POST", path, headers, body)
                patience.connected()
                found = answer.read()
                if answer.status == 503:
                    raise _Busy(answer.status, parse_answer(found) or {})
                return answer.status, found

        return self._insist(attempt, patience)

    def _fail(self, message: Message, call: Call, code: int, text: str, data: dict[str, Any]) -> None:
        log(f"{message.method}: {text}")
        if message.is_request and not call.cancelled:
            self._output.write(error_line(message.request_id, code, text, data))

    def _notify(self, message: Message, call: Call) -> None:
        """A notification is sent once, and no server is started for it: one that just started has nothing to be notified of."""
        for text in self._exchange(message, call, Patience(), NOTIFICATION_SECONDS):
            self._output.write(text)

    def _request(self, message: Message, call: Call) -> None:
        patience = Patience()
        seconds = None if message.method in SLOW_METHODS else QUICK_SECONDS

        def attempt() -> None:
            if call.cancelled:
                raise _Cancelled
            for text in self._exchange(message, call, patience, seconds):
                if call.cancelled:
                    raise _Cancelled
                self._output.write(text)

        try:
            self._insist(attempt, patience)
        except (WaypostError, Refused):
            if not call.cancelled:
                raise

    def _insist(self, attempt: Callable[[], T], patience: Patience) -> T:
        """Tries until an attempt comes through, and sees to it that a server runs. Raises the failure that ended patience."""
        while True:
            try:
                return attempt()
            except (ServerAway, ForeignServer, AnswerLost, _Busy) as failure:
                patience.lost += isinstance(failure, AnswerLost)
                patience.pause(failure)
                if isinstance(failure, (ServerAway, ForeignServer)):
                    self._starter.start()

    def _exchange(self, message: Message, call: Call, patience: Patience, seconds: float | None) -> Iterator[bytes]:
        """One try: the texts that the client gets, the response last."""
        deadline = None if seconds is None else time.monotonic() + seconds
        with self._connect(deadline) as connection:
            call.attach(connection)
            headers = {**message.headers(self._version), **self._headers(), "Connection": "close"}
            answer = connection.ask("POST", self._target, headers, message.body)
            patience.connected()
            yield from self._texts(message, answer)

    def _texts(self, message: Message, answer: Answer) -> Iterator[bytes]:
        for text in _bodies(answer):
            if not message.is_request and answer.status < 400:
                return
            record = parse_answer(text) or {}
            if answer.status == 503 and _code(record) != LASTING:
                raise _Busy(answer.status, record)
            if "method" in record:
                yield text
            elif {"result", "error"} & record.keys():
                yield self._response(message, record, text)
                return
            else:
                raise Refused(answer.status, record)
        if message.is_request:
            raise AnswerLost("The server ended its stream without the answer.")

    def _response(self, message: Message, record: dict[str, Any], text: bytes) -> bytes:
        """The response as it came; under the request's id where the server could not name it."""
        result, error = record.get("result"), record.get("error")
        if message.method == "initialize" and isinstance(result, dict):
            version = result.get("protocolVersion")
            self._version = version if isinstance(version, str) else None
        if record.get("id") is not None or not isinstance(error, dict):
            return text
        data = error.get("data")
        code = error.get("code")
        return error_line(
            message.request_id,
            code if isinstance(code, int) else INTERNAL_ERROR,
            str(error.get("message", "")),
            data if isinstance(data, dict) else None,
        )

    def _connect(self, deadline: float | None) -> Connection:
        run = read_run_file(self._run_file)
        if run is None:
            raise ServerAway("No Waypost server runs for this store.")
        return Connection(run, deadline)

    def _headers(self) -> dict[str, str]:
        headers = {"Waypost-Door": "bridge"}
        if self._directory:
            headers["Waypost-Directory"] = self._directory
        if self._client:
            headers["Waypost-Client"] = self._client
        return headers


def _bodies(answer: Answer) -> Iterator[bytes]:
    """The JSON texts of an answer: its events, or its one body."""
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        from waypost.client.events import read_events  # noqa: PLC0415 - most answers are plain JSON

        return read_events(answer.pieces())
    return iter((answer.read(),))


def _code(record: dict[str, Any]) -> object:
    """The code of a refusal, in a problem document or in the data of a JSON-RPC error."""
    error = record.get("error")
    data = error.get("data") if isinstance(error, dict) else record
    return data.get("code") if isinstance(data, dict) else None
