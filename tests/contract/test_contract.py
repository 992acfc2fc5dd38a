"""The contract of mail holds for the command as it is, step by step."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.command import Broken, Command
from tests.contract.lifecycle import STEPS
from tests.promises.marks import promise


@promise("record.schema.contract_runner", "record.schema.published")
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_the_command_keeps_to_the_contract(step: Callable[[Command], None], tmp_path: Path) -> None:
    command = Command(tmp_path, [sys.executable, "-P", "-m", "waypost"])
    step(command)
    assert command.records > 0


@promise("record.schema.contract_runner")
def test_a_command_that_keeps_nothing_is_found(tmp_path: Path) -> None:
    silent = Command(tmp_path, [sys.executable, "-c", "print('{}')"])
    for step in STEPS:
        with pytest.raises((Broken, KeyError)):
            step(silent)


@promise("record.schema.contract_runner")
def test_the_runner_imports_nothing_of_the_product() -> None:
    folder = Path(__file__).parent
    for name in ("__init__", "__main__", "command", "lifecycle"):
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        modules += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        assert not [module for module in modules if module.split(".")[0] == "waypost"], name
