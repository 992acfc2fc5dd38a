"""The import rule holds, and its two home-made kinds of contract find what breaks it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from grimp import ImportGraph

from tests.house.import_rules import ImportersContract, ReachContract
from tests.house.source import ROOT
from tests.promises.marks import promise


def graph(*imports: tuple[str, str]) -> ImportGraph:
    """An import graph of the given (importer, imported) pairs."""
    made = ImportGraph()
    for importer, imported in imports:
        made.add_import(importer=importer, imported=imported, line_number=1, line_contents="")
    return made


def reach(may_import: list[str]) -> ReachContract:
    options = {"modules": ["waypost.mail", "waypost.later"], "may_import": may_import}
    return ReachContract(name="reach", session_options={}, contract_options=options)


def leaving_out(package: str) -> ReachContract:
    options = {"modules": ["waypost.mail"], "may_import": [], "leave_out": [package]}
    return ReachContract(name="reach", session_options={}, contract_options=options)


def importers(allowed: list[str]) -> ImportersContract:
    options = {"modules": ["apsw", "waypost.store.sqlite"], "importers": allowed}
    return ImportersContract(name="importers", session_options={}, contract_options=options)


@promise("house.imports.point_down")
@pytest.mark.timeout(120)
def test_the_tree_keeps_every_contract() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-logo"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@promise("house.imports.point_down")
def test_a_package_may_import_itself_what_is_listed_and_the_standard_library() -> None:
    made = graph(
        ("waypost.mail.rules", "waypost.mail.models"),
        ("waypost.mail.rules", "waypost.kernel.time"),
        ("waypost.mail.store", "waypost.store.interface"),
        ("waypost.mail.rules", "json"),
    )
    assert reach(["waypost.kernel", "waypost.store.interface"]).check(made, verbose=False).kept


@promise("house.imports.point_down")
@pytest.mark.parametrize("imported", ["pydantic", "waypost.memory", "waypost.store.sqlite", "waypost.kernelish"])
def test_a_package_that_imports_anything_else_breaks_the_rule(imported: str) -> None:
    made = graph(("waypost.mail.rules", imported))
    contract = reach(["waypost.kernel", "waypost.store.interface"])
    assert contract.check(made, verbose=False).metadata["broken"] == [f"waypost.mail.rules imports {imported} (line 1)"]


@promise("house.imports.point_down")
def test_a_part_that_is_left_out_has_a_rule_of_its_own_and_its_neighbours_keep_theirs() -> None:
    made = graph(("waypost.mail.rules", "pydantic"), ("waypost.mail.api.verbs", "pydantic"))
    assert leaving_out("waypost.mail.api").check(made, verbose=False).metadata["broken"] == [
        "waypost.mail.rules imports pydantic (line 1)"
    ]


@promise("house.imports.point_down")
def test_the_root_package_is_allowed_without_what_stands_below_it() -> None:
    made = graph(("waypost.mail.rules", "waypost"), ("waypost.mail.rules", "waypost.server"))
    assert reach(["waypost"]).check(made, verbose=False).metadata["broken"] == [
        "waypost.mail.rules imports waypost.server (line 1)"
    ]


@promise("house.imports.point_down")
def test_a_module_imported_by_others_than_those_listed_breaks_the_rule() -> None:
    made = graph(
        ("waypost.store.sqlite.writer", "apsw"),
        ("waypost.store.sqlite.engine", "waypost.store.sqlite.writer"),
        ("waypost.assembly.build", "waypost.store.sqlite.engine"),
        ("waypost.cli.backup", "waypost.store.sqlite.engine"),
    )
    contract = importers(["waypost.assembly", "waypost.store.sqlite"])
    assert contract.check(made, verbose=False).metadata["broken"] == [
        "waypost.cli.backup imports waypost.store.sqlite.engine (line 1)"
    ]
