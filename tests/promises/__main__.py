"""Lists the promises: `python -m tests.promises [--unproved | --live]`.

Without an option it lists those that are set aside, by reason.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from tests.promises.coverage import named_by_all_tests
from tests.promises.manifest import MANIFEST, live
from tests.promises.model import REASONS, Promise


def show(title: str, promises: Iterable[Promise]) -> None:
    """Prints one group under its title, if it has any."""
    chosen = list(promises)
    if chosen:
        print(f"\n{title}: {len(chosen)}")
    for promise in chosen:
        print(f"  {promise.id}\n      {promise.sentence}  [{promise.source}]")


def main(arguments: list[str]) -> int:
    """Runs the command; answers 1 where `--unproved` found any."""
    parser = argparse.ArgumentParser(prog="python -m tests.promises", description="Lists what Waypost promises.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--unproved", action="store_true", help="live promises that no test names")
    choice.add_argument("--live", action="store_true", help="promises that hold today")
    options = parser.parse_args(arguments)
    if options.live:
        show("Live", live())
        return 0
    if options.unproved:
        named = named_by_all_tests()
        unproved = [promise for promise in live() if promise.id not in named]
        show("Live, and no test names them", unproved)
        return 1 if unproved else 0
    for reason in REASONS:
        show(reason, (promise for promise in MANIFEST.values() if promise.set_aside == reason))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
