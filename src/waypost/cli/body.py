"""Where a message's body comes from: the argument, `--body-file`, `--stdin`, or standard input that is no terminal.

Never reads a terminal. Bytes that are no UTF-8 stay as they are, so that the operation refuses them as it does everywhere.
"""

from __future__ import annotations

import sys

import click

from waypost.kernel.errors import InvalidInput, RequestTooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

__all__ = ["read_body"]

LONG_ARGUMENT = 1_000
MAX_BYTES = 1_000_000
"""As much as the server takes in one request."""


def read_body(params: dict[str, object], note: Callable[[str], None]) -> str:
    """The body, taken out of a command's parameters. Bad usage where two sources are named, or none is there; refuses
    `invalid_input` for a file that cannot be read and for more than 1,000,000 bytes."""
    argument, file, stdin = params.pop("body"), params.pop("body_file"), params.pop("stdin")
    if sum(source not in {None, False} for source in (argument, file, stdin)) > 1:
        raise click.UsageError("Give the body once: as an argument, by --body-file, or by --stdin.")
    if argument is not None:
        text = str(argument)
        if len(text) > LONG_ARGUMENT:
            note("warning: the body is a long argument; shells cut and expand those. Use --body-file or --stdin.")
        return text
    if file is not None:
        return _from_file(str(file))
    if stdin:
        if sys.stdin is None or sys.stdin.isatty():
            raise click.UsageError("--stdin was given, but standard input is a terminal.")
        return _decode(_bounded(sys.stdin.buffer, "standard input"))
    if sys.stdin is not None and not sys.stdin.isatty():
        text = _decode(_bounded(sys.stdin.buffer, "standard input"))
        if text:
            return text
    raise click.UsageError("No body: give it as an argument, by --body-file, by --stdin, or on standard input.")


def _from_file(path: str) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs a part of the whole start
            return _decode(_bounded(file, "the body's file"))
    except OSError as error:
        raise InvalidInput(
            f"The body's file cannot be read: {error.strerror}. Nothing was sent.", hint="Name a readable file."
        ) from None


def _bounded(stream: BinaryIO, what: str) -> bytes:
    raw = stream.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise RequestTooLarge(f"{what} holds more than {MAX_BYTES} bytes. Nothing was sent.", hint="Send less.")
    return raw


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
