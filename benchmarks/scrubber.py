"""What the scrubber finds, what it wrongly touches and what it costs, with detect-secrets on the same texts beside it.

    PYTHONPATH=src python -m benchmarks.scrubber [--each 5] [--clean 500] [--seed 2026]

Run from the root of the repository. Secrets are made at run time; clean texts are documents and code found in this
installation. `near` are clean texts that speak of passwords, tokens and keys: the hard ones.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable

from detect_secrets.core.scan import scan_file, scan_line
from detect_secrets.settings import default_settings

from tests.rules.scrubber_campaign import KINDS, Planted, clean_texts, left_over, planted
from waypost.kernel.text import scrub
from waypost.kernel.text.scrub import RULES

NEAR = ("password", "token", "secret", "_key", "apikey", "bearer", "://")


def theirs(text: str) -> list[str]:
    """The secrets that detect-secrets reports for a file with this text, with its default plugins and filters."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return [found.secret_value or "" for found in scan_file(file.name)]


def theirs_eager(text: str) -> list[str]:
    """The same line by line, as its command for a single string does: there its entropy plugins want no quotes."""
    return [found.secret_value or "" for line in text.splitlines() for found in scan_line(line)]


def they_find(scan: Callable[[str], list[str]], one: Planted) -> bool:
    """Counted kindly: a finding that shares eight neighbouring characters with the secret, or the name of a key block."""
    found = scan(one.text)
    return any(left_over(one.secret, secret) for secret in found) or any("PRIVATE KEY" in secret for secret in found)


def milliseconds(work: Callable[[str], object], texts: Iterable[str]) -> list[float]:
    """Processor time: the median of five runs for each text."""
    taken = []
    for text in texts:
        runs = []
        for _ in range(5):
            start = time.process_time()
            work(text)
            runs.append((time.process_time() - start) * 1_000)
        taken.append(statistics.median(runs))
    return taken


def recall(each: int, seed: int) -> None:
    """Prints what each of both finds of every kind, and what Waypost missed."""
    secrets = list(planted(each, seed))
    missed: list[Planted] = []
    mine = dict.fromkeys(KINDS, 0)
    other = dict.fromkeys(KINDS, 0)
    eager = dict.fromkeys(KINDS, 0)
    for one in secrets:
        done = scrub(one.text)
        ok = done.removed > 0 and not left_over(one.secret, done.text)
        mine[one.kind] += ok
        other[one.kind] += they_find(theirs, one)
        eager[one.kind] += they_find(theirs_eager, one)
        if not ok:
            missed.append(one)
    print(f"{'kind':24} {'planted':>8} {'removed':>8} {'detect-secrets':>15} {'its eager scan':>15}")
    for kind in KINDS:
        print(
            f"{kind:24} {sum(one.kind == kind for one in secrets):8} {mine[kind]:8} {other[kind]:15} {eager[kind]:15}"
        )
    total = len(secrets)
    print(f"\n{len(RULES)} rules, {len({rule.id for rule in RULES})} ids; {len(KINDS)} kinds, {total} secrets")
    first, second, third = (sum(found.values()) / total for found in (mine, other, eager))
    print(f"recall          waypost {first:.4f}   detect-secrets {second:.4f} (eager {third:.4f})")
    for one in missed:
        print(f"  missed: {one.kind}, {one.surrounding}")


def false_alarms(title: str, texts: list[str]) -> None:
    """Prints the share of clean texts that each of both takes for secret."""
    first = sum(scrub(text).removed > 0 for text in texts) / len(texts)
    second, third = (sum(bool(scan(text)) for text in texts) / len(texts) for scan in (theirs, theirs_eager))
    print(f"false alarms    waypost {first:.4f}   detect-secrets {second:.4f} (eager {third:.4f})   ({title})")


def cost(texts: list[str], seed: int) -> None:
    """Prints the time for 500 characters of each sort; detect-secrets' holds the writing of its file."""
    sorts = {
        "no keyword": ["The tests of the importer pass again; see the note about ports before you merge. " * 7],
        "clean texts": [text for text in texts if len(text) >= 500][:60],
        "one secret": [one.text + "\n" + "\n".join(texts[:9]) for one in planted(1, seed)][:60],
    }
    for title, group in sorts.items():
        cut = [text[:500] for text in group]
        mine, other = (statistics.median(milliseconds(work, cut)) for work in (scrub, theirs))
        print(f"500 characters  waypost {mine:.3f} ms   detect-secrets {other:.3f} ms   ({title})")


def hostile() -> None:
    """Keywords and nothing else, the worst that was found, at two lengths: twice four is eight, not sixty-four."""
    units = [
        "token=",
        "access-key=",
        "authorization=",
        "secret=a1",
        "eyJa-.",
        "://a:",
        "-----BEGIN PRIVATE" + " KEY-----\nA",
    ]
    for unit in units:
        short, long = (min(milliseconds(scrub, [(unit * size)[:size]])) for size in (64 * 1024, 256 * 1024))
        print(f"hostile text    {short:7.0f} ms for 64 KiB, {long:7.0f} ms for 256 KiB of {unit!r}")


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description="Judges the scrubber.")
    parser.add_argument("--each", type=int, default=5, help="secrets of each kind (5)")
    parser.add_argument("--clean", type=int, default=500, help="clean texts (500)")
    parser.add_argument("--seed", type=int, default=2026, help="of the campaign (2026)")
    options = parser.parse_args()
    texts = clean_texts(options.clean, options.seed)
    with default_settings():
        recall(options.each, options.seed)
        false_alarms("as they come", texts)
        false_alarms("near secrets", clean_texts(options.clean, options.seed, about=NEAR))
        cost(texts, options.seed)
    hostile()


if __name__ == "__main__":
    main()
