"""`python -m tests.bite [--only ID] [--jobs N]`: takes the guards out one by one; prints survivors and a count."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.bite.guards import ALL
from tests.bite.model import Guard
from tests.bite.runner import ROOT, Outcome, bite, run_tests


def whole(guards: Sequence[Guard]) -> bool:
    """Whether all tests pass while every guard stands; else no failure below would mean anything."""
    tests = sorted({test for guard in guards for test in guard.tests if test.startswith("tests/")})
    with tempfile.TemporaryDirectory(prefix="waypost-bite-") as folder:
        done = run_tests(ROOT / "src", tests, Path(folder, "named.json"))
    if done.returncode != 0:
        print(f"The tests do not pass with every guard in place:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    """Runs the command; answers 1 where a guard survived or could not be tried."""
    parser = argparse.ArgumentParser(prog="python -m tests.bite", description="Takes each guard out in turn.")
    parser.add_argument("--only", metavar="ID", help="only the guards of this promise, or of ids that begin with it")
    parser.add_argument("--jobs", type=int, default=2, help="how many guards are tried at once (2)")
    options = parser.parse_args(arguments)
    guards = [guard for guard in ALL if guard.promise.startswith(options.only or "")]
    if not guards:
        parser.error(f"no guard keeps {options.only}")
    if not whole(guards):
        return 1
    counts: Counter[Outcome] = Counter()
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        for result in pool.map(bite, guards):
            counts[result.outcome] += 1
            print(f"{result.outcome.value:9} {result.guard.promise}  ({result.guard.file}) {result.words}".rstrip())
    errors = f", {counts[Outcome.ERROR]} could not be tried" if counts[Outcome.ERROR] else ""
    print(f"{counts[Outcome.BITTEN]} bitten, {counts[Outcome.SURVIVED]} survived{errors}")
    return 0 if counts[Outcome.BITTEN] == len(guards) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
