"""What a campaign does: how many clients, sends and kills, and at which moments of its progress whom it kills. All of one seed."""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tests.crash.nodes import Engine, Mode

__all__ = ["Kill", "Plan", "kills_of", "parse_plan"]

Victim = Literal["server", "client", "command", "database"]
SENDS_BY_COMMAND: Final = 0.01
"""The share of sends that go through commands, each of which starts a process."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The numbers of one campaign. `sends` are acknowledged ones, both phases together."""

    clients: int
    sends: int
    kills: int
    server_kills: int
    projects: int
    seed: int
    engine: Engine = "sqlite"
    nodes: int = 1
    database_kills: int = 0

    @property
    def command_sends(self) -> int:
        """How many of the sends are made by commands, without a server."""
        return max(8 // self.nodes, int(self.sends * SENDS_BY_COMMAND))

    @property
    def command_kills(self) -> int:
        """How many commands are killed."""
        return max(2, (self.kills - self.server_kills - self.database_kills) * 4 // 7)

    @property
    def client_kills(self) -> int:
        """How many client processes are killed."""
        return max(0, self.kills - self.server_kills - self.database_kills - self.command_kills)


@dataclass(frozen=True, kw_only=True, slots=True)
class Kill:
    """Kills `victim` once so many sends were acknowledged in its phase, a moment later. `again` says after which time of its start
    the new server is killed too, which is then one more kill. A database is stopped by `mode`, and with `node` a server dies with
    it."""

    after_sends: int
    victim: Victim
    moment: float
    again: float | None = None
    mode: Mode = "fast"
    node: bool = False


def kills_of(plan: Plan) -> tuple[Sequence[Kill], Sequence[Kill]]:
    """The kills of both phases, in order. The last of the first phase is the server's, so that the second finds what it left."""
    rng = random.Random(plan.seed)
    served = plan.sends - plan.command_sends
    twice = plan.server_kills // 5
    victims: list[Victim] = ["server" for _ in range(plan.server_kills - twice - 1)]
    victims += ["client" for _ in range(plan.client_kills)]
    victims += ["database" for _ in range(plan.database_kills)]
    rng.shuffle(victims)
    moments = sorted(rng.randrange(served // 50, served) for _ in victims)
    first = [_kill(rng, after, victim) for after, victim in zip(moments, victims, strict=True)]
    servers = [number for number, kill in enumerate(first) if kill.victim == "server"]
    for number in rng.sample(servers, min(twice, len(servers))):
        first[number] = replace(first[number], again=rng.uniform(0, 0.9))
    databases = [number for number, kill in enumerate(first) if kill.victim == "database"]
    for turn, number in enumerate(databases):  # both ways of stopping, and every third together with a node
        first[number] = replace(first[number], mode="immediate" if turn % 2 else "fast", node=turn % 3 == 1)
    first.append(_kill(rng, served, "server"))
    second = [
        _kill(rng, after, "command")
        for after in sorted(rng.randrange(plan.command_sends) for _ in range(plan.command_kills))
    ]
    return first, second


def parse_plan(arguments: Sequence[str]) -> tuple[Plan, str | None]:
    """The plan that the command line asks for, and the folder to keep."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.crash.campaign",
        description="Kills servers, clients, commands and databases under load, and checks that nothing acknowledged was lost.",
    )
    parser.add_argument("--clients", type=int)
    parser.add_argument("--sends", type=int, help="acknowledged sends, both phases together")
    parser.add_argument("--kills", type=int, help="all kills together")
    parser.add_argument("--server-kills", type=int)
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--nodes", type=int, help="servers on the one database, on Postgres (3)")
    parser.add_argument("--database-kills", type=int, help="how often Postgres is stopped and started")
    parser.add_argument("--projects", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="the numbers of the test suite unless given")
    parser.add_argument("--keep", metavar="FOLDER", help="work in this new folder and leave it there")
    given = parser.parse_args(arguments)
    defaults = (SHORT if given.short else FULL) | (
        {} if given.engine == "sqlite" else SHORT_NODES if given.short else FULL_NODES
    )
    chosen = {name: getattr(given, name) or default for name, default in defaults.items()}
    return Plan(seed=given.seed, engine=given.engine, **chosen), given.keep


FULL: Final[dict[str, Any]] = {"clients": 16, "sends": 20_000, "kills": 60, "server_kills": 18, "projects": 32}
SHORT: Final[dict[str, Any]] = {"clients": 4, "sends": 600, "kills": 10, "server_kills": 4, "projects": 8}
FULL_NODES: Final[dict[str, Any]] = {"nodes": 3, "database_kills": 12}
SHORT_NODES: Final[dict[str, Any]] = {"nodes": 3, "database_kills": 2, "sends": 300, "kills": 8, "server_kills": 3}


def _kill(rng: random.Random, after: int, victim: Victim) -> Kill:
    return Kill(after_sends=after, victim=victim, moment=rng.uniform(0, 0.05))
