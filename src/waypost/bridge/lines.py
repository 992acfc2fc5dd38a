"""Lines in and lines out. Standard output carries nothing but JSON-RPC: the descriptor is taken away from everybody else."""

from __future__ import annotations

import os

# `threading` is loaded only after the first answer; this is the lock that it is made of.
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Input", "LongLine", "Output"]

MAX_LINE_BYTES = 16 * 1024 * 1024
READ_BYTES = 65_536
# How much of each end of a long line is kept, to find the id of the request.
END_BYTES = 512

# The id where it is the first or the last of the object's members that were kept; the others seen are plain strings.
_ID = rb'"id"\s*:\s*(-?\d{1,20}|"[^"\\]{0,200}")'
_FIRST = rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*' + _ID + rb"\s*,"
_LAST = rb"[,{]\s*" + _ID + rb'\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$'


class LongLine:
    """A line above the limit, of which only the two ends were kept."""

    __slots__ = ("head", "tail")

    def __init__(self, head: bytes, tail: bytes) -> None:
        self.head = head
        self.tail = tail

    def id_text(self) -> bytes:
        """The id of the request as JSON, where it stands first or last in the object, as all known clients write it; else null."""
        import re  # noqa: PLC0415 - patterns are compiled only for such a line

        found = re.match(_FIRST, self.head) or re.search(_LAST, self.tail)
        return found.group(1) if found else b"null"


class Input:
    """The lines of a descriptor until its end, or until a byte comes at `wake`, the descriptor that signals write to."""

    __slots__ = ("_descriptor", "_most", "_woken", "wake")

    def __init__(self, descriptor: int, most: int = MAX_LINE_BYTES) -> None:
        self._descriptor = descriptor
        self._most = most
        self._woken = False
        self.wake: int | None = None

    def lines(self) -> Iterator[bytes | LongLine]:
        """Lines without their ends; empty ones are left out, and the last of the input needs no end."""
        line = bytearray()
        long: LongLine | None = None
        while piece := self._read():
            *ended, rest = piece.split(b"\n")
            for part in ended:
                line += part
                if long is None and len(line) <= self._most:
                    if text := bytes(line).strip():
                        yield text
                else:
                    yield LongLine(long.head if long else bytes(line[:END_BYTES]), bytes(line[-END_BYTES:]))
                line, long = bytearray(), None
            line += rest
            if long or len(line) > self._most:
                long = long or LongLine(bytes(line[:END_BYTES]), b"")
                del line[:-END_BYTES]
        if not self._woken and not long and (text := bytes(line).strip()):
            yield text

    def _read(self) -> bytes:
        try:
            if self.wake is not None:
                import select  # noqa: PLC0415 - loaded with the signals, after the first answer

                if self.wake in select.select([self._descriptor, self.wake], [], [])[0]:
                    self._woken = True  # a line that had only begun is no message
                    return b""
            return os.read(self._descriptor, READ_BYTES)
        except OSError:
            return b""


class Output:
    """Whole lines to a descriptor, from any thread, one at a time."""

    __slots__ = ("_descriptor", "_lock", "closed")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = allocate_lock()
        self.closed = False

    def write(self, message: bytes) -> None:
        """Writes one JSON text as one line. Line breaks in JSON stand only between tokens, so that blanks may replace them."""
        view = memoryview(message.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
        with self._lock:
            while view and not self.closed:
                try:
                    view = view[os.write(self._descriptor, view) :]
                except BlockingIOError:
                    self._wait()
                except OSError:
                    self.closed = True  # the client has gone; its next sign is the end of standard input

    def _wait(self) -> None:
        """Waits until a descriptor that the client made non-blocking takes bytes again."""
        import select  # noqa: PLC0415 - only for such clients

        select.select([], [self._descriptor], [])
