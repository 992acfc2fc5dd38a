"""`requirements/install.sh`, which both of the README's commands call first: it sets up, says what lacks, and rests when done."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT
from tests.promises.marks import promise

both = promise("house.make.serve", "house.make.test")
TOOLS = ("sh", "cksum", "tr", "rm", "touch", "sed", "cat")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with the script and empty pins, in a folder whose name holds a space."""
    root = tmp_path / "a clone"
    (root / "requirements").mkdir(parents=True)
    (root / "src").mkdir()
    shutil.copy(ROOT / "requirements" / "install.sh", root / "requirements")
    for name in ("base", "dev"):
        (root / "requirements" / f"{name}.txt").write_text(f"# nothing for {name}\n", encoding="utf-8")
    return root


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with the few programs that the script needs and no interpreter."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in TOOLS:
        program = shutil.which(name)
        assert program
        (folder / name).symlink_to(program)
    return folder


def program(path: Path, text: str) -> None:
    """Writes a small shell program."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def install(tree: Path, kind: str, path: str) -> subprocess.CompletedProcess[str]:
    """Runs the script with `path` as the search path."""
    environment = {key: value for key, value in os.environ.items() if key not in {"PYTHON", "PYTHONPATH"}}
    return subprocess.run(
        ["sh", "requirements/install.sh", kind],
        cwd=tree,
        env={**environment, "PATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )


@both
def test_without_a_new_enough_python_one_line_says_so(tree: Path, tools: Path) -> None:
    program(tools / "python3", "exit 1")
    done = install(tree, "base", str(tools))
    assert done.returncode == 1
    assert (
        done.stderr == "waypost: Python 3.11 or newer is needed; install it, or name it with PYTHON=/path/to/python3.\n"
    )


@both
def test_without_venv_one_line_says_what_to_install(tree: Path, tools: Path) -> None:
    program(tools / "python3", f'case "$2" in *ensurepip*) exit 1;; esac\nexec "{sys.executable}" "$@"')
    done = install(tree, "base", str(tools))
    assert done.returncode == 1
    assert done.stderr == "waypost: this Python has no venv: install python3-venv.\n"


@pytest.mark.timeout(280)  # a virtual environment and a compiled tree, on a machine that does other work too
@both
def test_the_first_run_sets_up_and_the_second_does_nothing(tree: Path, tools: Path) -> None:
    (tools / "python3").symlink_to(sys.executable)
    first = install(tree, "dev", str(tools))
    assert first.returncode == 0, first.stderr
    assert (tree / ".venv" / "bin" / "python").exists()
    assert [install(tree, kind, str(tools)).stdout for kind in ("dev", "base")] == ["", ""]
    (tree / "requirements" / "dev.txt").write_text("# something else\n", encoding="utf-8")
    assert "installing requirements/dev.txt" in install(tree, "dev", str(tools)).stdout
