"""The client processes of the first phase: starts them, kills one and puts another in its place, follows how far they are."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.crash.home import Home, end

__all__ = ["Crew", "Progress"]

STOP_SECONDS: Final = 90.0
SENT: Final = b'{"kind": "send"'


class Progress:
    """Counts the acknowledged sends in a folder of records, reading only what is new."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}
        self._sends = 0

    def sends(self) -> int:
        """How many sends were acknowledged so far."""
        for path in self._folder.glob("*.jsonl"):
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                whole, feed, _ = file.read().rpartition(b"\n")
            self._read[path] = self._read.get(path, 0) + len(whole) + len(feed)
            self._sends += whole.count(SENT)
        return self._sends


class Crew:
    """So many client processes, spread over the nodes; each place in the crew is held by one process at a time."""

    def __init__(self, homes: Sequence[Home], records: Path, *, size: int, seed: int, projects: int) -> None:
        self._homes, self._records = homes, records
        self._rng = random.Random(f"crew-{seed}")
        self._projects = projects
        self._names = [f"c{number:02d}" for number in range(size)]
        self._generations = [0] * size
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Starts all of them."""
        self._processes = [self._start(place) for place in range(len(self._names))]

    def kill_one(self) -> None:
        """Kills one and replaces it: half the time by one that takes its unanswered call over, else by one that knows nothing of it."""
        place = self._rng.randrange(len(self._processes))
        end(self._processes[place])
        old = self._record(place)
        self._generations[place] += 1
        takes_over = self._rng.random() < 0.5
        if not takes_over:
            self._names[place] = f"{self._names[place][:3]}x{self._generations[place]}"
        self._processes[place] = self._start(place, *([str(old)] if takes_over else []))

    def stop(self) -> list[str]:
        """Lets each finish its call; answers a sentence for each that ended badly."""
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        return [problem for place in range(len(self._processes)) if (problem := self._end(place))]

    def close(self) -> None:
        """Kills what still runs."""
        for process in self._processes:
            end(process)

    def _end(self, place: int) -> str | None:
        process = self._processes[place]
        try:
            words, _ = process.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return f"client {self._names[place]} did not end"
        return f"client {self._names[place]}: {words.decode('utf-8', 'replace')}" if process.returncode else None

    def _record(self, place: int) -> Path:
        return self._records / f"client-{place:02d}-{self._generations[place]:02d}.jsonl"

    def _start(self, place: int, *predecessor: str) -> subprocess.Popen[bytes]:
        generation = self._generations[place]
        nodes = deque(str(home.run_file) for home in self._homes)
        nodes.rotate(-place)
        return self._homes[0].start(
            "-m",
            "tests.crash.http_client",
            str(self._record(place)),
            self._names[place],
            f"{self._rng.random()}",
            str(self._projects),
            str(generation * 100_000),
            "tcp" if place % 2 else "socket",
            os.pathsep.join(nodes),
            *predecessor,
        )
