"""The kill campaign: `python -m tests.crash.campaign [--engine postgres --nodes 3 --sends 20000 --kills 60 --seed N --short]`.

First many client processes work through real servers, then as many commands without one, while servers, clients, commands and, with
several nodes on Postgres, the database are killed at random moments. At the end a last server lists everything, the checker
judges, and the counts are printed. Exits with 1 on any violation.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.crash.checker import Verdict, judge, read_records
from tests.crash.cli_clients import CliClients
from tests.crash.crew import Crew, Progress
from tests.crash.home import ask
from tests.crash.listing import list_all
from tests.crash.nodes import Nodes
from tests.crash.plan import Kill, Plan, kills_of, parse_plan
from tests.crash.record import Record
from tests.crash.waiting import pass_moment, wait_until
from tests.crash.work import project_name

__all__ = ["Campaign", "Report", "main"]

STALLED_SECONDS: Final = 300.0
"""So long without a further acknowledged send is a violation of its own."""


class Report:
    """What a campaign did and found."""

    def __init__(self) -> None:
        self.kills: Counter[str] = Counter()
        self.restarts = 0
        self.longest_restart = 0.0
        self.seconds: dict[str, float] = {}
        self.verdict = Verdict()

    def lines(self) -> list[str]:
        """The counts, one a line."""
        counts = self.verdict.counts
        wrong = (
            "lost",
            "double pops",
            "stored twice",
            "altered",
            "pop undone",
            "cancel undone",
            "ack lost",
            "never asked for",
        )
        named = [f"{name}: {counts[name]}" for name in wrong]
        other = [f"{name}: {count}" for name, count in sorted(counts.items()) if name not in wrong]
        return [
            *other,
            f"kills: {self.kills.total()} ({', '.join(f'{name} {count}' for name, count in self.kills.items())})",
            f"restarts of servers: {self.restarts}, the longest {self.longest_restart:.1f} s",
            f"refusals: {dict(self.verdict.refusals)}",
            *named,
            f"seconds: {', '.join(f'{name} {seconds:.0f}' for name, seconds in self.seconds.items())}",
            *self.verdict.violations[:50],
            f"violations: {len(self.verdict.violations)}",
        ]


class Campaign:
    """One run in a folder of its own."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._records = folder / "records"
        self._records.mkdir(parents=True)
        self._progress = Progress(self._records)
        self._problems: list[str] = []
        self.report = Report()

    def run(self) -> Report:
        """Both phases and the judgement."""
        plan = self._plan
        first, second = kills_of(plan)
        with ExitStack() as stack:
            self._nodes = Nodes(stack, self._folder, engine=plan.engine, count=plan.nodes, seed=plan.seed)
            self._timed("served", lambda: self._serve(first))
            self._timed("commands", lambda: self._command(second))
            self._timed("judged", self._judge)
        self.report.restarts, self.report.longest_restart = self._nodes.restarts, self._nodes.longest_restart
        return self.report

    def _timed(self, name: str, work: object) -> None:
        began = time.monotonic()
        assert callable(work)
        work()
        self.report.seconds[name] = time.monotonic() - began

    # -- the first phase -----------------------------------------------------------------------------------------------

    def _serve(self, kills: Sequence[Kill]) -> None:
        plan = self._plan
        run = self._nodes.start()
        self._nodes.forget_first_starts()
        for number in range(plan.projects):
            status, words = ask(run, "PUT", f"/v1/projects/default/{project_name(number)}", b"{}")
            assert status < 300, words
        crew = Crew(self._nodes.homes, self._records, size=plan.clients, seed=plan.seed, projects=plan.projects)
        crew.start()
        try:
            for kill in kills[:-1]:
                self._until(kill)
                if kill.victim == "server":
                    self._kill_server(kill)
                elif kill.victim == "database":
                    self._restart_database(kill)
                else:
                    self._counted("client")
                    crew.kill_one()
            self._until(kills[-1])
            self._kill_server(kills[-1])
            self._problems += crew.stop()
            self._counted("server at rest", self._nodes.kill_all())
        finally:
            crew.close()

    def _kill_server(self, kill: Kill) -> None:
        server = self._nodes.kill()
        self._counted("server")
        if kill.again is not None:
            server.spawn()
            pass_moment(kill.again)
            server.kill()
            self._counted("server")
        self._nodes.restart(server)

    def _restart_database(self, kill: Kill) -> None:
        server = self._nodes.kill() if kill.node else None
        self._nodes.restart_database(kill.mode)
        self._counted(f"database, {kill.mode}")
        if server is not None:
            self._counted("server")
            self._nodes.restart(server)

    # -- the second phase ----------------------------------------------------------------------------------------------

    def _command(self, kills: Sequence[Kill]) -> None:
        plan = self._plan
        before = self._progress.sends()
        records = [Record(self._records / f"command-{number:02d}.jsonl") for number in range(plan.clients)]
        seed = f"commands-{plan.seed}"
        clients = CliClients(self._nodes.homes, records, self._problems, seed=seed, projects=plan.projects)
        rng = random.Random(f"killer-{plan.seed}")
        clients.start()
        try:
            for kill in kills:
                self._until(kill, before=before)
                wait_until(lambda: self._problems or clients.kill_one(rng), "a running command")
                self._counted("command")
            self._until(Kill(after_sends=plan.sends - before, victim="command", moment=0.0), before=before)
        finally:
            clients.stop()
            for record in records:
                record.close()

    # -- the judgement -------------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        run = self._nodes.start()
        assert run.host is not None
        assert run.port is not None
        listing = list_all(run.host, run.port, [project_name(number) for number in range(self._plan.projects)])
        (self._records.parent / "listing.json").write_text(json.dumps(listing), encoding="utf-8")
        verdict = judge(read_records(self._records), listing)
        self._problems += self._nodes.stop()
        for problem in self._problems + self._nodes.problems():
            verdict.wrong("problems", problem)
        self.report.verdict = verdict

    # -- waiting -------------------------------------------------------------------------------------------------------

    def _until(self, kill: Kill, *, before: int = 0) -> None:
        """Waits until so many sends were acknowledged, as long as there are more from time to time, and then the moment."""
        while (done := self._progress.sends() - before) < kill.after_sends and not self._problems:
            wait_until(
                lambda done=done: self._problems or self._progress.sends() - before > done,  # type: ignore[misc] # mypy infers no type for a default of a lambda
                "a further acknowledged send",
                seconds=STALLED_SECONDS,
            )
        pass_moment(kill.moment)

    def _counted(self, victim: str, count: int = 1) -> None:
        self.report.kills[victim] += count


def main(arguments: Sequence[str]) -> int:
    """Runs a campaign, prints its counts, and answers 1 where anything was violated."""
    plan, keep = parse_plan(arguments)
    with tempfile.TemporaryDirectory(prefix="waypost-crash-") as scratch:
        folder = Path(keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        report = Campaign(plan, folder).run()
    sys.stdout.write("\n".join([f"{plan}", *report.lines(), ""]))
    return 1 if report.verdict.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
