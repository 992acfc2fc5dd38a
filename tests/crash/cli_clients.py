"""The clients of the campaign's second phase: each call is a `waypost` command of its own, which opens the store and lets it go.

Without a server sixteen such processes contend for the store's lock; on Postgres each is a node of its own for its moment. The
killer ends any of them at any moment.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from tests.crash.home import Home, end
from tests.crash.record import Record
from tests.crash.work import Answer, Lost, Worker

__all__ = ["CliClients", "CliDoor"]

COMMAND_SECONDS: Final = 300.0
"""Sixteen interpreters start at once; on a loaded machine that takes as long as it takes."""
VERBS: Final = {
    "message.send": "send",
    "message.pop": "pop",
    "message.ack": "ack",
    "message.cancel_all": "cancel",
    "message.list": "list",
}


class CliDoor:
    """One command after the other. `kill` ends the one that runs, from another thread."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._guard = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None

    def ask(self, operation: str, fields: dict[str, Any], *, key: str | None, session: str) -> Answer:
        """Runs one command. Raises `Lost` where it was killed before it had printed its answer."""
        options = [f"--{_option(name)}={value}" for name, value in fields.items() if name != "body"]
        arguments = ["message", VERBS[operation], *options, f"--session={session}", "--json"]
        if key is not None:
            arguments.append(f"--idempotency-key={key}")
        if "body" in fields:
            arguments += ["--", str(fields["body"])]
        process = subprocess.Popen(
            [sys.executable, "-m", "waypost", *arguments],
            cwd=self._home.folder,
            env=self._home.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        with self._guard:
            self._running = process
        try:
            printed, _ = process.communicate(timeout=COMMAND_SECONDS)
        finally:
            with self._guard:
                self._running = None
            end(process)
        try:
            found: dict[str, Any] = json.loads(printed)
        except ValueError:
            if process.returncode < 0:
                raise Lost from None
            raise RuntimeError(f"{arguments[:4]} ended with {process.returncode} and printed {printed!r}") from None
        return Answer(code=str(found["code"]) if "code" in found else None, body=found)

    def kill(self) -> bool:
        """SIGKILL for the command that runs; answers whether one did."""
        with self._guard:
            process = self._running
            if process is None or process.poll() is not None:
                return False
            process.kill()
            return True


class CliClients:
    """Sixteen or so threads, each of which is the shell behind one client's commands."""

    def __init__(
        self, homes: Sequence[Home], records: list[Record], problems: list[str], *, seed: str, projects: int
    ) -> None:
        self.doors = [CliDoor(homes[number % len(homes)]) for number in range(len(records))]
        self._problems = problems
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(number, records[number], f"{seed}-{number}", projects))
            for number in range(len(records))
        ]

    def start(self) -> None:
        """Starts them."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Lets each finish its call."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def kill_one(self, rng: random.Random) -> bool:
        """Kills one running command; answers whether there was one."""
        return any(door.kill() for door in rng.sample(self.doors, len(self.doors)))

    def _work(self, number: int, record: Record, seed: str, projects: int) -> None:
        rng = random.Random(seed)
        worker = Worker(name=f"k{number:02d}", door=self.doors[number], record=record, rng=rng, projects=projects)
        self._until_over(worker.step)

    def _until_over(self, step: Callable[[], None]) -> None:
        try:
            while not self._over.is_set():
                step()
        except Exception as error:
            self._problems.append(f"a command's client ended: {error!r}")


def _option(name: str) -> str:
    return "id" if name == "message_id" else name.replace("_", "-")
