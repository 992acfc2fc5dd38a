"""The lines of an export: how header, records and the closing line are written down, and how strictly they are read.

One line is one JSON object in UTF-8 without spaces; text stands as it is, an integer has 64 bits, bytes are base64. What is read
back equals what was written, on every engine. Every fault names its line and never repeats what stands there.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from waypost.kernel.errors import InvalidInput
from waypost.store.interface import Value
from waypost.store.migrations import Applied
from waypost.store.transfer.tables import Column, Table

__all__ = [
    "FORMAT",
    "BrokenLine",
    "Closing",
    "Header",
    "broken",
    "read_closing",
    "read_header",
    "record_reader",
    "record_writer",
    "table_of",
    "write_closing",
    "write_header",
]

FORMAT: Final = 1
LEAST, MOST = -(2**63), 2**63 - 1
RECORD: Final = re.compile(rb'\{"table":"([a-z][a-z0-9_]*)"[,}]')
PLAIN: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")
SUM: Final = re.compile(r"[0-9a-f]{64}")
AGAIN: Final = "Make the export again, and copy the file whole."

Values = tuple[Value, ...]
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class BrokenLine(InvalidInput):
    """A line that is not what the format says. The file was read no further and nothing was imported."""

    title = "The export cannot be read"
    hint_by_default = AGAIN


def broken(line: int, words: str) -> BrokenLine:
    """The refusal of a file for what one of its lines holds."""
    return BrokenLine(f"Line {line} of the export {words}. Nothing was imported.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """What an export says of itself: the store that it was, as of which moment, and the migrations that its tables went through."""

    store_id: str
    created_at: int
    epoch: int
    exported_at: int
    waypost_version: str
    migrations: tuple[Applied, ...]

    @property
    def schema(self) -> int:
        """The number of the last migration."""
        return self.migrations[-1].version


@dataclass(frozen=True, kw_only=True, slots=True)
class Closing:
    """The last line: how many records of each table there are, and the SHA-256 of every line before."""

    counts: Mapping[str, int]
    sha256: str


def write_header(header: Header) -> bytes:
    """The first line."""
    steps = [{"version": step.version, "name": step.name, "checksum": step.checksum} for step in header.migrations]
    fields = {
        "waypost_export": FORMAT,
        "schema": header.schema,
        "store_id": header.store_id,
        "created_at": header.created_at,
        "epoch": header.epoch,
        "exported_at": header.exported_at,
        "waypost_version": header.waypost_version,
        "migrations": steps,
    }
    return _encode(fields).encode() + b"\n"


def read_header(line: bytes) -> Header:
    """The first line's meaning. Refuses (`invalid_input`) what is no export, and a format that this Waypost does not know."""
    try:
        fields = _object(line, 1)
    except BrokenLine:
        fields = {}
    given = fields.get("waypost_export")
    if type(given) is not int:
        raise BrokenLine(
            "This is no export of Waypost. Nothing was imported.",
            hint="Pass a file that `waypost export` wrote; what `waypost backup` wrote is brought back by `waypost restore`.",
        )
    if given != FORMAT:
        raise BrokenLine(
            f"The export has the format {given}; this Waypost reads {FORMAT}. Nothing was imported.",
            hint="Upgrade this Waypost.",
        )
    try:
        header = _header(fields)
    except (KeyError, TypeError, ValueError):
        raise broken(1, "is no header as the format says") from None
    return header


def _header(fields: Mapping[str, Any]) -> Header:
    steps = tuple(
        Applied(version=_number(step["version"]), name=_text(step["name"]), checksum=_text(step["checksum"]))
        for step in fields["migrations"]
    )
    if [step.version for step in steps] != list(range(1, _number(fields["schema"]) + 1)) or not steps:
        raise ValueError
    return Header(
        store_id=_text(fields["store_id"]),
        created_at=_number(fields["created_at"]),
        epoch=_number(fields["epoch"]),
        exported_at=_number(fields["exported_at"]),
        waypost_version=_text(fields["waypost_version"]),
        migrations=steps,
    )


def write_closing(closing: Closing) -> bytes:
    """The last line."""
    counts = dict(closing.counts)
    fields = {"closing": True, "records": sum(counts.values()), "counts": counts, "sha256": closing.sha256}
    return _encode(fields).encode() + b"\n"


def read_closing(line: bytes, number: int) -> Closing:
    """The last line's meaning. Refuses (`invalid_input`) any other line: the file was cut."""
    cut = broken(number, "is not the closing line: the file was cut, or something was added to it")
    try:
        fields = _object(line, number)
    except BrokenLine:
        raise cut from None
    counts, sha256 = fields.get("counts"), fields.get("sha256")
    if not isinstance(counts, dict) or not isinstance(sha256, str) or not SUM.fullmatch(sha256):
        raise cut
    closing = Closing(counts=counts, sha256=sha256)
    if not all(type(count) is int for count in counts.values()) or write_closing(closing) != line:
        raise cut
    return closing


def table_of(line: bytes, number: int) -> str:
    """Which table a record is of, which stands first in its line. Refuses (`invalid_input`) what is no record."""
    found = RECORD.match(line)
    if found is None:
        raise broken(number, "is no record")
    return found[1].decode("ascii")


def record_writer(table: Table) -> Callable[[Sequence[Value]], bytes]:
    """Turns the values of a row, in the order of the table's columns, into its line."""
    names = ("table", *table.names)
    blobs = [place for place, column in enumerate(table.columns) if column.kind == "blob"]

    def write(values: Sequence[Value]) -> bytes:
        if blobs:
            values = list(values)
            for place in blobs:
                values[place] = _base64(values[place])
        return _encode(dict(zip(names, (table.name, *values), strict=True))).encode() + b"\n"

    return write


def record_reader(table: Table) -> Callable[[bytes, int], Values]:
    """Turns a line into the values of its row. Refuses (`invalid_input`, naming the line) a column that is missing or unknown, and a
    value that the column does not take."""
    expected = {"table", *table.names}
    checks = [(column.name, column, CHECKS[column.kind]) for column in table.columns]

    def read(line: bytes, number: int) -> Values:
        fields = _object(line, number)
        if fields.keys() != expected:
            raise broken(number, _other_columns(table, fields, expected))
        try:
            values = tuple(
                check(fields[name], column) if fields[name] is not None else _nothing(column)
                for name, column, check in checks
            )
        except Unfit as unfit:
            raise broken(number, f"holds a value that {table.name}.{unfit} does not take") from None
        if b"\\u" in line and any(isinstance(value, str) and not _storable(value) for value in values):
            raise broken(number, "holds text with characters that cannot be stored")
        return values

    return read


class Unfit(Exception):
    """A value that its column does not take; the message is the column's name."""


def _as_text(value: object, column: Column) -> Value:
    if not isinstance(value, str):
        raise Unfit(column.name)
    return value


def _as_integer(value: object, column: Column) -> Value:
    if type(value) is not int or not LEAST <= value <= MOST:
        raise Unfit(column.name)
    return value


def _as_bytes(value: object, column: Column) -> Value:
    try:
        found = base64.b64decode(value, validate=True) if isinstance(value, str) else None
    except (binascii.Error, ValueError):
        found = None
    if found is None or _base64(found) != value:
        raise Unfit(column.name)
    return found


CHECKS: Final[dict[str, Callable[[object, Column], Value]]] = {
    "text": _as_text,
    "integer": _as_integer,
    "blob": _as_bytes,
}


def _nothing(column: Column) -> Value:
    if not column.nullable:
        raise Unfit(column.name)
    return None


def _base64(value: Value) -> Value:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else value


def _storable(text: str) -> bool:
    """Whether every engine can store it: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)


def _other_columns(table: Table, fields: Mapping[str, object], expected: set[str]) -> str:
    unknown = sorted(fields.keys() - expected)
    if not unknown:
        return f"lacks the column {min(expected - fields.keys())} of {table.name}"
    named = f" ({unknown[0]})" if PLAIN.fullmatch(unknown[0]) else ""
    return f"holds a column{named} that {table.name} does not have"


def _object(line: bytes, number: int) -> dict[str, Any]:
    """The line as one JSON object. Refuses other JSON, a name that stands twice, and what is no UTF-8."""
    try:
        found = _decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise broken(number, "is not one whole JSON object") from None
    if not isinstance(found, dict):
        raise broken(number, "is not one whole JSON object")
    return found


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST:
        raise TypeError
    return value


_decode: Final[Callable[[str], object]] = json.JSONDecoder(
    object_pairs_hook=_without_doubles, parse_constant=_no_constant
).decode
