"""A store goes from engine to engine and back, and every export of it is equal, but for what a new epoch must change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.operations.office import Office
from tests.promises.marks import promise
from tests.transfer.conftest import Places
from tests.transfer.filling import Schema, made_up, rows_of
from tests.transfer.places import ENDED, Place, check_equal, checked
from waypost.kernel.errors import Conflict, InvalidInput
from waypost.store.epochs import GENERATIONS_PER_EPOCH
from waypost.store.interface import Value

NOT_OPEN: dict[tuple[str, str], Value] = {("messages", "status"): "done"}
ROUND = ["sqlite", "postgres", "sqlite"]


def taught(act: Callable[[], object]) -> None:
    """Runs an import of made-up records; where the schema does not take them, says what to do about it."""
    try:
        act()
    except InvalidInput as refusal:
        pytest.fail(
            f"{refusal.detail} A table or column is new and takes less than its type says: write its constraint as "
            "`check (column in (...))`, or say in TAUGHT of tests/transfer/filling.py what it takes."
        )


@promise("store.export.everything", "store.import.all_or_nothing")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_store_carried_from_engine_to_engine_and_back_gives_equal_exports(
    schema: Schema, places: Places, seed: int
) -> None:
    first = made_up(schema, seed)
    export = first
    for engine in ROUND:
        place = places(engine)
        taught(lambda place=place, export=export: place.take(export))  # type: ignore[misc] # mypy infers no type for a default of a lambda
        export = place.give()
        check_equal(export, first)


@promise("store.import.all_or_nothing")
def test_without_open_messages_every_record_stays_the_same_to_the_byte(schema: Schema, places: Places) -> None:
    export = first = made_up(schema, 3, fixed=NOT_OPEN)
    for engine in ROUND:
        place = places(engine)
        place.take(export)
        export = place.give()
        assert export.splitlines()[1:-1] == first.splitlines()[1:-1]


@promise("store.export.everything")
def test_every_table_of_the_schema_is_in_the_export(schema: Schema, place: Place) -> None:
    export = made_up(schema, 1)
    place.take(export)
    counts = checked(place.give()).counts
    office = Office(place.database)
    sql = (
        "select relname as name from pg_class where relnamespace = to_regnamespace('waypost') and relkind = 'r'"
        if "://" in place.database
        else "select name from sqlite_schema where type = 'table'"
    )
    names = {str(row["name"]) for row in office.rows(sql)} - {"schema_migrations"}
    office.waypost.close()
    missing = sorted(name for name in names if not counts.get(name))
    assert not missing, (
        f"an export leaves out or never tried {missing}: read_tables of the engines' catalogue.py must list each table, "
        "and tests/transfer/filling.py must fill it"
    )


@promise("store.export.everything")
def test_both_engines_list_the_same_tables_columns_and_keys(schema: Schema, postgres_url: str) -> None:
    import psycopg  # noqa: PLC0415 - an extra
    from psycopg.rows import dict_row  # noqa: PLC0415 - an extra

    from waypost.store.postgres.catalogue import read_tables  # noqa: PLC0415 - an extra

    with psycopg.connect(postgres_url, options="-c search_path=waypost", row_factory=dict_row) as connection:
        assert read_tables(connection) == schema.tables


@promise("store.restore.new_epoch", "store.import.new_epoch")
def test_an_import_begins_an_epoch_that_ends_leases_above_every_generation(schema: Schema, place: Place) -> None:
    export = made_up(schema, 4, fixed={("messages", "status"): "open", ("messages", "lease_generation"): 7})
    imported = place.take(export)
    assert imported.facts.epoch == checked(export).header.epoch + 1
    messages = [json.loads(line) for line in rows_of(place.give(), "messages")]
    floor = imported.facts.epoch * GENERATIONS_PER_EPOCH
    assert {message["lease_generation"] for message in messages} == {floor}
    held = [name for name in ENDED["messages"] if name not in {"lease_generation", "first_read_at"}]
    assert {message[name] for message in messages for name in held} == {None}


@promise("store.import.new_epoch")
def test_the_store_keeps_its_id_and_a_cursor_of_before_meets_a_gap(tmp_path: Path, places: Places) -> None:
    office = Office(tmp_path)
    office.add("a", "b")
    office.send()
    cursor = office.run("changes.list")["next_cursor"]
    facts = office.waypost.store.facts
    office.waypost.close()
    export = Place(database=office.database, folder=tmp_path).give()
    for engine in ROUND[:2]:
        place = places(engine)
        assert place.take(export).facts.store_id == facts.store_id
        moved = Office(place.database)
        answer = moved.run("changes.list", after=cursor)
        assert answer["gap"]["reason"] == "epoch"
        assert moved.waypost.store.facts.created_at == facts.created_at
        moved.waypost.close()


@promise("store.import.all_or_nothing")
def test_mail_keys_and_names_work_on_after_a_move(tmp_path: Path, places: Places) -> None:
    office = Office(tmp_path)
    office.add("a", "b")
    first = office.send(key="one", body="kept")["message_id"]
    popped = office.send(body="popped")["message_id"]
    office.run("message.pop", project="b", message_id=popped)
    office.waypost.close()
    export = Place(database=office.database, folder=tmp_path).give()
    for engine in ROUND[:2]:
        place = places(engine)
        place.take(export)
        moved = Office(place.database)
        assert moved.ids(project="b") == [first]
        assert moved.answer("message.send", key="one", from_project="a", to_project="b", body="kept").replayed
        later = moved.send(body="later")["message_id"]
        assert moved.ids(project="b") == [first, later]
        positions = [row["position"] for row in moved.rows("select position from journal order by position")]
        assert positions == list(range(1, len(positions) + 1))
        with pytest.raises(Conflict):
            moved.run("project.put", workspace="default", project="b", directory=str(tmp_path))
        moved.waypost.close()
