"""What an import refuses: a place that is not empty or in use, another schema, and lines that a table does not take. Nothing changes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.operations.office import Office
from tests.promises.marks import promise
from tests.transfer.conftest import Places
from tests.transfer.filling import Schema, made_up, rows_of, seal
from tests.transfer.places import Place, checked, comparable
from waypost.assembly.keeping import ENDINGS
from waypost.assembly.transfer import export_database, import_store
from waypost.kernel.errors import Conflict, InvalidInput, NotFound, SchemaNewer, StoreBusy, StoreUnavailable
from waypost.store.interface import StoreFacts
from waypost.store.migrations import load_migrations, migration
from waypost.store.postgres.importing import import_into as import_into_postgres
from waypost.store.sqlite.importing import import_into

STEPS = load_migrations()


def taken(place: Place, export: bytes, **options: Any) -> StoreFacts:
    """Imports by the engine itself, with migrations of the test's own."""
    run = import_into_postgres if "://" in place.database else import_into
    return run(place.database, checked(export), endings=ENDINGS, **options)


def is_untouched(place: Place) -> bool:
    """Whether there is still no store."""
    try:
        place.give()
    except NotFound:
        return not [name for name in place.folder.iterdir() if name.suffix != ".lock"]
    return False


def lines_of(schema: Schema) -> list[bytes]:
    return made_up(schema, 5).splitlines(keepends=True)[1:-1]


def sealed(schema: Schema, lines: list[bytes]) -> bytes:
    return seal(lines, [table.name for table in schema.tables])


def changed(line: bytes, **fields: object) -> bytes:
    return json.dumps({**json.loads(line), **fields}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


@promise("store.import.refused_by_line")
@pytest.mark.parametrize(
    ("table", "words", "fields"),
    [
        ("messages", "does not take", {"status": "lost"}),
        ("messages", "refers to a record", {"mailbox_id": "nobody"}),
        ("messages", "does not take", {"subject": None}),
        ("messages", "does not take", {"version": "1"}),
        ("messages", r"a column \(weight\) that messages does not have", {"weight": 1}),
        ("users", "already", {"name": "twice"}),
        ("journal", "does not take", {"position": None}),
    ],
)
def test_a_line_that_the_table_does_not_take_is_named_and_nothing_is_imported(
    schema: Schema, place: Place, table: str, words: str, fields: dict[str, object]
) -> None:
    lines = lines_of(schema)
    at = [number for number, line in enumerate(lines) if line.startswith(b'{"table":"%s"' % table.encode())][20]
    lines[at] = changed(lines[at], **fields)
    if fields == {"name": "twice"}:
        lines[at - 1] = changed(lines[at - 1], **fields)
    with pytest.raises(InvalidInput, match=rf"^Line {at + 2} of the export .*{words}.* Nothing was imported"):
        place.take(sealed(schema, lines))
    assert is_untouched(place)


@promise("store.import.refused_by_line")
def test_a_record_that_stands_twice_is_named(schema: Schema, place: Place) -> None:
    lines = lines_of(schema)
    twice = next(number for number, line in enumerate(lines) if line.startswith(b'{"table":"receipts"'))
    lines.insert(twice, lines[twice])
    with pytest.raises(InvalidInput, match=f"^Line {twice + 3} of the export stands in receipts already"):
        place.take(sealed(schema, lines))
    assert is_untouched(place)


@promise("store.import.refused_by_line")
def test_an_unknown_table_is_named(schema: Schema, place: Place) -> None:
    lines = [*lines_of(schema)[:3], b'{"table":"parcels","id":"1"}\n']
    tables = [table.name for table in schema.tables]
    with pytest.raises(InvalidInput, match=r"^Line 5 of the export is of the table parcels, which schema"):
        place.take(seal(lines, [*tables, "parcels"]))
    with pytest.raises(InvalidInput, match="counts other tables"):
        place.take(seal(lines[:3], [*tables, "parcels"]))
    assert is_untouched(place)


@promise("store.export.sum")
def test_a_cut_file_is_refused_before_the_place_is_looked_at(schema: Schema, place: Place) -> None:
    export = made_up(schema, 5)
    for end in (0, 100, len(export) // 2, len(export) - 200, len(export) - 1):
        with pytest.raises(InvalidInput):
            place.take(export[:end])
    assert is_untouched(place)
    assert not Path(f"{place.database}.lock").exists() or "://" in place.database
    with pytest.raises(NotFound):
        import_store(place.folder / "no such file", place.database)


@promise("store.import.empty_only")
def test_a_store_that_holds_anything_is_refused_with_what_it_holds(schema: Schema, place: Place) -> None:
    office = Office(place.database)
    office.add("a", "b")
    office.send()
    office.waypost.close()
    before = place.give()
    with pytest.raises(Conflict, match=r"is not empty: .*2 in journal|1 in messages, 2 in projects") as caught:
        place.take(made_up(schema, 5))
    assert "--database" in caught.value.hint
    assert comparable(place.give()) == comparable(before)


@promise("store.import.empty_only", "store.import.new_epoch")
def test_a_store_that_was_only_opened_is_empty_and_its_epoch_is_passed(schema: Schema, place: Place) -> None:
    Office(place.database).waypost.close()
    export = made_up(schema, 5)
    assert place.take(export).facts.epoch == 4
    assert comparable(place.give()) == comparable(export)
    assert not [file for file in place.folder.iterdir() if "replaced" in file.name or "partial" in file.name]


@promise("store.import.needs_stopped")
def test_a_store_that_a_server_has_open_takes_no_import(schema: Schema, place: Place) -> None:
    export = made_up(schema, 5)
    office = Office(place.database)
    with pytest.raises(StoreBusy) as caught:
        import_store(io.BytesIO(export), place.database, lock_timeout=0)
    assert "waypost stop" in caught.value.hint
    assert office.rows("select id from messages") == []
    office.waypost.close()
    place.take(export)


@promise("store.import.older_schema")
@pytest.mark.parametrize("steps", [2, len(STEPS) - 1])
def test_an_export_of_an_older_schema_goes_through_the_later_migrations(
    place: Place, tmp_path: Path, steps: int
) -> None:
    old = made_up(Schema(tmp_path, steps), 5)
    assert place.take(old).facts.schema == len(STEPS)
    new = place.give()
    for table in ("users", "projects"):
        before, after = ([json.loads(line) for line in rows_of(export, table)] for export in (old, new))
        assert [{name: row[name] for name in before[0]} for row in after] == before


@promise("store.import.older_schema")
def test_an_export_of_a_newer_schema_is_refused(schema: Schema, place: Place) -> None:
    with pytest.raises(SchemaNewer, match="schema"):
        taken(place, made_up(schema, 5), migrations=STEPS[:-1])
    other = migration("0001_store.sql", "create table other (id text not null primary key) {strict};")
    with pytest.raises(StoreUnavailable, match="another migration"):
        taken(place, made_up(schema, 5), migrations=(other, *STEPS[1:]))
    assert is_untouched(place)


@promise("store.export.whole_file")
def test_an_export_gets_its_name_when_it_is_whole_and_replaces_nothing_untold(places: Places, tmp_path: Path) -> None:
    place = places("sqlite")
    target = tmp_path / "exports" / "out.jsonl"
    with pytest.raises(NotFound, match="no store"):
        export_database(place.database, target)
    Office(place.database).waypost.close()
    exported = export_database(place.database, target)
    assert exported.path == target
    assert target.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in target.parent.iterdir()] == [target.name]
    target.write_bytes(b"precious")
    with pytest.raises(Conflict, match="exists"):
        export_database(place.database, target)
    assert target.read_bytes() == b"precious"
    assert export_database(place.database, target, overwrite=True).written.records == exported.written.records
    for ending in ("", ".lock"):
        with pytest.raises(InvalidInput, match="cannot take an export"):
            export_database(place.database, Path(f"{place.database}{ending}"), overwrite=True)
    with pytest.raises(InvalidInput):
        export_database(place.database, tmp_path, overwrite=True)


@promise("store.export.whole_file")
def test_an_export_that_fails_leaves_no_file(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = places("sqlite")
    Office(place.database).waypost.close()

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("waypost.assembly.transfer.write_export", fail)
    with pytest.raises(StoreUnavailable, match="full"):
        export_database(place.database, tmp_path / "exports" / "out.jsonl")
    assert list((tmp_path / "exports").iterdir()) == []


@promise("store.export.whole_file")
def test_an_export_of_a_database_without_a_store_makes_none(places: Places) -> None:
    place = places("postgres")
    with pytest.raises(NotFound, match="no store"):
        place.give()
    with pytest.raises(NotFound, match="no store"):
        place.give()
