"""What `doctor` looks at. Each check answers what it found and, where something is wrong, the command that mends it.

Nothing is made or changed, but that a store which no server has is opened to be checked.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from waypost import __version__
from waypost.assembly.keeping import check_engine, check_place, find_problems
from waypost.assembly.waypost import Waypost
from waypost.cli.asked import working_directory
from waypost.cli.client_checks import check_clients, check_tools
from waypost.cli.dispatch import ask, find_server
from waypost.cli.finding import Finding
from waypost.cli.here import local_settings, open_here
from waypost.cli.options import How
from waypost.cli.refused import Refused
from waypost.client.errors import ForeignServer, ServerAway
from waypost.client.folders import database_path, find_folders, run_file_path
from waypost.client.postgres_url import is_postgres
from waypost.client.run_file import RunFile
from waypost.client.transport import request
from waypost.kernel.errors import WaypostError

__all__ = ["Finding", "examine"]

SERVER_SECONDS = 5.0
LOOPBACK_SECONDS = 2.0


def examine(how: How) -> list[Finding]:
    """Every check, in the order in which a fault of one explains the next."""
    database = database_path(how.database)
    run = find_server(how)
    findings = [_python(), _refusable("sqlite", check_engine), _settings(), *_folders(), *_loopback()]
    server = _server(run, database)
    findings.append(server)
    if run is None or server.state == "odd":
        findings += _store(database)
    else:
        findings.append(_schema(how))
    if server.state != "bad" and (run is not None or Path(database).exists()):
        findings.append(_project(how))
    if run is not None and server.state == "good":
        findings.append(check_tools(database))
    findings += check_clients(run if server.state == "good" else None)
    return findings


def _python() -> Finding:
    return Finding(check="python", state="good", found=f"{platform.python_version()}, waypost {__version__}")


def _refusable(check: str, look: Callable[[], str]) -> Finding:
    """A check that answers what it found, or refuses with what is wrong and what mends it."""
    try:
        return Finding(check=check, state="good", found=look())
    except WaypostError as error:
        return Finding(check=check, state="bad", found=error.detail, remedy=error.hint)
    except Refused as refused:
        problem = refused.problem()
        return Finding(check=check, state="bad", found=str(problem["detail"]), remedy=str(problem.get("hint", "")))


def _settings() -> Finding:
    def look() -> str:
        local_settings()
        return "config.toml and the environment can be read"

    return _refusable("settings", look)


def _folders() -> Iterator[Finding]:
    folders = find_folders()
    for name in ("data", "state", "config", "log"):
        place = Path(getattr(folders, name))
        there = next((folder for folder in (place, *place.parents) if folder.exists()), place)
        if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
            found = str(place) if place.exists() else f"{place} (not there yet)"
            yield Finding(check=f"{name} folder", state="good", found=found)
        else:
            remedy = f"chmod u+rwx '{there}', or set WAYPOST_HOME to a folder that you may write"
            yield Finding(check=f"{name} folder", state="bad", found=f"{there} cannot be written", remedy=remedy)


def _loopback() -> Iterator[Finding]:
    """Whether this process may speak to itself: some sandboxes of coding agents forbid it, and then no server is reached."""
    remedy = "allow local connections in the agent's sandbox, or run waypost outside of it"
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as listening,
            socket.create_connection(listening.getsockname(), timeout=LOOPBACK_SECONDS),
        ):
            pass
        yield Finding(check="loopback", state="good", found="127.0.0.1 can be reached")
    except OSError as error:
        found = f"127.0.0.1 cannot be reached: {error.strerror or error}"
        yield Finding(check="loopback", state="bad", found=found, remedy=remedy)


def _server(run: RunFile | None, database: str) -> Finding:
    if run is None:
        return Finding(check="server", state="odd", found="none runs", remedy="waypost serve, or waypost restart")
    try:
        status, headers, _ = request(run, "GET", "/readyz", deadline=time.monotonic() + SERVER_SECONDS)
    except ServerAway:
        place = run_file_path(database)
        found = f"the run file {place} is left over from process {run.pid}, which does not listen"
        return Finding(check="server", state="odd", found=found, remedy="waypost restart")
    except ForeignServer as error:
        return Finding(
            check="server", state="bad", found=f"{error.detail} (process {run.pid})", remedy="waypost restart"
        )
    except WaypostError as error:
        return Finding(check="server", state="bad", found=error.detail, remedy="waypost restart")
    version = headers.get("waypost-version", "")
    if status != 200:
        return Finding(check="server", state="bad", found=f"process {run.pid} is not ready", remedy="waypost logs")
    if version != __version__:
        found = f"process {run.pid} is of version {version}, this command of {__version__}"
        return Finding(check="server", state="bad", found=found, remedy="waypost restart")
    return Finding(check="server", state="good", found=f"process {run.pid} serves this store")


def _store(database: str) -> Iterator[Finding]:
    """The store that no server has: where it lies, who holds it, its schema and its pages."""
    remote = is_postgres(database)
    if not remote and not Path(database).exists():
        yield Finding(check="store", state="good", found=f"{database} is not there yet; the first command makes it")
        return

    place = _refusable("store", lambda: check_place(database))
    yield place
    if remote or place.state == "bad":
        return

    def pages() -> str:
        opened = open_here(database)
        if not isinstance(opened, Waypost):
            return "a server has it now"
        try:
            problems = find_problems(opened)
            schema = opened.store.facts.schema
        finally:
            opened.close()
        return f"schema {schema}; {'; '.join(problems)}" if problems else f"schema {schema}, every page is sound"

    found = _refusable("pages", pages)
    if found.state == "good" and ";" in found.found:
        found = Finding(check="pages", state="bad", found=found.found, remedy="waypost restore BACKUP")
    yield found


def _schema(how: How) -> Finding:
    def look() -> str:
        store = json.loads(ask("store.show", {}, how))
        return f"schema {store['schema_version']}, {store['engine']} {store['engine_version']}"

    return _refusable("store", look)


def _project(how: How) -> Finding:
    try:
        which = json.loads(ask("project.which", {}, how))
    except Refused as refused:
        problem = refused.problem()
        return Finding(check="project", state="bad", found=str(problem["detail"]), remedy=str(problem["hint"]))
    scope, source = which["resolved_scope"], which["scope_source"]
    if not which["guessed"]:
        return Finding(check="project", state="good", found=f"{scope['workspace']}/{scope['project']}, by {source}")
    remedy = "waypost project allow" if source == "unconfirmed" else "waypost project add"
    return Finding(
        check="project", state="odd", found=f"{working_directory()} is no confirmed project here", remedy=remedy
    )
