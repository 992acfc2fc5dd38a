"""What `doctor` looks at for each coding agent: is Waypost in its files, once, at one level, with paths that live, trusted, and heard of;
and how many tools a client really gets, through a connection as clients make it. Changes nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost import __version__
from waypost.agents.files.edits import Broken, Item, times
from waypost.agents.files.writing import NotWritten
from waypost.agents.install import Installer, Level, Wanted, Where
from waypost.agents.known import INSTALLERS
from waypost.agents.plan import alive, our_programs
from waypost.cli.finding import Finding
from waypost.cli.setup import find_where, is_there
from waypost.client.run_file import RunFile
from waypost.client.transport import request
from waypost.kernel.errors import WaypostError

__all__ = ["check_clients", "check_tools", "clients_set_up"]

TOOLS_SECONDS = 45.0
EVENTS_SECONDS = 5.0


def check_clients(run: RunFile | None) -> Iterator[Finding]:
    """A finding or more for each client that is here or was set up."""
    where, heard = find_where(), _events(run)
    for installer in INSTALLERS:
        yield from _check(installer, where, heard.get(installer.name, ""))


def clients_set_up() -> list[str]:
    """The names of the clients in whose files Waypost stands, for the user or for this project."""
    where = find_where()
    found: list[str] = []
    for installer in INSTALLERS:
        try:
            if any(our_programs(installer.wanted(where, level, "waypost")) for level in installer.levels):
                found.append(installer.name)
        except (Broken, NotWritten):
            continue  # doctor names it
    return found


def check_tools(database: str) -> Finding:
    """The tools that a client gets, listed through the bridge."""
    command = [sys.executable, "-P", "-m", "waypost", "mcp", "--database", database]
    lines: list[dict[str, object]] = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "waypost-doctor", "version": __version__},
            },
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
    ]
    given = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and our own arguments
            command, input=given, capture_output=True, text=True, timeout=TOOLS_SECONDS, check=False, cwd="/"
        )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        tools = next(answer["result"]["tools"] for answer in answers if answer.get("id") == 2)
    except (OSError, ValueError, KeyError, StopIteration, subprocess.TimeoutExpired):
        return Finding(check="mcp tools", state="bad", found="the bridge listed no tools", remedy="waypost logs")
    return Finding(check="mcp tools", state="good", found=f"{len(tools)} listed through the bridge")


def _events(run: RunFile | None) -> dict[str, str]:
    """What was heard of each client last."""
    if run is None:
        return {}
    try:
        status, _, body = request(run, "GET", "/v1/hooks:events", deadline=time.monotonic() + EVENTS_SECONDS)
        items = json.loads(body)["items"] if status == 200 else []
    except (WaypostError, ValueError, KeyError):
        return {}
    return {item["client"]: f"last event {item['event']} at {item['at']}" for item in items}


def _check(installer: Installer, where: Where, heard: str) -> Iterator[Finding]:
    mend = f"waypost setup --write --client {installer.name}"
    found: dict[Level, list[tuple[Path, str, str]]] = {}
    for level in installer.levels:
        if level == "project" and where.directory == where.home:
            continue
        wanted = installer.wanted(where, level, "waypost")
        try:
            found[level] = [one for one in our_programs(wanted) if not one[1].startswith("skill")]
        except (Broken, NotWritten) as error:
            files = ", ".join(sorted({str(one.path) for one in wanted}))
            yield _finding(installer, "bad", f"one of {files} cannot be understood: {error}", "mend the file by hand")
            return
    levels = [level for level, entries in found.items() if entries]
    if not levels:
        if is_there(installer, where):
            yield _finding(installer, "odd", "not set up", mend)
        return
    if len(levels) > 1:
        remedy = f"waypost setup --remove --client {installer.name} --level project"
        yield _finding(installer, "bad", "set up for the user and for this project, so that all is told twice", remedy)
    at = levels[0]
    more = "" if at == "user" else " --level project"
    yield from _check_level(installer, where, at, entries=found[at], mend=mend + more, heard=heard)


def _check_level(
    installer: Installer, where: Where, level: Level, *, entries: list[tuple[Path, str, str]], mend: str, heard: str
) -> Iterator[Finding]:
    wanted = installer.wanted(where, level, "waypost")
    dead = sorted({program for _, _, program in entries if program and not alive(program)})
    missing = sorted({one.what for one in wanted} - {what for _, what, _ in entries if what})
    missing = [what for what in missing if not what.startswith("skill")]
    doubled = sorted(str(one.path) for one in wanted if _doubled(one))
    untrusted = installer.untrusted(where, level) if installer.untrusted else []
    if dead:
        yield _finding(installer, "bad", f"{', '.join(dead)} is named and is no program", mend)
    if missing:
        yield _finding(installer, "odd", f"not complete: {', '.join(missing)} missing", mend)
    if doubled:
        again = f"{mend.replace('--write', '--remove')} && {mend}"
        yield _finding(installer, "bad", f"hooks stand twice in {', '.join(doubled)}", again)
    if untrusted:
        remedy = f"type /hooks in {installer.title} and trust them"
        yield _finding(installer, "odd", f"hooks not trusted, so that none runs: {', '.join(untrusted)}", remedy)
    if not (dead or missing or doubled or untrusted):
        words = heard or (
            "no event yet" if "session" in installer.delivery or "prompt" in installer.delivery else "MCP"
        )
        yield _finding(installer, "good", f"set up for the {level}; {words}", "")


def _doubled(wanted: Wanted) -> bool:
    try:
        text = wanted.path.read_text(encoding="utf-8")
        return any(times(text, edit) > 1 for edit in wanted.edits if isinstance(edit, Item))
    except (OSError, ValueError):
        return False


def _finding(installer: Installer, state: Any, found: str, remedy: str) -> Finding:
    return Finding(check=installer.name, state=state, found=found, remedy=remedy)
