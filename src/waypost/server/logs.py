"""The server's log: JSON lines in a file that rotates, the same events as human lines on a terminal. Never a body, key or link.

Our own events come through structlog; what libraries say through the standard library's logging ends in the same file. Of a
failure only its type and the places it went through are kept, because an exception's words may hold what somebody sent.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
import traceback
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import structlog
from structlog.typing import FilteringBoundLogger

__all__ = ["Log", "LogFile", "describe_failure", "event_log", "open_log", "silent_log"]

MOST_BYTES = 10_000_000
KEPT_FILES = 5
FLUSH_SECONDS = 0.2
MOST_BUFFERED = 64

QUIET = ("mcp", "uvicorn", "asyncio")
"""Libraries whose warnings are enough."""

Event = MutableMapping[str, Any]
Log = FilteringBoundLogger


class LogFile:
    """A file of lines, rotated at a size. Lines written on the event loop are gathered for a moment; all others go out at once."""

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES, kept: int = KEPT_FILES) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._kept = kept
        self._gate = threading.Lock()
        self._lines: list[str] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: int | None = None
        self._file: TextIO | None = None
        self._size = 0
        self._closed = False

    def gather_on(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Lines written on this loop's thread, which is the caller's, are gathered from now on; with None no more."""
        self._loop, self._thread = loop, threading.get_ident() if loop is not None else None
        self.flush()

    def write(self, line: str) -> None:
        """Adds one line, without its end. After `close` it is dropped."""
        with self._gate:
            if self._closed:
                return
            self._lines.append(line)
            loop = self._loop if threading.get_ident() == self._thread else None
            if loop is None or loop.is_closed() or len(self._lines) >= MOST_BUFFERED:
                self._flush()
            elif len(self._lines) == 1:
                loop.call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Writes what was gathered."""
        with self._gate:
            self._flush()

    def close(self) -> None:
        """Writes what was gathered and closes the file. Idempotent."""
        with self._gate:
            self._loop = self._thread = None
            self._closed = True
            self._flush()
            if self._file is not None:
                self._file.close()
                self._file = None

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        if not lines:
            return
        text = "\n".join([*lines, ""])
        try:
            file = self._file or self._open()
            if self._size and self._size + len(text) > self._most_bytes:
                file = self._rotate(file)
            file.write(text)
            file.flush()
        except OSError:  # a full disk must stop nobody's mail; the lines are lost
            return
        self._size += len(text)

    def _open(self) -> TextIO:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._file = os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")
        self._size = self._file.tell()
        return self._file

    def _rotate(self, file: TextIO) -> TextIO:
        file.close()
        self._file = None
        for number in range(self._kept - 1, 0, -1):
            older = self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))
        return self._open()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path


def open_log(file: LogFile, terminal: TextIO | None = None) -> tuple[Log, Callable[[], None]]:
    """A log that writes to the file, and human lines to the terminal where one is given; libraries' words go the same way.
    The call ends that and closes the file."""

    def write(event: Event) -> None:
        file.write(ENCODE(event))
        if terminal is not None:
            terminal.write(f"{_human(event)}\n")

    handler = _Sink(write)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)

    def end() -> None:
        root.removeHandler(handler)
        root.setLevel(before)
        for name in QUIET:
            logging.getLogger(name).setLevel(logging.NOTSET)
        file.close()

    return event_log(write), end


def event_log(write: Callable[[Event], None]) -> Log:
    """A log whose finished events go to `write`."""
    log: Log = structlog.wrap_logger(
        _Writer(write), processors=[_stamp], wrapper_class=structlog.make_filtering_bound_logger(logging.INFO)
    ).bind()
    return log


def silent_log() -> Log:
    """A log that keeps nothing."""
    return event_log(lambda event: None)  # noqa: ARG005 - nothing is kept


def describe_failure(error: BaseException) -> dict[str, object]:
    """What a log keeps of a failure: its type and its places, and the same of what caused it."""
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    described: dict[str, object] = {"failure": type(error).__qualname__, "places": places}
    if error.__cause__ is not None:
        described["cause"] = describe_failure(error.__cause__)
    return described


class _Writer:
    """What structlog hands finished events to."""

    __slots__ = ("_write",)

    def __init__(self, write: Callable[[Event], None]) -> None:
        self._write = write

    def msg(self, **event: Any) -> None:
        self._write(event)

    debug = info = warning = error = critical = msg


class _Sink(logging.Handler):
    """Takes what libraries log."""

    def __init__(self, write: Callable[[Event], None]) -> None:
        super().__init__(logging.INFO)
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        event: Event = {
            "at": _instant(record.created),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "logger": record.name,
        }
        if record.exc_info and record.exc_info[1] is not None:
            event.update(describe_failure(record.exc_info[1]))
        self._write(event)


def _stamp(_logger: object, level: str, event: Event) -> Event:
    return {"at": _now(), "level": level, "event": event.pop("event"), **event}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _type_name(value: object) -> str:
    return type(value).__qualname__


def _human(event: Event) -> str:
    """One line for a person: local time, then the request or the event with its fields."""
    clock = datetime.fromisoformat(str(event["at"])).astimezone().strftime("%H:%M:%S")
    if event["event"] == "request":
        code = f" {event['code']}" if event.get("code") else ""
        return f"{clock} {event['method']} {event['route']} {event['status']}{code} {event['ms']} ms"
    level = "" if event["level"] == "info" else f"{event['level']}: "
    fields = " ".join(
        f"{name}={value}" for name, value in event.items() if name not in {"at", "level", "event", "logger"}
    )
    return f"{clock} {level}{event['event']} {fields}".rstrip()


ENCODE = json.JSONEncoder(default=_type_name, separators=(",", ":")).encode
"""Made once, because every request writes a line."""
