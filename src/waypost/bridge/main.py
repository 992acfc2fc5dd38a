"""`waypost mcp`: reads its options, finds the client's directory, and serves standard input until it ends."""

from __future__ import annotations

import os
import sys

from waypost.bridge.lines import Input, Output
from waypost.bridge.relay import Relay
from waypost.bridge.session import Session
from waypost.client.errors import WaypostError
from waypost.client.folders import database_path
from waypost.client.percent import encode_query, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["client_directory", "main"]

USAGE = "usage: waypost mcp [--tools all] [--compat NAME] [--database URL]"
# Given to what is in flight when the client closes standard input or sends SIGTERM.
FINISH_SECONDS = 5.0
# Where a client says in which directory it works; each counts only if it is an absolute path of an existing directory.
DIRECTORY_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS")


def main(arguments: list[str]) -> int:
    """Runs the bridge: 0 at the end of standard input or by SIGTERM, 2 for options it does not know."""
    try:
        options = _options(arguments)
        database = database_path(options.pop("database", None))
    except (ValueError, WaypostError) as error:
        _say(f"waypost mcp: {error}\n{USAGE}\n")
        return 2
    output = Output(_take_standard_output())
    directory = client_directory(os.environ)
    query = encode_query(options)
    target = f"/mcp?{query}" if query else "/mcp"
    relay = Relay(database, target, quote(directory, keep="/:") if directory else None, output)
    session = Session(relay, directory, output)
    standard_input = Input(0)
    for line in standard_input.lines():
        session.take(line)
        if standard_input.wake is None and sys.platform != "win32":  # where only sockets can be waited for together
            standard_input.wake = _watch_signals()
    session.finish(FINISH_SECONDS)
    return 0


def _options(arguments: list[str]) -> dict[str, str]:
    """The options by name. Raises ValueError for what is not one."""
    options: dict[str, str] = {}
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name not in {"--tools", "--compat", "--database"}:
            raise ValueError(f"unknown option {name!r}")
        if not equals:
            if not left:
                raise ValueError(f"{name} needs a value")
            value = left.pop(0)
        options[name[2:]] = value
    return options


def client_directory(environ: Mapping[str, str]) -> str | None:
    """The absolute path of the directory that the client works in; None where it names none.

    The root directory is where desktop programs start their servers, and no project.
    """
    for name in DIRECTORY_VARIABLES:
        path = environ.get(name, "")
        if os.path.isabs(path) and os.path.isdir(path) and path != os.sep:
            return path
    try:
        path = os.getcwd()
    except OSError:
        return None
    return path if path != os.sep else None


def _take_standard_output() -> int:
    """A private copy of standard output; descriptor 1 then leads to standard error, so that a stray print harms no client."""
    copy = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
    return copy


def _watch_signals() -> int:
    """The descriptor that gets a byte when SIGTERM or SIGINT comes. A handler that raised could come too late for the read that
    it is to end, and too early for the answer being written."""
    import signal  # noqa: PLC0415 - after the first answer; before it, a signal simply ends the process

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    return reading


def _say(text: str) -> None:
    try:
        os.write(2, text.encode("utf-8", "replace"))
    except OSError:
        return
