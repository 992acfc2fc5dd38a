"""Export, import and migrate at the command line, with a server and without, and the server's own route."""

from __future__ import annotations

from pathlib import Path

from tests.doors.command_line import CommandLine
from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from tests.transfer.places import checked, comparable
from waypost.store.migrations import load_migrations
from waypost.store.sqlite.engine import SqliteStore

STEPS = load_migrations()


@promise("cli.store.export_import")
def test_an_export_is_written_and_imported_into_another_home(either: CommandLine) -> None:
    web = either.project("web")
    kept = either.send(web, web, body="kept")
    file = either.work / f"{web}.jsonl"
    answer = either.json("export", file.name)
    assert answer["path"] == str(file)
    assert (answer["schema_version"], answer["counts"]) == (len(STEPS), dict(checked(file.read_bytes()).counts))
    assert answer["records"] == sum(answer["counts"].values())
    assert either.run("export", str(file)).code == "conflict"
    assert "records" in either.run("export", str(file), "--overwrite").out
    other = CommandLine(either.home / f"other-{web}")
    imported = other.json("import", str(file))
    assert (imported["store_id"], imported["epoch"]) == (answer["store_id"], answer["epoch"] + 1)
    assert imported["counts"] == answer["counts"]
    assert other.json("message", "view", "--id", kept)["message"]["id"] == kept
    refused = other.run("import", str(file))
    assert (refused.status, refused.code) == (1, "conflict")


@promise("cli.store.export_import")
def test_an_export_goes_through_a_pipe(either: CommandLine) -> None:
    web = either.project("web")
    either.send(web, web)
    out = either.finish("export", "-")
    assert (out.status, "Wrote" in out.err) == (0, True)
    other = CommandLine(either.home / f"piped-{web}")
    done = other.finish("import", "-", given=out.out.encode())
    assert "as epoch" in done.out
    other.json("export", "again.jsonl")
    assert comparable((other.work / "again.jsonl").read_bytes()) == comparable(out.out.encode())
    assert either.run("export", "-", "--json").code == "invalid_input"
    cut = CommandLine(either.home / f"cut-{web}")
    assert cut.finish("import", "-", given=out.out.encode()[:-9]).status == 1
    assert not Path(cut.database).exists()


@promise("cli.store.export_import", "store.import.needs_stopped")
def test_an_import_needs_the_server_stopped(shell: CommandLine) -> None:
    shell.json("migrate")
    shell.json("export", "empty.jsonl")
    with shell.serving():
        refused = shell.run("import", str(shell.work / "empty.jsonl"))
        assert (refused.status, refused.code) == (1, "store_busy")
        assert "waypost stop" in refused.err
    assert shell.run("import", "no-such-file.jsonl").code == "not_found"
    assert shell.run("export", "x.jsonl", "--database", str(shell.work / "none.db")).code == "not_found"
    assert not (shell.work / "none.db").exists()


@promise("cli.store.export_import")
def test_a_store_goes_to_a_database_and_back(shell: CommandLine, empty_postgres_url: str) -> None:
    web = shell.project("web")
    kept = shell.send(web, web, body="kept")
    shell.json("export", "one.jsonl")
    there = {"WAYPOST_DATABASE": empty_postgres_url}
    shell.json("import", "one.jsonl", variables=there)
    assert shell.json("message", "view", "--id", kept, variables=there)["message"]["id"] == kept
    assert shell.json("export", "two.jsonl", variables=there)["counts"]["messages"] == 1
    shell.json("import", "two.jsonl", "--database", "back.db")
    shell.json("export", "three.jsonl", "--database", "back.db")
    exports = [comparable((shell.work / f"{name}.jsonl").read_bytes()) for name in ("two", "three")]
    assert exports[0] == exports[1]


@promise("cli.migrate.says")
def test_migrate_makes_upgrades_and_says_so(shell: CommandLine) -> None:
    assert shell.json("migrate") == {"schema_version": len(STEPS), "from_schema": 0, "steps": NAMES, "kept": None}
    assert "There was nothing to do" in shell.run("migrate").out
    old = shell.work / "old.db"
    SqliteStore.open(old, migrations=STEPS[:-1]).close()
    done = shell.json("migrate", "--database", str(old))
    assert (done["from_schema"], done["schema_version"], done["steps"]) == (len(STEPS) - 1, len(STEPS), NAMES[-1:])
    assert Path(done["kept"]).exists()
    other = shell.work / "other.db"
    SqliteStore.open(other, migrations=STEPS[:-1]).close()
    said = shell.run("migrate", "--database", str(other)).out
    assert f"from schema {len(STEPS) - 1}: its schema is {len(STEPS)} now" in said
    assert "is kept as" in said


NAMES = [f"{step.version:04d}_{step.name}" for step in STEPS]


@promise("cli.migrate.says")
def test_migrate_prepares_a_database(shell: CommandLine, empty_postgres_url: str) -> None:
    there = {"WAYPOST_DATABASE": empty_postgres_url}
    assert shell.json("migrate", variables=there)["steps"] == NAMES
    assert shell.json("migrate", variables=there)["steps"] == []


@promise("rights.owner.may", "store.export.whole_file")
def test_the_owner_exports_the_store_while_it_is_served(rest: RestDoor, tmp_path: Path) -> None:
    rest.send()
    file = tmp_path / "export.jsonl"
    answer = rest.ok("POST", "/v1/store:export", {"path": str(file)}, owner=True)
    assert answer["counts"] == dict(checked(file.read_bytes()).counts)
    assert answer["store_id"] == rest.waypost.store.facts.store_id
    again = rest.refused("POST", "/v1/store:export", {"path": str(file)}, owner=True)
    assert again["code"] == "conflict"
    assert rest.refused("POST", "/v1/store:export", {"path": "relative"}, owner=True)["code"] == "invalid_input"
