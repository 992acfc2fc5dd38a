"""The scripted day of docs/day.md: the real command line and real servers, and a reminder that comes due while none runs.

`python -m tests.docs.day FILE` runs it and writes the page. What differs from run to run (ids, tokens, times, ages) is shown by a name,
so that the page is the same each time and a test compares it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["PAGE", "Day", "record"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "day.md"
COMMAND_SECONDS = 60.0
MOST_LOOKS = 500
TOKEN = re.compile(r"\b[0-9a-f]{32}\b")
NAMED = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"), "ID"),
    (TOKEN, "TOKEN"),
    (re.compile(r"\b[0-9a-f]{8,16}(?=[: ]|\])"), "TAG"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)"), "TIME"),
    (re.compile(r"\b\d+ ?s(?:econds?)?\b"), "SECONDS"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://127.0.0.1:7433"),
    (re.compile(r" {2,}"), "  "),
)
HEAD = """# A day with a reminder

A reminder is set, the server is stopped over the time that it is due and started again, and the reminder is delivered once, late. One session puts it
off with what it found; another one finishes it. Every command here is run by the suite, and the page is what they printed, with a name in the
place of each id, token and time (`python -m tests.docs.day docs/day.md` writes it).
"""


class Day:
    """One run in a folder of its own. `lines` is what a reader sees; `message` and `token` what earlier commands answered, `arrived` what
    was unread in the morning."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environ = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
        self._environ |= {"WAYPOST_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120"}
        self._server: subprocess.Popen[bytes] | None = None
        self.lines: list[str] = []
        self.message = self.token = ""
        self.arrived: list[dict[str, Any]] = []

    def say(self, sentence: str) -> None:
        self.lines += ["", sentence, ""]

    def show(self, command: str) -> str:
        """Runs a command and shows it with what it printed."""
        printed = self.run(command)
        self.lines += ["```console", f"$ {command}", *printed.strip().splitlines(), "```"]
        return printed

    def claim(self, command: str) -> None:
        """Shows a claim and keeps the token that it printed."""
        found = TOKEN.search(self.show(command))
        assert found is not None, "a claim prints its token"
        self.token = found.group()

    def ask(self, command: str) -> Any:
        """The JSON answer of a command that the page does not show."""
        return json.loads(self.run(f"{command} --json"))

    def run(self, command: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command.replace("$ID", self.message).replace("$TOKEN", self.token))],
            cwd=self._folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=COMMAND_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def serve(self) -> None:
        """Starts the server, shown as a person would type it; returns once it answers."""
        command = [sys.executable, "-m", "waypost", "serve", "--port", "0"]
        self._server = subprocess.Popen(
            command, cwd=self._folder, env=self._environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(MOST_LOOKS):
            if self.ask("waypost status")["server"] is not None:
                break
        self.lines += ["```console", "$ waypost serve &", "```"]

    def stop(self) -> None:
        """Stops the server and waits for its end."""
        if self._server is not None and self._server.poll() is None:
            self.show("waypost stop")
            self._server.wait(COMMAND_SECONDS)

    def end(self) -> None:
        """Ends what a run that broke left behind."""
        if self._server is not None and self._server.poll() is None:
            self._server.kill()
            self._server.wait(COMMAND_SECONDS)


def record(day: Day) -> str:
    """The page, from a run of a day that has not begun."""
    try:
        _evening(day)
        _night(day)
        _morning(day)
        _noon(day)
        day.stop()
    finally:
        day.end()
    text = "\n".join(line.rstrip() for line in day.lines)
    for what, name in NAMED:
        text = what.sub(name, text)
    return f"{HEAD}{text}\n"


def _evening(day: Day) -> None:
    day.say(
        "**Evening.** The agent of project `api`, session `S1`, leaves a reminder for whoever works there when it is due."
    )
    day.serve()
    day.show("waypost project add --project api")
    day.show(
        "waypost message send --project api --session S1 --subject 'Renew the certificate' --delay-seconds 6"
        " 'Renew it, and write down when the next one ends.'"
    )
    day.message = day.ask("waypost message list --project api --status scheduled")["items"][0]["id"]


def _night(day: Day) -> None:
    day.say("**Night.** The server is stopped, and the time passes at which the reminder is due.")
    day.stop()
    for _ in range(MOST_LOOKS):
        if not day.ask("waypost message list --project api --status scheduled")["items"]:
            return
    raise RuntimeError("the reminder did not come due")


def _morning(day: Day) -> None:
    day.say(
        "**Morning.** The server starts, and the reminder is there once. Session `S2` claims it, and finds that it is too early."
    )
    day.serve()
    day.show("waypost message list --project api --session S2")
    day.arrived = day.ask("waypost message list --project api --session S2")["items"]
    day.claim("waypost message claim --project api --session S2 --id $ID --occurrence 1")
    day.show(
        "waypost message snooze --project api --session S2 --id $ID --occurrence 1 --token $TOKEN --delay-seconds 1"
        " --outcome 'The authority renews from noon on.'"
    )


def _noon(day: Day) -> None:
    day.say(
        "**Noon.** It comes due again, with the finding. Session `S3` waits for it, claims it and finishes it; nothing is left."
    )
    day.ask("waypost message wait --project api --session S3 --timeout-seconds 50")
    day.show("waypost message list --project api --session S3")
    day.claim("waypost message claim --project api --session S3 --id $ID --occurrence 2")
    day.show(
        "waypost message complete --project api --session S3 --id $ID --occurrence 2 --token $TOKEN"
        " --outcome 'Renewed. The next one ends on 2027-11-30.'"
    )
    day.show("waypost message list --project api --session S3")
    day.say("What happened to it stays on record, here and on the page of the message (`waypost open`).")
    day.show("waypost message view --project api --id $ID")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="wpd-") as folder:
        page = record(Day(Path(folder)))
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page, encoding="utf-8")
    else:
        sys.stdout.write(page)


if __name__ == "__main__":
    main()
