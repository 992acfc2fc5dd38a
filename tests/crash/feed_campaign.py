"""The feed's kill campaign: `python -m tests.crash.feed_campaign [--engine postgres] [--kills 50] [--nodes N] [--seed N]`.

While clients change things through real servers, two consumers, one that keeps its own cursor and one that relies on the server's
checkpoint, are killed and started again, each so many times; now and then a server is killed too. At the end what both wrote down is compared
with the feed, and the counts are printed. Exits with 1 on any violation.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.crash.feed_checker import Change, Findings, judge_checkpoint, judge_own_cursor
from tests.crash.feed_child import WAYS, seen
from tests.crash.home import ask, end
from tests.crash.nodes import Engine, Nodes
from tests.crash.waiting import pass_moment, wait_until
from waypost.client.run_file import RunFile
from waypost.kernel.errors import StoreUnavailable

__all__ = ["FeedCampaign", "FeedPlan", "FeedReport", "main"]

LIMIT: Final = 20
"""Changes a page, so that pages are many."""
PATIENCE_SECONDS: Final = 120.0
PROJECT: Final = "feed"


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedPlan:
    """How often each consumer is killed, how many clients change things, and on what. A server is killed in every `server_every`th round."""

    kills: int
    seed: int
    engine: Engine = "sqlite"
    nodes: int = 1
    clients: int = 6
    server_every: int = 10


@dataclass(kw_only=True, slots=True)
class FeedReport:
    """What a campaign did and found."""

    plan: FeedPlan
    changes: int = 0
    server_kills: int = 0
    seconds: float = 0.0
    findings: dict[str, Findings] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def violations(self) -> list[str]:
        """Everything that should not have been."""
        return self.problems + [
            f"{way}: {words}" for way, found in self.findings.items() for words in found.violations[:20]
        ]

    def lines(self) -> list[str]:
        """The counts, one a line."""
        rate = self.changes / self.seconds if self.seconds else 0.0
        return [
            f"{self.plan}",
            f"changes: {self.changes} in {self.seconds:.0f} s ({rate:.0f} a second)",
            f"kills: {self.plan.kills} of each consumer, {self.server_kills} of servers",
            *(
                f"{way}: {found.pages} pages, {found.seen} changes seen, {found.repeats} of them again"
                for way, found in self.findings.items()
            ),
            *self.violations,
            f"violations: {len(self.violations)}",
        ]


class Load:
    """Clients that change things until they are stopped: each registers one session after the other."""

    def __init__(self, runs: list[RunFile], clients: int) -> None:
        self.done: list[str] = []
        self._runs = runs
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(clients)]

    def start(self) -> None:
        """Begins."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ends, after what was begun was acknowledged."""
        self._over.set()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)

    def _work(self, number: int) -> None:
        body = json.dumps({"project": PROJECT}).encode("ascii")
        for count in itertools.count():
            session = f"c{number}-{count}"
            while not self._put(session, body, count):
                pass_moment(0.02)
            self.done.append(session)
            if self._over.is_set():
                return

    def _put(self, session: str, body: bytes, count: int) -> bool:
        """Whether the session is known now; a node that was killed meanwhile is asked again."""
        try:
            status, words = ask(self._runs[count % len(self._runs)], "PUT", f"/v1/sessions/{session}", body)
        except StoreUnavailable:
            return False
        assert status < 400 or status >= 500, words
        return status < 400


class Consumer:
    """One consumer process after the other, on one log."""

    def __init__(self, way: str, folder: Path, run_files: Sequence[str], nodes: Nodes) -> None:
        self.log = folder / f"{way}.jsonl"
        self._nodes = nodes
        self._arguments = ("-m", "tests.crash.feed_child", way, str(self.log), str(LIMIT), *run_files)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the next one."""
        self._process = self._nodes.homes[0].start(*self._arguments)

    def kill(self) -> str | None:
        """Kills it; answers what it said where it had ended by itself."""
        process, self._process = self._process, None
        if process is None:
            return None
        ended = process.poll()
        words = None
        if ended is not None:
            assert process.stdout is not None
            words = f"a consumer ended with {ended}: {process.stdout.read().decode('utf-8', 'replace')[-800:]}"
        end(process)
        return words

    def size(self) -> int:
        """How much it has written."""
        return self.log.stat().st_size if self.log.exists() else 0

    def lines(self) -> list[dict[str, Any]]:
        """Its whole lines."""
        raw = self.log.read_bytes() if self.log.exists() else b""
        return [json.loads(line) for line in raw.split(b"\n")[:-1]]

    def last(self) -> str:
        """The cursor of the last change that it noted."""
        noted = [one[0] for line in self.lines() if line["kind"] == "page" for one in line["seen"]]
        return str(noted[-1]) if noted else ""


class FeedCampaign:
    """One run in a folder of its own."""

    def __init__(self, plan: FeedPlan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._rng = random.Random(plan.seed)
        self.report = FeedReport(plan=plan)

    def run(self) -> FeedReport:
        """Load, kills and judgement."""
        plan, began = self._plan, time.monotonic()
        with ExitStack() as stack:
            nodes = Nodes(stack, self._folder, engine=plan.engine, count=plan.nodes, seed=plan.seed)
            nodes.start()
            runs = [server.start() for server in nodes.servers]
            status, words = ask(runs[0], "PUT", f"/v1/projects/default/{PROJECT}", b"{}")
            assert status < 300, words
            files = [str(home.run_file) for home in nodes.homes]
            consumers = {way: Consumer(way, self._folder, files, nodes) for way in WAYS}
            load = Load(runs, plan.clients)
            load.start()
            stack.callback(load.stop)
            for consumer in consumers.values():
                stack.callback(consumer.kill)
                consumer.start()
            for number in range(plan.kills):
                self._round(number, nodes, runs, list(consumers.values()))
            load.stop()
            feed = _whole_feed(runs[0])
            self._settle(consumers, feed)
            self.report.seconds = time.monotonic() - began
            self._judge(consumers, feed, load.done)
        return self.report

    def _round(self, number: int, nodes: Nodes, runs: list[RunFile], consumers: list[Consumer]) -> None:
        """Each consumer dies once: at a random moment of its start, or after a random amount of work."""
        self._rng.shuffle(consumers)
        for consumer in consumers:
            if self._rng.random() < 0.8:
                before = consumer.size()
                more = self._rng.randrange(1, 4_000)
                wait_until(
                    lambda consumer=consumer, enough=before + more: consumer.size() >= enough,  # type: ignore[misc] # mypy infers no type for a default of a lambda
                    "a consumer's work",
                    seconds=PATIENCE_SECONDS,
                )
            pass_moment(self._rng.uniform(0, 0.05))
            words = consumer.kill()
            if words:
                self.report.problems.append(words)
            consumer.start()
        if (number + 1) % self._plan.server_every == 0:
            victim = nodes.kill()
            nodes.restart(victim)
            runs[nodes.servers.index(victim)] = victim.start()
            self.report.server_kills += 1

    def _settle(self, consumers: dict[str, Consumer], feed: Sequence[Change]) -> None:
        """Waits until both have seen the newest change, then ends them."""
        for consumer in consumers.values():
            wait_until(
                lambda consumer=consumer: consumer.last() == feed[-1][0],  # type: ignore[misc] # mypy infers no type for a default of a lambda
                "the last change",
                seconds=PATIENCE_SECONDS,
            )
            words = consumer.kill()
            if words:
                self.report.problems.append(words)

    def _judge(self, consumers: dict[str, Consumer], feed: Sequence[Change], done: Sequence[str]) -> None:
        report = self.report
        report.changes = len(feed)
        report.findings = {
            "own": judge_own_cursor(consumers["own"].lines(), feed),
            "server": judge_checkpoint(consumers["server"].lines(), feed),
        }
        told = [subject for _, kind, subject in feed if kind == "session.registered"]
        if sorted(told) != sorted(done):
            report.problems.append(f"{len(done)} sessions were acknowledged and {len(told)} told by the feed")


def _whole_feed(run: RunFile) -> list[Change]:
    """Every change, read from the first to the last."""
    feed: list[Change] = []
    place: dict[str, object] = {}
    while True:
        status, raw = ask(run, "GET", "/v1/changes", query={**place, "limit": 1_000})
        assert status == 200, raw
        page = json.loads(raw)
        feed += seen(page)
        place = {"after": page["next_cursor"]}
        if page["next_cursor"] == page["head"]:
            return feed


def main(arguments: Sequence[str]) -> int:
    """Runs a campaign, prints its counts, and answers 1 where anything was violated."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash.feed_campaign")
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--kills", type=int, default=50, help="of each consumer")
    parser.add_argument("--nodes", type=int, default=0, help="servers; 3 on postgres unless told otherwise")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    given = parser.parse_args(arguments)
    nodes = given.nodes or (3 if given.engine == "postgres" else 1)
    plan = FeedPlan(kills=given.kills, seed=given.seed, engine=given.engine, nodes=nodes)
    with tempfile.TemporaryDirectory(prefix="waypost-feed-") as scratch:
        report = FeedCampaign(plan, Path(scratch)).run()
    sys.stdout.write("\n".join([*report.lines(), ""]))
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
