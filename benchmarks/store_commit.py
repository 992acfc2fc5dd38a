"""How fast the SQLite store commits: one unit a commit against 32 threads that share commits.

    PYTHONPATH=src:. python benchmarks/store_commit.py

Each unit stores one row of 300 bytes with its journal entry. Four settings: the real disk, and the real disk with 5 ms added to
each sync; each by one thread and by 32. Windows alternate, so that a busy neighbour hits both alike; medians of 5 are printed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.shims import DiskShim
from waypost.store.interface import Actor, Query, Transaction
from waypost.store.migrations import load_migrations, migration
from waypost.store.sqlite import SqliteStore

SCRATCH = migration("0002_scratch.sql", "create table scratch (id {big} primary key, body {blob} not null) {strict};")
INSERT = Query(name="insert", text="insert into scratch (body) values (:body)")
ACTOR = Actor(door="cli", user="maria", project="p-1", session="s-1", scope_source="workdir")
BODY = bytes(300)
THREADS = 32
WINDOWS = 5


def unit(tx: Transaction) -> None:
    """One small change with its journal entry."""
    tx.execute(INSERT, {"body": BODY})
    tx.journal("scratch.put", "s-1", version=1, actor=ACTOR, scopes=["m-1", "m-2"])


def nothing(_: Transaction) -> None:
    """A unit that changes nothing, for what the writer itself costs."""


def rate(store: SqliteStore, threads: int, seconds: float) -> float:
    """Durable units a second by so many threads, each waiting for its answer before the next."""
    counts = [0] * threads
    start = threading.Barrier(threads + 1)
    stop = threading.Event()

    def work(place: int) -> None:
        start.wait()
        while not stop.is_set():
            store.write(unit)
            counts[place] += 1

    workers = [threading.Thread(target=work, args=(place,)) for place in range(threads)]
    for worker in workers:
        worker.start()
    start.wait()
    begun = time.perf_counter()
    stop.wait(seconds)
    stop.set()
    for worker in workers:
        worker.join()
    return sum(counts) / (time.perf_counter() - begun)


def overhead(store: SqliteStore, body: Callable[[Transaction], None], count: int = 20_000) -> float:
    """Microseconds a unit where units always wait, so that commits are shared by 64 and syncs hardly count."""
    begun = time.perf_counter()
    for _ in range(count // 2_000):
        for future in [store.submit(body) for _ in range(2_000)]:
            future.result()
    return (time.perf_counter() - begun) / count * 1e6


def compare(folder: Path, name: str, vfs: str | None, seconds: float) -> None:
    """Prints the two rates and their ratio on one disk."""
    store = SqliteStore.open(folder / name / "waypost.db", migrations=[load_migrations()[0], SCRATCH], vfs=vfs)
    alone, together = [], []
    for _ in range(WINDOWS):
        alone.append(rate(store, 1, seconds))
        together.append(rate(store, THREADS, seconds))
    one, many = statistics.median(alone), statistics.median(together)
    print(f"{name:16} one a commit {one:8.0f}/s   {THREADS} threads {many:8.0f}/s   ratio {many / one:5.1f}")
    if vfs is None:
        print(f"{'':16} a unit costs {overhead(store, unit):.0f} us, an empty one {overhead(store, nothing):.0f} us")
    store.close()


def main() -> None:
    """Runs the comparison on the disk of `--folder`."""
    parser = argparse.ArgumentParser(description="Commits a second, alone and shared.")
    parser.add_argument("--folder", type=Path, default=None, help="a folder on the disk to measure (a temporary one)")
    parser.add_argument("--seconds", type=float, default=1.0, help="the length of each window (1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name, DiskShim("slow", sync_delay=0.005):
        compare(Path(name), "real disk", None, options.seconds)
        compare(Path(name), "5 ms a sync", "slow", options.seconds)


if __name__ == "__main__":
    main()
