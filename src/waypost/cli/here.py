"""Running an operation in this process, where no server has the store: take the lock, run the pipeline, let go.

While the lock is somebody else's, a server that appears is found and used instead. Imported only without a server.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from waypost.assembly.settings import Settings, load_settings
from waypost.assembly.waypost import Waypost, open_waypost
from waypost.cli.asked import Asked, working_directory
from waypost.cli.logins import armed, place_of_store
from waypost.client.folders import find_folders, run_file_path
from waypost.client.postgres_url import is_postgres
from waypost.client.run_file import RunFile, read_run_file
from waypost.identity.models import Workdir
from waypost.identity.workdir import look_at
from waypost.kernel.errors import InvalidInput, StoreBusy
from waypost.kernel.time import SECOND, parse_instant
from waypost.operations.authority import authenticate, with_credential
from waypost.operations.call import Call, Caller, Rights

__all__ = ["config_file", "local_settings", "open_here", "run_here"]

BUSY_SECONDS = 5.0
"""After so long without the lock a verb is refused (`store_busy`)."""
TURN_SECONDS = 0.2
"""How long one try for the lock lasts before a server is looked for again."""
LOOK_SECONDS = 1.0
"""How often a waiting command looks whether another process changed the store or a server appeared."""


def config_file() -> Path:
    """Where `config.toml` stands."""
    return Path(find_folders().config) / "config.toml"


def local_settings() -> Settings:
    """The settings of this account, without options. Refuses `invalid_input`."""
    return load_settings(config_file(), os.environ, {})


def open_here(database: str, *, away: str = "", seconds: float = BUSY_SECONDS) -> Waypost | RunFile:
    """The store, opened in this process, or the run file of a server that appeared meanwhile; not of the one whose key is `away`,
    which was found not to listen. Refuses `store_busy` after `seconds`, and what opening a store refuses."""
    settings = local_settings()
    deadline = time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        try:
            return open_waypost(database, settings, lock_timeout=max(0.0, min(TURN_SECONDS, left)))
        except StoreBusy:
            run = _server(database, away)
            if run is not None:
                return run
            if left <= 0:
                raise


def run_here(asked: Asked, database: str, *, away: str = "") -> tuple[str, str] | RunFile:
    """The operation's answer as JSON text and the store's place, or the run file of a server that appeared and must be asked instead."""
    if asked.wait:
        return _wait(asked, database, away)
    return _run(asked, database, away)


def _server(database: str, away: str) -> RunFile | None:
    run = read_run_file(run_file_path(database))
    return run if run is not None and run.key != away and run.process_lives() else None


def _run(asked: Asked, database: str, away: str) -> tuple[str, str] | RunFile:
    workdir = _workdir()
    opened = open_here(database, away=away)
    if isinstance(opened, RunFile):
        return opened
    try:
        place = place_of_store(opened.store.facts.store_id)
        caller = Caller(
            door="cli", rights=Rights.OWNER, login=opened.login, workdir=workdir, bound_session=asked.session
        )
        token = armed(asked, place).token
        if token is not None:
            caller = with_credential(caller, opened.store.read(lambda tx: authenticate(tx, token)).credential)
        return opened.run(asked.operation, Call(caller=caller, fields=asked.fields, key=asked.key)).json, place
    finally:
        opened.close()


def _workdir() -> Workdir | None:
    directory = working_directory()
    if directory is None:
        return None
    try:
        return look_at(directory)
    except (InvalidInput, OSError):
        return None


def _wait(asked: Asked, database: str, away: str) -> tuple[str, str] | RunFile:
    """Looks, lets the store go so that others can write to it, and looks again when its files changed, when the next message
    comes due, or when time is up."""
    deadline = time.monotonic() + asked.wait
    while True:
        answer = _run(asked, database, away)
        if isinstance(answer, RunFile):
            return answer
        found = json.loads(answer[0])
        if _is_news(found) or time.monotonic() >= deadline:
            return answer
        if asked.operation == "changes.list" and "consumer" not in asked.fields:
            asked = asked._replace(fields={**asked.fields, "after": found["next_cursor"]})
        due_at = found.get("next_due_at")
        until_due = parse_instant(due_at, field="next_due_at") / SECOND - time.time() if due_at else None
        run = _sleep_until_changed(database, deadline, until_due, away)
        if run is not None:
            return run


def _is_news(found: dict[str, Any]) -> bool:
    """Whether an answer of what waits says more than that nothing came: mail, or changes, a gap, or more to look at."""
    if "retry" in found:
        return not found["retry"]
    return bool(found["items"] or found["gap"] or found["next_cursor"] != found["head"])


def _sleep_until_changed(database: str, deadline: float, until_due: float | None, away: str) -> RunFile | None:
    """Until the store's files change, `until_due` seconds passed or the deadline; a server that appears is answered."""
    seen = _stamp(database)
    due = time.monotonic() + max(until_due, 0.0) if until_due is not None else deadline
    while True:
        left = min(deadline, due) - time.monotonic()
        if left <= 0:
            return None
        time.sleep(min(LOOK_SECONDS, left))
        run = _server(database, away)
        if run is not None:
            return run
        if _stamp(database) != seen:
            return None


def _stamp(database: str) -> tuple[int, ...]:
    """What changes when another process wrote to the store; of a database that is no file nothing is known, so it is looked at."""
    if is_postgres(database):
        return (time.monotonic_ns(),)
    stamp: list[int] = []
    for path in (Path(database), Path(f"{database}-wal")):
        try:
            found = path.stat()
            stamp += [found.st_ino, found.st_size, found.st_mtime_ns]
        except OSError:
            stamp.append(0)
    return tuple(stamp)
