"""What the sequencer costs on Postgres: commits a second with positions given and without, and how long news takes to another node.

    PYTHONPATH=src:. python -m benchmarks.sequencer [--seconds 2] [--url postgresql://...]

Each unit stores a row of 300 bytes with its journal entry and waits for its durable commit. The two settings have a database each
and their windows alternate, so that a busy neighbour hits both alike; medians of 5 and their ratio are printed. The delay is from
the answer of a write at one node to the call of a listener at another. Without `--url` a server of the tests is started, with
fsync on.
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
import statistics
import sys
import threading
import time
from collections.abc import Iterator

import psycopg

from tests.postgres_cluster import own_cluster, url_of
from waypost.store.interface import Actor, Query, Transaction
from waypost.store.postgres import PostgresStore

PUT = Query(name="put", text="insert into store_info (key, value) values (:key, :value)")
ACTOR = Actor(door="cli", user="maria", project="p-1", session="s-1", scope_source="workdir")
BODY = "x" * 300
WINDOWS = 5
NEWS = 200
WAIT_SECONDS = 30.0
LEAST = 0.5
"""The least share of the rate without a sequencer that is accepted."""


def unit(tx: Transaction) -> None:
    """One small change with its journal entry."""
    tx.execute(PUT, {"key": secrets.token_hex(16), "value": BODY})
    tx.journal("scratch.put", "s-1", version=1, actor=ACTOR, scopes=["m-1", "m-2"])


def rate(store: PostgresStore, threads: int, seconds: float) -> float:
    """Durable units a second by so many threads, each waiting for its answer before the next."""
    counts = [0] * threads
    stop = threading.Event()

    def work(place: int) -> None:
        while not stop.is_set():
            store.write(unit)
            counts[place] += 1

    workers = [threading.Thread(target=work, args=(place,)) for place in range(threads)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    stop.wait(seconds)
    stop.set()
    for worker in workers:
        worker.join()
    return sum(counts) / (time.perf_counter() - begun)


def compare(with_it: PostgresStore, without: PostgresStore, threads: int, seconds: float) -> float:
    """Prints the two rates and answers their ratio."""
    pairs = [(rate(with_it, threads, seconds), rate(without, threads, seconds)) for _ in range(WINDOWS)]
    one, other = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(sequenced / plain for sequenced, plain in pairs)
    print(f"{threads:3} clients   with positions {one:7.0f}/s   without {other:7.0f}/s   ratio {ratio:.2f}", flush=True)
    return ratio


def delays(writer: PostgresStore, listener: PostgresStore) -> list[float]:
    """Milliseconds from the answer of each write at one node to its news at another."""
    moved = threading.Condition()
    told: list[tuple[int, float]] = []

    def listen(head: int) -> None:
        with moved:
            told.append((head, time.perf_counter()))
            moved.notify_all()

    end = listener.subscribe(listen)
    found = []
    for _ in range(NEWS):
        wanted = listener.follower.head + 1
        writer.write(unit)
        answered = time.perf_counter()
        with moved:
            moved.wait_for(lambda wanted=wanted: bool(told) and told[-1][0] >= wanted, WAIT_SECONDS)
        found.append(max(0.0, told[-1][1] - answered) * 1_000)
    end()
    return sorted(found)


@contextlib.contextmanager
def databases(url: str | None) -> Iterator[tuple[str, str]]:
    """Two new databases, on the server named or on one of the tests' with a disk that is waited for."""
    with contextlib.ExitStack() as stack:
        if url is None:
            server = stack.enter_context(
                own_cluster("-c listen_addresses= -c max_connections=100 -c shared_buffers=128MB")
            )
            url = server.url
        names = [f"waypost_test_{secrets.token_hex(6)}" for _ in range(2)]
        with psycopg.connect(url, autocommit=True) as connection:
            for name in names:
                connection.execute(f"create database {name} template template0 encoding 'UTF8'".encode())
            yield url_of(url, names[0]), url_of(url, names[1])
            for name in names:
                connection.execute(f"drop database {name} with (force)".encode())


def main() -> int:
    """Runs the comparison; 1 where the sequencer costs more than is accepted."""
    parser = argparse.ArgumentParser(description="What the sequencer costs.")
    parser.add_argument("--seconds", type=float, default=2.0, help="the length of each window (2)")
    parser.add_argument("--url", default=None, help="a server whose account may create databases")
    options = parser.parse_args()
    with databases(options.url) as (first, second):
        with_it, without = PostgresStore.open(first), PostgresStore.open(second, sequences=False)
        ratios = [compare(with_it, without, threads, options.seconds) for threads in (1, 8, 32)]
        other = PostgresStore.open(first)
        while other.follower.head < with_it.follower.head:
            time.sleep(0.1)
        news = delays(with_it, other)
        print(
            f"news at another node: median {news[NEWS // 2]:.1f} ms, 99 of 100 within {news[int(NEWS * 0.99) - 1]:.1f} ms"
        )
        for store in (with_it, without, other):
            store.close()
    return 0 if min(ratios) >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
