"""`waypost open`, `stop` and `restart`: what is asked of the running server of this store, and of no other."""

from __future__ import annotations

import json
import sys
import time

from waypost.cli.asked import Asked
from waypost.cli.command import make_command
from waypost.cli.dispatch import find_server, through
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.cli.refused import Refused
from waypost.client.errors import AnswerLost, ServerAway, ServerSlow
from waypost.client.folders import database_path, lock_path
from waypost.client.run_file import RunFile
from waypost.kernel.errors import Forbidden

__all__ = ["open_page", "restart", "stop", "stop_server"]

STOP_SECONDS = 20.0
PAUSE_SECONDS = 0.05


def _ask(run: RunFile, operation: str, output: Output) -> dict[str, object]:
    answer: dict[str, object] = json.loads(through(run, Asked(operation, {}, None, None, output.note)))
    return answer


def stop_server(how: How, output: Output) -> bool:
    """Stops the server of this store and waits until it let the store go; False where none ran. Refuses `store_unavailable`
    where it does not end."""
    database = database_path(how.database)
    run = find_server(how)
    if run is None or not run.process_lives():
        return False
    try:
        _ask(run, "server.stop", output)
    except ServerAway:
        return False
    except AnswerLost:
        pass  # it may end before it has answered
    deadline = time.monotonic() + STOP_SECONDS
    while run.process_lives() and not _is_free(database):
        if time.monotonic() >= deadline:
            raise ServerSlow(f"The server (process {run.pid}) does not end.", hint="Look at `waypost logs`.")
        time.sleep(PAUSE_SECONDS)
    return True


def _is_free(database: str) -> bool:
    """Whether no process has the store open. Its process may still be listed by then, where nobody took note of its end."""
    if sys.platform == "win32":
        return False
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        with open(lock_path(database), "rb") as lock:  # noqa: PTH123 - as the transport's files
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _stop(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    stopped = stop_server(how, output)
    if how.as_json:
        output.json(json.dumps({"stopped": stopped}))
    else:
        output.line("Stopped." if stopped else f"No server runs for {database_path(how.database)}.")
    return 0


def _restart(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    from waypost.client.launch import start_server  # noqa: PLC0415 - only where one is started

    stopped = stop_server(how, output)
    run = start_server(database_path(how.database))
    if how.as_json:
        output.json(json.dumps({"stopped": stopped, "pid": run.pid, "host": run.host, "port": run.port}))
    else:
        output.line(f"{'Started again' if stopped else 'Started'}: version {run.version}, process {run.pid}.")
    return 0


def _open(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    from waypost.client.launch import start_server  # noqa: PLC0415 - only where one may be started

    run = find_server(how)
    try:
        answer = _ask(run or start_server(database_path(how.database)), "server.open", output)
    except ServerAway:
        answer = _ask(start_server(database_path(how.database)), "server.open", output)
    return _show_page(str(answer["url"]), how, output)


def _show_page(url: str, how: How, output: Output) -> int:
    """Hands the link to the browser, and prints it on a terminal alone, because what else reads our output may keep it."""
    from waypost.client.browser import open_link  # noqa: PLC0415 - only where a page is opened

    opened = open_link(url)
    if not opened and not output.on_terminal:
        raise Refused(
            Forbidden(
                "No browser could be opened, and the link is printed on a terminal only. Nobody was signed in.",
                hint="Run `waypost open` in a terminal.",
            ).problem()
        )
    if how.as_json:
        output.json(json.dumps({"opened": opened}))
    elif opened:
        output.line("The page opens in your browser.")
    if output.on_terminal:
        output.note(
            "If it does not, open this link within a minute; it works once:" if opened else "Open within a minute:"
        )
        output.note(f"  {url}")
    return 0


stop = make_command("stop", _stop, summary="Stop the running server of this store.", example="waypost stop")
restart = make_command(
    "restart",
    _restart,
    summary="Stop the running server of this store and start it again in the background.",
    example="waypost restart",
)
open_page = make_command(
    "open",
    _open,
    summary="Sign in to the page in your browser; starts the server if none runs.",
    example="waypost open",
)
