"""The lines of an export: what is written is read back equal, and nothing else is read."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from tests.transfer.filling import Schema, made_up, seal
from waypost.kernel.errors import InvalidInput
from waypost.store.interface import Value
from waypost.store.transfer.lines import BrokenLine, record_reader, record_writer
from waypost.store.transfer.reading import Export, load
from waypost.store.transfer.tables import Column, Table, in_order, kind_of

TABLE = Table(
    name="things",
    columns=(
        Column(name="name", kind="text", nullable=False),
        Column(name="note", kind="text", nullable=True),
        Column(name="size", kind="integer", nullable=False),
        Column(name="left", kind="integer", nullable=True),
        Column(name="raw", kind="blob", nullable=True),
    ),
    key=("name",),
    parents=frozenset(),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBER = st.integers(-(2**63), 2**63 - 1)
ROW = st.tuples(TEXT, st.none() | TEXT, NUMBER, st.none() | NUMBER, st.none() | st.binary())

read, write = record_reader(TABLE), record_writer(TABLE)


def other(**fields: object) -> bytes:
    """A record of the table with these fields instead of the right ones, as JSON writes them."""
    import json  # noqa: PLC0415 - only here

    right = {"table": "things", "name": "a", "note": None, "size": 1, "left": None, "raw": None}
    return json.dumps({**right, **fields}).encode() + b"\n"


@promise("store.export.documented")
@given(ROW)
def test_a_row_is_read_back_as_it_was_written_on_one_line(row: tuple[Value, ...]) -> None:
    line = write(row)
    assert line.count(b"\n") == 1
    assert line.endswith(b"}\n")
    assert read(line, 2) == row
    assert write(read(line, 2)) == line


@promise("store.import.refused_by_line")
@pytest.mark.parametrize(
    "line",
    [
        other(name=None),
        other(name=7),
        other(size="7"),
        other(size=1.0),
        other(size=True),
        other(size=2**63),
        other(size=-(2**63) - 1),
        other(raw="no base64"),
        other(raw="QQ"),
        other(raw="QR=="),
        other(raw=7),
        other(name="a\0b"),
        other(name="\ud800"),
        other(more=1),
        b'{"table":"things","name":"a"}\n',
        b'{"table":"things","name":"a","note":null,"size":1,"left":null,"raw":null,"size":1}\n',
        b'{"table":"things","name":"a","note":null,"size":NaN,"left":null,"raw":null}\n',
        b'{"table":"things","name":"\xff","note":null,"size":1,"left":null,"raw":null}\n',
        b'{"table":"things","name":"a","note":null,"size":1\n',
        b"[]\n",
        b"[" * 100_000 + b"\n",
        b'{"table":"things","size":' + b"9" * 5_000 + b"}\n",
    ],
)
def test_a_record_with_anything_else_is_refused_by_its_line(line: bytes) -> None:
    with pytest.raises(BrokenLine, match=r"^Line 17 of the export .* Nothing was imported\.$"):
        read(line, 17)


@promise("store.export.sum")
def test_a_file_that_was_cut_at_any_byte_is_refused(schema: Schema) -> None:
    lines = [line for line in made_up(schema, 1).splitlines(keepends=True)[1:-1] if len(line) < 300][:8]
    whole = seal(lines, [table.name for table in schema.tables])
    assert Export(io.BytesIO(whole)).check().schema == len(Export(io.BytesIO(whole)).check().migrations)
    for end in range(len(whole)):
        with pytest.raises(InvalidInput):
            Export(io.BytesIO(whole[:end])).check()


def read_whole(schema: Schema, content: bytes) -> None:
    """Reads an export as an import does, and stores nothing."""
    export = Export(io.BytesIO(content))
    export.check()
    load(export, schema.tables, lambda table, batch: None)


@promise("store.export.sum")
def test_a_file_with_any_byte_changed_or_anything_added_is_refused(schema: Schema) -> None:
    lines = [line for line in made_up(schema, 1).splitlines(keepends=True)[1:-1] if len(line) < 300][:8]
    whole = seal(lines, [table.name for table in schema.tables])
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1
        with pytest.raises(InvalidInput):
            read_whole(schema, bytes(changed))
    for more in (b"\n", b" ", b"{}\n", whole):
        with pytest.raises(InvalidInput):
            Export(io.BytesIO(whole + more)).check()
    first, second, third, *rest = whole.splitlines(keepends=True)
    with pytest.raises(InvalidInput, match="altered"):
        Export(io.BytesIO(b"".join([first, third, second, *rest]))).check()


@promise("store.export.sum")
def test_a_file_that_changes_between_its_two_readings_is_refused(schema: Schema) -> None:
    file = io.BytesIO(made_up(schema, 1))
    export = Export(file)
    export.check()
    other_file = made_up(schema, 2)
    file.seek(0)
    file.write(other_file)
    file.truncate()
    with pytest.raises(InvalidInput, match="changed while"):
        list(export.records())


@promise("store.export.documented")
@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + bytes(100), b"{}\n", b'{"waypost_export":"1"}\n'])
def test_what_is_no_export_is_refused_with_what_to_pass_instead(content: bytes) -> None:
    with pytest.raises(InvalidInput, match="no export of Waypost") as caught:
        Export(io.BytesIO(content)).check()
    assert "waypost restore" in caught.value.hint


@promise("store.export.documented")
def test_an_export_of_a_later_format_is_refused_with_its_number(schema: Schema) -> None:
    later = made_up(schema, 1).replace(b'{"waypost_export":1', b'{"waypost_export":2', 1)
    with pytest.raises(InvalidInput, match="has the format 2"):
        Export(io.BytesIO(later)).check()


@promise("store.export.everything")
def test_tables_come_after_those_that_they_refer_to() -> None:
    def table(name: str, *parents: str) -> Table:
        return Table(name=name, columns=TABLE.columns, key=("name",), parents=frozenset(parents))

    ordered = in_order([table("a", "c"), table("b"), table("c", "d", "c"), table("d"), table("schema_migrations")])
    assert [found.name for found in ordered] == ["b", "d", "c", "a"]
    with pytest.raises(ValueError, match="circle"):
        in_order([table("a", "b"), table("b", "a")])


@promise("store.export.everything")
def test_a_migration_with_what_the_format_cannot_carry_is_told_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"add it to store/transfer .* and to docs/export\.md"):
        kind_of("things", "weight", "real")
    with pytest.raises(ValueError, match="needs a primary key"):
        in_order([Table(name="things", columns=TABLE.columns, key=(), parents=frozenset())])
