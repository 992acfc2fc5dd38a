"""`waypost status`: in short, the server, the store, the folders, and the project of this directory and how it was found."""

from __future__ import annotations

import json
import os

from waypost import __version__
from waypost.cli.client_checks import clients_set_up
from waypost.cli.command import make_command
from waypost.cli.dispatch import ask, find_server
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.cli.refused import Refused
from waypost.client.errors import ServerAway
from waypost.client.folders import database_path, find_folders
from waypost.client.run_file import RunFile
from waypost.client.transport import request
from waypost.kernel.errors import WaypostError

__all__ = ["status"]

Record = dict[str, object]
FOLDERS = ("data", "state", "config", "log")


def _status(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    database, folders = database_path(how.database), find_folders()
    run = find_server(how)
    record: Record = {
        "version": __version__,
        "server": _server(run),
        "database": database,
        "folders": {name: getattr(folders, name) for name in FOLDERS},
        "store": None,
        "project": None,
        "agents": clients_set_up(),
        "problem": None,
    }
    # A look makes nothing, and asking would make the store; a database that is no file is asked only through a server.
    if run is not None or os.path.exists(database):  # noqa: PTH110 - as the transport's files
        try:
            record["store"] = json.loads(ask("store.show", {}, how))
            record["project"] = json.loads(ask("project.which", {}, how))
        except Refused as refused:
            record["problem"] = refused.problem()
    if how.as_json:
        output.json(json.dumps(record))
    else:
        _print(record, output)
    return 0


def _server(run: RunFile | None) -> Record | None:
    """What the run file says, where its server answers."""
    if run is None:
        return None
    try:
        _, headers, _ = request(run, "GET", "/healthz")
    except ServerAway:
        return None
    except WaypostError as error:
        return {"pid": run.pid, "problem": error.detail}
    return {"pid": run.pid, "version": headers.get("waypost-version"), "host": run.host, "port": run.port}


def _print(record: Record, output: Output) -> None:
    output.line(f"waypost   {record['version']}")
    output.line(f"server    {_server_line(record['server'])}")
    store, project = record["store"], record["project"]
    output.line(
        f"database  {record['database']}{'' if store or record['problem'] else _unknown(str(record['database']))}"
    )
    if isinstance(store, dict):
        output.line(f"schema    {store['schema_version']}, {store['engine']} {store['engine_version']}")
    if isinstance(project, dict):
        scope = project["resolved_scope"]
        name = f"{scope['workspace']}/{scope['project']}" if scope["project"] else "none"
        output.line(f"project   {name}, found by {project['scope_source']}{' (a guess)' if project['guessed'] else ''}")
        if project["hint"]:
            output.note(f"hint: {project['hint']}")
    agents = record["agents"]
    assert isinstance(agents, list)
    output.line(f"agents    {', '.join(agents) or 'none set up; `waypost setup` shows how'}")
    folders = record["folders"]
    assert isinstance(folders, dict)
    for name, place in folders.items():
        output.line(f"{name:<10}{place}")
    problem = record["problem"]
    if isinstance(problem, dict):
        output.line(f"problem   {problem['detail']} [{problem['code']}]")
        output.aside(f"hint      {problem['hint']}")


def _unknown(database: str) -> str:
    return "" if "://" in database else "  (not there yet)"


def _server_line(server: object) -> str:
    if not isinstance(server, dict):
        return "not running; `waypost serve` starts it"
    if "problem" in server:
        return f"process {server['pid']}: {server['problem']}"
    return f"process {server['pid']}, version {server['version']}, http://{server['host']}:{server['port']}"


status = make_command(
    "status",
    _status,
    summary="Say in short which server, store, folders and project are used here.",
    example="waypost status",
)
