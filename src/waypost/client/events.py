"""Server-sent events: the data of each event in a stream of bytes, as it comes. Bytes stay bytes; names and ids are passed over."""

from __future__ import annotations

from waypost.client.errors import AnswerTooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["read_events"]

MAX_EVENT_BYTES = 64 * 1024 * 1024


def read_events(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The data of each event, its lines joined by a line feed; comments (pings) and events without data are left out.

    An event that the stream's end cuts off is dropped, as the standard says. Raises `AnswerTooLarge` above 64 MiB.
    """
    data: list[bytes] = []
    size = 0
    for line in _lines(pieces):
        if not line:
            if data:
                yield b"\n".join(data)
            data, size = [], 0
        elif line == b"data" or line.startswith(b"data:"):
            value = line[5:].removeprefix(b" ")
            data.append(value)
            size += len(value)
            if size > MAX_EVENT_BYTES:
                raise AnswerTooLarge(f"One event of the server is above {MAX_EVENT_BYTES} bytes.")


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their ends, which may be CR LF, LF or CR; the CR of a pair may close one piece and the LF open the next."""
    parts: list[bytes] = []
    size = 0
    after_return = False
    for piece in pieces:
        text = piece[1:] if after_return and piece.startswith(b"\n") else piece
        after_return = piece.endswith(b"\r") if piece else after_return
        lines = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for line in lines[:-1]:
            yield b"".join([*parts, line])
            parts, size = [], 0
        parts.append(lines[-1])
        size += len(lines[-1])
        if size > MAX_EVENT_BYTES:
            raise AnswerTooLarge(f"One line of the server's events is above {MAX_EVENT_BYTES} bytes.")
