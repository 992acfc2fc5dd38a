"""`waypost hook CLIENT EVENT`: hands the client's words to the running server, prints what it answers, and says that it was printed.

Invariant: exit status 0, and standard output holds the server's whole answer or nothing, whatever happens. Knows no client: the
server knows which words each of them accepts.
"""

from __future__ import annotations

import os

from waypost.client.errors import ServerAway, WaypostError
from waypost.client.folders import database_path, run_file_path
from waypost.client.percent import quote
from waypost.client.run_file import read_run_file
from waypost.client.transport import Connection
from waypost.hook.alarm import Alarm
from waypost.hook.log import log
from waypost.hook.payload import read_head
from waypost.hook.settings import HookSettings, hook_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.client.transport import Answer

__all__ = ["main"]

USAGE = b"usage: waypost hook CLIENT EVENT [--database URL]   (a coding agent runs it; see `waypost setup`)\n"
MAX_ANSWER_BYTES = 262_144
# Where a client names the directory that it was started in. Only its own counts: another client may be its parent.
DIRECTORY_VARIABLES = {
    "claude-code": "CLAUDE_PROJECT_DIR",
    "cursor": "CURSOR_PROJECT_DIR",
    "gemini-cli": "GEMINI_PROJECT_DIR",
}
# The names of a session's start, without signs and in lower case.
STARTS = frozenset({"sessionstart", "sessioncreated"})


class _Hook:
    """One run."""

    def __init__(self, client: str, event: str, database: str | None, alarm: Alarm) -> None:
        self._client = client
        self._event = event
        self._database = database_path(database)
        self._alarm = alarm

    def run(self, settings: HookSettings) -> None:
        """Raises `WaypostError` and OSError for what kept it from its work."""
        self._alarm.begin_reading()
        head, whole = read_head()
        self._alarm.end_reading()
        run = read_run_file(run_file_path(self._database))
        if run is None:
            self._away("No server runs.", settings)
            return
        try:
            connection = Connection(run, self._alarm.deadline)
        except ServerAway as away:
            self._away(away.detail, settings)
            return
        with connection:
            self._ask(connection, head, whole=whole)

    def _ask(self, connection: Connection, head: bytes, *, whole: bool) -> None:
        path = f"/v1/hooks/{quote(self._client)}/{quote(self._event)}"
        answer = connection.ask("POST", path, self._headers(whole=whole), head)
        text = answer.read(MAX_ANSWER_BYTES)
        if answer.status != 200:
            log(self._client, self._event, f"the server answered {answer.status}: {_detail(text)}")
            return
        if text:
            _print(text)
        told = answer.headers.get("waypost-told")
        if told:
            self._confirm(connection, told)

    def _confirm(self, connection: Connection, told: str) -> None:
        """Says that it was printed. The server gave the words to say it with."""
        headers = {**self._headers(whole=True), "Content-Type": "application/json", "Connection": "close"}
        answer: Answer = connection.ask("POST", "/v1/hooks:told", headers, told.encode("latin-1"))
        text = answer.read(MAX_ANSWER_BYTES)
        if answer.status != 200:
            log(self._client, self._event, f"what was printed was not noted, {answer.status}: {_detail(text)}")

    def _headers(self, *, whole: bool) -> dict[str, str]:
        headers = {"Waypost-Door": "hook", "Waypost-Payload": "whole" if whole else "head"}
        named = os.environ.get(DIRECTORY_VARIABLES.get(self._client, ""), "")
        if os.path.isabs(named):
            headers["Waypost-Directory"] = quote(named, keep="/:")
        else:
            try:
                headers["Waypost-Working-Directory"] = quote(os.getcwd(), keep="/:")
            except OSError:
                pass  # it was removed; the client's own words may name another
        return headers

    def _away(self, words: str, settings: HookSettings) -> None:
        """No server runs. At a session's start one is started, unless the settings forbid it; its news come at the next boundary."""
        starts = "".join(sign for sign in self._event.lower() if sign.isalnum()) in STARTS
        if not (starts and settings.start_server):
            log(self._client, self._event, words)
            return
        from waypost.client.launch import begin_server  # noqa: PLC0415 - only where no server runs

        begun = begin_server(self._database)
        log(self._client, self._event, f"{words} {'One was started.' if begun else 'One is being started.'}")


def main(arguments: list[str]) -> int:
    """Runs one hook and answers 0."""
    client, event, database = _read(arguments)
    if client is None:
        _usage()
        return 0
    alarm: Alarm | None = None
    try:
        settings = hook_settings()
        alarm = Alarm(client, event, settings.budget_seconds)
        _Hook(client, event, database, alarm).run(settings)
    except WaypostError as error:
        log(client, event, error.detail)
    except BaseException as error:
        log(client, event, f"failed: {type(error).__name__}")
    if alarm is not None:
        alarm.stop()
    return 0


def _read(arguments: list[str]) -> tuple[str | None, str, str | None]:
    """Client, event and database; no client where the arguments make no sense."""
    words = list(arguments)
    database = None
    if "--database" in words:
        at = words.index("--database")
        database = words[at + 1] if at + 1 < len(words) else None
        del words[at : at + 2]
    if len(words) != 2 or words[0].startswith("-"):
        return None, "", None
    return words[0], words[1], database


def _usage() -> None:
    log("", "", "called without a client and an event")
    try:
        os.write(2, USAGE)
    except OSError:
        return


def _print(text: bytes) -> None:
    view = memoryview(text)
    while view:
        view = view[os.write(1, view) :]


def _detail(text: bytes) -> str:
    return text[:300].decode("utf-8", "replace")
