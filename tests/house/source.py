"""What the checks of the house look at: the tracked files, and the parsed modules of the package, the tests and the benchmarks."""

from __future__ import annotations

import ast
import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path

__all__ = ["ROOT", "functions", "modules", "package_modules", "tracked_files"]

ROOT = Path(__file__).resolve().parents[2]
CODE = ("src", "tests", "benchmarks")


@functools.cache
def tracked_files() -> tuple[Path, ...]:
    """The files that belong to the tree: those git tracks or would track. Outside a checkout, every file of the code's folders."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=30, check=False)
    if done.returncode != 0:
        return tuple(path for folder in CODE for path in sorted(ROOT.glob(f"{folder}/**/*")) if path.is_file())
    names = done.stdout.decode("utf-8").split("\0")
    return tuple(ROOT / name for name in names if name and (ROOT / name).is_file())


@functools.cache
def modules() -> dict[str, tuple[str, ast.Module]]:
    """Text and syntax tree of every Python file, by its path from the root."""
    paths = [path for path in tracked_files() if path.suffix == ".py"]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {name: (text, ast.parse(text)) for name, text in texts.items()}


def package_modules() -> dict[str, tuple[str, ast.Module]]:
    """As `modules`, of the package alone."""
    return {name: module for name, module in modules().items() if name.startswith("src/")}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a module, nested ones included."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
