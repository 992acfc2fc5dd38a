"""Reads an export twice: once whole, to see that it is neither cut nor altered, and once record by record, to load it.

Nothing is loaded before the first reading is over. One line and one batch are in memory at a time. The second reading computes
the sum again, so that a file that changed in between is refused too. Knows no engine.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, Final, Protocol

from waypost.store.transfer.lines import (
    BrokenLine,
    Closing,
    Header,
    Values,
    broken,
    read_closing,
    read_header,
    record_reader,
    table_of,
)
from waypost.store.transfer.tables import Table

__all__ = ["Export", "Numbered", "Put", "load"]

LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes; above what any record can have."""
RECORDS_AT_ONCE: Final = 500

Numbered = list[tuple[int, Values]]
"""Rows of one table, each with the number of its line."""


class Put(Protocol):
    """Takes a batch of one table's rows. Refuses (`invalid_input`), naming the line, what the table does not take."""

    def __call__(self, table: Table, batch: Numbered, /) -> None: ...


class Export:
    """An export in a file that can be read again from its beginning. `check` comes first."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._header: Header | None = None
        self._closing: Closing | None = None

    @property
    def header(self) -> Header:
        """What the first line says, once the file was checked."""
        assert self._header is not None
        return self._header

    @property
    def counts(self) -> Mapping[str, int]:
        """How many records of each table there are, once the file was checked."""
        assert self._closing is not None
        return self._closing.counts

    def check(self) -> Header:
        """Reads the whole file. Refuses (`invalid_input`) one that was cut, altered or is no export."""
        digest, counts, before, last = hashlib.sha256(), Counter[str](), b"", 0
        header: Header | None = None
        for number, line in self._lines():
            if header is None:
                header = read_header(line)
            elif number > 2:
                counts[table_of(before, last)] += 1
            if before:
                digest.update(before)
            before, last = line, number
        if header is None:
            header = read_header(b"")
        if last == 1:
            raise broken(2, "is missing: the file was cut")
        closing = read_closing(before, last)
        if closing.sha256 != digest.hexdigest() or dict(counts) != {k: n for k, n in closing.counts.items() if n}:
            raise broken(last, "has another sum than the lines before it: the file was altered")
        self._header, self._closing = header, closing
        return header

    def records(self) -> Iterator[tuple[int, bytes]]:
        """The lines between header and closing line, with their numbers, of the file that was checked. Refuses (`invalid_input`) at
        the end where it is another one by now."""
        assert self._closing is not None
        digest, before = hashlib.sha256(), b""
        for number, line in self._lines():
            if before:
                digest.update(before)
                if number > 2:
                    yield number - 1, before
            before = line
        if digest.hexdigest() != self._closing.sha256:
            raise broken(1, "and others changed while the file was read")

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        self._file.seek(0)
        number = 0
        while line := self._file.readline(LONGEST_LINE):
            number += 1
            if not line.endswith(b"\n"):
                words = "is too long" if len(line) == LONGEST_LINE else "has no end: the file was cut"
                raise read_or_broken(number, line, words)
            yield number, line


def read_or_broken(number: int, line: bytes, words: str) -> Exception:
    """The refusal of a line without an end; where it is the first one, the file may be no export at all, which is said then."""
    if number == 1:
        read_header(line)
    return broken(number, words)


def load(export: Export, tables: Sequence[Table], put: Put) -> None:
    """Hands every record of a checked export to `put`, in order and in batches. Refuses (`invalid_input`, naming the line) an unknown
    table, an unknown or missing column, and a value that is none of its column's."""
    known = {table.name: (table, record_reader(table)) for table in tables}
    name, batch = "", Numbered()
    for number, line in export.records():
        found = table_of(line, number)
        if (found != name or len(batch) == RECORDS_AT_ONCE) and batch:
            put(known[name][0], batch)
            batch = []
        if found not in known:
            raise broken(number, f"is of the table {found[:60]}, which schema {export.header.schema} does not have")
        name = found
        batch.append((number, known[name][1](line, number)))
    if batch:
        put(known[name][0], batch)
    if export.counts.keys() != known.keys():
        raise BrokenLine(
            f"The closing line of the export counts other tables than schema {export.header.schema} has. Nothing was imported."
        )
