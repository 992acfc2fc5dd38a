"""`make bench`: runs the programs of this folder one after the other; `make bench ARGS="embedded history"` only those named.

    PYTHONPATH=src:. python -m benchmarks [--list] [NAME ...] [-- OPTIONS of one program]

Ends with 1 where a program missed a limit. docs/performance.md says what each measures and what it measured.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = (
    "embedded",
    "http_send",
    "http_work",
    "history",
    "idle_memory",
    "start_cost",
    "store_commit",
    "scrubber",
    "sequencer",
    "pop_postgres",
    "history_postgres",
    "operation_cost",
    "feed",
)


def summary(name: str) -> str:
    """The first sentence of a program's docstring."""
    tree = ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))
    return " ".join((ast.get_docstring(tree) or "").partition("\n\n")[0].split())


def run(name: str, options: list[str]) -> int:
    """Runs one program as a process of its own, and answers its exit status."""
    print(f"\n== {name}: {summary(name)}", flush=True)
    path = os.pathsep.join([str(HERE.parent / "src"), str(HERE.parent)])
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *options],
        cwd=HERE.parent,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    return done.returncode


def main() -> int:
    """Lists or runs the programs."""
    given = sys.argv[1:]
    own, options = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures Waypost.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which programs: {', '.join(PROGRAMS)} (all)")
    parser.add_argument("--list", action="store_true", help="say what there is")
    chosen = parser.parse_args(own)
    if unknown := sorted(set(chosen.names) - set(PROGRAMS)):
        parser.error(f"there is no {', '.join(unknown)}")
    if chosen.list:
        for name in PROGRAMS:
            print(f"{name:14} {summary(name)}")
        return 0
    missed = [name for name in chosen.names or PROGRAMS if run(name, options)]
    print(f"\nlimits missed by: {', '.join(missed)}" if missed else "\nevery limit was kept")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
