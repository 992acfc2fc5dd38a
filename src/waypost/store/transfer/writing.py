"""Writes a store as lines: the header, every record of every table in order, the closing line with counts and sum.

Rows come from one snapshot and pass through one by one, so that memory does not grow with the store. After each batch the other
threads of the process get their turn. Knows no engine and no file.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from waypost.store.interface import Value
from waypost.store.transfer.lines import Closing, Header, record_writer, write_closing, write_header
from waypost.store.transfer.tables import Table

__all__ = ["Source", "Written", "write_export"]

LINES_AT_ONCE: Final = 100
BREATH_SECONDS: Final = 0.0002
"""Encoding holds the interpreter; a server's other threads must not wait for a long export's every batch."""


class Source(Protocol):
    """One consistent snapshot of a store."""

    def header(self) -> Header:
        """What the store is, as of the snapshot."""
        ...

    def tables(self) -> Sequence[Table]:
        """What it holds, in the order in which it is written."""
        ...

    def rows(self, table: Table) -> Iterator[Sequence[Value]]:
        """The rows of a table by its key, as they come from the engine, never all at once."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What was written: the header, and how many records of each table."""

    header: Header
    counts: Mapping[str, int]

    @property
    def records(self) -> int:
        """All records."""
        return sum(self.counts.values())


def write_export(source: Source, write: Callable[[bytes], object]) -> Written:
    """Writes the whole snapshot by `write`, some lines at a time."""
    digest = hashlib.sha256()

    def out(piece: bytes) -> None:
        digest.update(piece)
        write(piece)

    header = source.header()
    out(write_header(header))
    counts: dict[str, int] = {}
    for table in source.tables():
        counts[table.name] = _write_table(source, table, out)
    write(write_closing(Closing(counts=counts, sha256=digest.hexdigest())))
    return Written(header=header, counts=counts)


def _write_table(source: Source, table: Table, out: Callable[[bytes], None]) -> int:
    encode = record_writer(table)
    count, lines = 0, []
    for row in source.rows(table):
        lines.append(encode(row))
        count += 1
        if len(lines) == LINES_AT_ONCE:
            out(b"".join(lines))
            lines.clear()
            time.sleep(BREATH_SECONDS)
    out(b"".join(lines))
    return count
