"""One client at the bridge: takes its lines in order, keeps what is in flight, and cancels what the client cancels.

`initialize` is relayed before the next line is read, so that its answer is first. The threads are made only after the
first answer is out, because the agent waits for that one.
"""

from __future__ import annotations

from _thread import allocate_lock

from waypost.bridge.lines import LongLine, Output
from waypost.bridge.messages import INVALID_REQUEST, BadMessage, Message, error_line, parse_message
from waypost.bridge.relay import Call, Relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from waypost.bridge.pool import Pool
    from waypost.bridge.registration import Registration

__all__ = ["Session"]

MAX_THREADS = 16


class Session:
    """Created once for the life of the bridge; `take` and `finish` are called by one thread."""

    def __init__(self, relay: Relay, directory: str | None, output: Output) -> None:
        self._relay = relay
        self._directory = directory
        self._output = output
        self._lock = allocate_lock()
        self._in_flight: dict[tuple[type, Any], Call] = {}
        self._pool: Pool | None = None
        self._registration: Registration | None = None

    def take(self, line: bytes | LongLine) -> None:
        """Handles one line. What is no message gets its error at once."""
        if isinstance(line, LongLine):
            text = b'{"jsonrpc":"2.0","id":%b,"error":{"code":%d,"message":"The message is above 16 MiB and was not read."}}'
            self._output.write(text % (line.id_text(), INVALID_REQUEST))
            return
        try:
            message = parse_message(line)
        except BadMessage as bad:
            self._output.write(error_line(bad.request_id, bad.code, bad.text))
            return
        if message.method == "initialize":
            self._relay.forward(message, Call())
            self._begin_registration()
            return
        if message.method == "notifications/cancelled":
            self._cancel(message)
        self._submit(message)
        self._begin_registration()

    def finish(self, seconds: float) -> None:
        """Lets what is in flight end, within `seconds`."""
        if self._pool is not None:
            self._pool.drain(seconds)

    def _submit(self, message: Message) -> None:
        if self._pool is None:
            from waypost.bridge.pool import Pool  # noqa: PLC0415 - see the module's docstring

            self._pool = Pool(MAX_THREADS)
        call = Call()
        if message.is_request:
            with self._lock:
                self._in_flight[message.call_id] = call
        self._pool.submit(lambda: self._run(message, call))

    def _run(self, message: Message, call: Call) -> None:
        try:
            if message.method == "tools/call" and self._registration is not None and not call.cancelled:
                self._registration.wait()
            self._relay.forward(message, call)
        finally:
            if message.is_request:
                with self._lock:
                    if self._in_flight.get(message.call_id) is call:
                        del self._in_flight[message.call_id]

    def _cancel(self, message: Message) -> None:
        request_id = message.params.get("requestId")
        if isinstance(request_id, (str, int, float)):
            with self._lock:
                call = self._in_flight.get((type(request_id), request_id))
            if call is not None:
                call.cancel()

    def _begin_registration(self) -> None:
        if self._directory is not None and self._registration is None:
            from waypost.bridge.registration import Registration  # noqa: PLC0415 - see the module's docstring

            self._registration = Registration(self._relay, self._directory)
            self._registration.begin()
