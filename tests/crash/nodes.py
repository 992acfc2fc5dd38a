"""The servers of a campaign on their one store: a single one on a SQLite file, or several on one Postgres that restarts too.

Made inside an ExitStack, which ends every process. Knows nothing of what the servers are asked.
"""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal

import psycopg

from tests.crash.aftermath import problems_of
from tests.crash.home import Home, ServerProcess
from tests.postgres_cluster import Server, own_cluster, url_of
from waypost.client.run_file import RunFile

__all__ = ["Engine", "Mode", "Nodes"]

Engine = Literal["sqlite", "postgres"]
Mode = Literal["fast", "immediate"]
"""How the database is stopped: its sessions are ended, or it dies as in a crash and recovers from its log."""
DATABASE: Final = "waypost_test_campaign"


class Nodes:
    """Servers on one store, each in a home of its own. More than one need Postgres."""

    def __init__(self, stack: ExitStack, folder: Path, *, engine: Engine, count: int, seed: int) -> None:
        self._cluster: Server | None = None
        url = None
        if engine == "postgres":
            self._cluster = stack.enter_context(own_cluster())
            with psycopg.connect(self._cluster.url, autocommit=True) as connection:
                connection.execute(f"create database {DATABASE} template template0 encoding 'UTF8'".encode())
            url = url_of(self._cluster.url, DATABASE)
        elif count != 1:
            raise ValueError("one process at a time has a SQLite store open")
        self._url = url
        self._rng = random.Random(f"nodes-{seed}")
        self.homes = [Home(folder / f"node-{number}", url=url) for number in range(count)]
        for home in self.homes:
            home.folder.mkdir(parents=True)
        self.servers = [stack.enter_context(ServerProcess(home)) for home in self.homes]
        self.restarts = 0

    def start(self) -> RunFile:
        """Starts every node that does not run; answers the first one's run file."""
        for server in self.servers:
            server.spawn()
        runs = [server.start() for server in self.servers]
        return runs[0]

    def kill(self) -> ServerProcess:
        """Kills a node of its own choice; answers it."""
        victim = self._rng.choice(self.servers)
        victim.kill()
        return victim

    def kill_all(self) -> int:
        """Kills every node; answers how many."""
        for server in self.servers:
            server.kill()
        return len(self.servers)

    def restart(self, server: ServerProcess) -> None:
        """Starts a node that was killed."""
        server.start()
        self.restarts += 1

    def restart_database(self, mode: Mode) -> None:
        """Stops the database, which is away for that time, and starts it."""
        assert self._cluster is not None
        self._cluster.stop(mode)
        self._cluster.start()

    def forget_first_starts(self) -> None:
        """From here on starts are restarts."""
        for server in self.servers:
            server.longest_restart = 0.0

    @property
    def longest_restart(self) -> float:
        """The slowest restart of a node, in seconds."""
        return max(server.longest_restart for server in self.servers)

    def stop(self) -> list[str]:
        """A good end for every node; a sentence for each that had none."""
        return [
            f"the last server of node {number} did not end well: {server.words()[-500:]}"
            for number, server in enumerate(self.servers)
            if server.stop() != 0
        ]

    def problems(self) -> list[str]:
        """What is wrong with the store, whose nodes are stopped."""
        return problems_of(self._url or self.homes[0].database)
