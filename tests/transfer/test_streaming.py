"""However large a store is, an export holds some lines in memory and an import some more: nothing reads or writes it whole."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from tests.promises.marks import promise
from tests.transfer.test_lines import TABLE
from waypost.store.interface import Value
from waypost.store.migrations import Applied
from waypost.store.transfer.lines import Header
from waypost.store.transfer.reading import RECORDS_AT_ONCE, Export, Numbered, load
from waypost.store.transfer.tables import Table
from waypost.store.transfer.writing import LINES_AT_ONCE, write_export

ROWS = 2_000


class LongSource:
    """A store of many rows, which counts how many were asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def header(self) -> Header:
        steps = (Applied(version=1, name="store", checksum="0" * 64),)
        return Header(store_id="s", created_at=1, epoch=1, exported_at=2, waypost_version="0.1.0", migrations=steps)

    def tables(self) -> Sequence[Table]:
        return (TABLE,)

    def rows(self, table: Table) -> Iterator[Sequence[Value]]:
        assert table is TABLE
        for number in range(ROWS):
            self.asked += 1
            yield (f"{number:06}", None, number, None, b"x")


class OnlyLines:
    """A file that gives one line at a time and nothing else."""

    def __init__(self, content: bytes) -> None:
        self._file = io.BytesIO(content)
        self.given = 0

    def seek(self, place: int) -> int:
        return self._file.seek(place)

    def readline(self, most: int) -> bytes:
        assert most > 0
        self.given += 1
        return self._file.readline(most)


@promise("store.export.bounded")
def test_an_export_asks_for_rows_as_it_writes_them() -> None:
    source, written = LongSource(), 0

    def take(piece: bytes) -> None:
        nonlocal written
        assert source.asked <= written + LINES_AT_ONCE
        written += piece.count(b"\n")

    assert write_export(source, take).records == ROWS
    assert written == ROWS + 2


@promise("store.export.bounded")
def test_an_import_reads_line_by_line_and_hands_on_batches() -> None:
    content: list[bytes] = []
    write_export(LongSource(), content.append)
    file = OnlyLines(b"".join(content))
    export = Export(file)  # type: ignore[arg-type] # what else a file can do is what must not be used
    export.check()
    file.given = 0
    sizes: list[int] = []

    def put(table: Table, batch: Numbered) -> None:
        sizes.append(len(batch))
        assert file.given <= sum(sizes) + 3

    load(export, (TABLE,), put)
    assert (sum(sizes), max(sizes)) == (ROWS, RECORDS_AT_ONCE)
