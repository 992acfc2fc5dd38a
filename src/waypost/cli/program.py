"""The program around the commands: its streams, its table of commands, and how each end becomes an exit status.

A command answers its status; refusals and bad usage are raised and end here. Knows no operation.
"""

from __future__ import annotations

import os
import sys

import click

from waypost import __version__
from waypost.cli.refused import Refused
from waypost.cli.tree import Place, Tree
from waypost.kernel.errors import InvalidInput, StoreUnavailable, WaypostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["program", "run"]

DONE, REFUSED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130

COMMANDS = {
    "message": Place("Mail", "waypost.cli.message:group", "Send, list, read and answer messages."),
    "decision": Place("Mail", "waypost.cli.decision:group", "Ask a person to decide, and answer."),
    "handoff": Place("Mail", "waypost.cli.handoff:group", "Notes to the next session of a project."),
    "project": Place("Mail", "waypost.cli.project:group", "Projects: the mailboxes of your repositories."),
    "session": Place("Mail", "waypost.cli.session:group", "Sessions: runs of a coding agent."),
    "changes": Place("Mail", "waypost.cli.changes:changes", "Show what changed, or follow it as it happens."),
    "serve": Place("Server", "waypost.cli.serving:serve", "Start the post office in this terminal."),
    "open": Place("Server", "waypost.cli.server:open_page", "Sign in to the page in your browser."),
    "status": Place(
        "Server", "waypost.cli.status:status", "Server, store, folders, and the project of this directory."
    ),
    "doctor": Place("Server", "waypost.cli.doctor:doctor", "Check everything; each check names what mends it."),
    "logs": Place("Server", "waypost.cli.logs:logs", "Show what the server wrote to its log."),
    "stop": Place("Server", "waypost.cli.server:stop", "Stop the running server."),
    "restart": Place("Server", "waypost.cli.server:restart", "Stop the running server and start it again."),
    "demo": Place("Server", "waypost.cli.demo:demo", "Try a realistic example in a scratch store."),
    "backup": Place("Store", "waypost.cli.store:backup", "Write a whole copy of the store."),
    "restore": Place("Store", "waypost.cli.store:restore", "Put a backup in the store's place."),
    "export": Place("Store", "waypost.cli.transfer:export", "Write everything to a file that every engine reads."),
    "import": Place("Store", "waypost.cli.transfer:import_", "Make an empty store of an export."),
    "migrate": Place("Store", "waypost.cli.store:migrate", "Bring the store's schema up to date."),
    "login": Place("Access", "waypost.cli.login:login", "Keep a token for a server."),
    "logout": Place("Access", "waypost.cli.login:logout", "Forget it."),
    "user": Place("Access", "waypost.cli.user:group", "Users of a shared server."),
    "token": Place("Access", "waypost.cli.token:group", "Tokens: how people, agents and programs come in."),
    "grant": Place("Access", "waypost.cli.grant:group", "Grants: what a user may do on a project."),
    "config": Place("Help", "waypost.cli.config:group", "Settings and where each comes from."),
    "docs": Place("Help", "waypost.cli.docs:docs", "Read the docs offline."),
    "completion": Place("Help", "waypost.cli.completion:completion", "Completion for bash, zsh or fish."),
    "setup": Place("Agents", "waypost.cli.setup:setup", "Connect coding agents: hooks, plugins and MCP."),
    "uninstall": Place(
        "Agents", "waypost.cli.uninstall:uninstall", "Take back what setup wrote; --purge removes all data."
    ),
    "mcp": Place("Agents", "waypost.cli.agents:mcp", "Speak MCP on stdin and stdout for one client."),
    "hook": Place("Agents", "waypost.cli.agents:hook", "What a coding agent's hooks call."),
}

program = Tree(
    name="waypost",
    places=COMMANDS,
    help="Waypost: the post office for coding agents.\n\nStart with `waypost demo`, or `waypost serve` and `waypost docs`.",
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            help="Show the version and exit.",
            callback=lambda context, parameter, value: _say_version(context, value),  # noqa: ARG005 - click's shape
        )
    ],
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and answers the exit status. Nothing is raised but a fault of Waypost's own."""
    _speak_utf8()
    given = _decoded(sys.argv[1:] if arguments is None else arguments)
    try:
        status = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
        return REFUSED
    except OSError as error:
        _drop_stdout()
        sys.stderr.write(f"error: the answer could not be written: {error.strerror}. What was asked for was done.\n")
        return REFUSED
    return status


def _run(arguments: list[str]) -> int:
    as_json = _asks_for_json(arguments)
    try:
        status = program.main(arguments, prog_name="waypost", standalone_mode=False)
    except click.UsageError as error:
        return _bad_usage(error, as_json=as_json)
    except (Refused, WaypostError) as error:
        return _refuse(error, as_json=as_json)
    except OSError as error:
        if error.filename is None:  # a stream, not a file
            raise
        return _refuse(
            StoreUnavailable(f"{error.filename}: {error.strerror}.", hint="See `waypost doctor`."), as_json=as_json
        )
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    return status if isinstance(status, int) else DONE


def _refuse(error: Refused | WaypostError, *, as_json: bool) -> int:
    from waypost.cli.output import refuse  # noqa: PLC0415 - only where something is refused

    refuse(error.problem(), as_json=as_json)
    return REFUSED


def _bad_usage(error: click.UsageError, *, as_json: bool) -> int:
    if isinstance(error, click.NoSuchOption) and error.ctx and _takes_body(error.ctx.command):
        words = f"{error.format_message()} A body that begins with a dash goes after `--`, or by --stdin."
        error = click.UsageError(words, ctx=error.ctx)
    if as_json:
        command = error.ctx.command_path if error.ctx else "waypost"
        _refuse(InvalidInput(error.format_message(), hint=f"See `{command} --help`."), as_json=True)
    else:
        error.show(sys.stderr)
    return BAD_USAGE


def _takes_body(command: click.Command) -> bool:
    return any(parameter.name == "body" for parameter in command.params)


def _asks_for_json(arguments: list[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _speak_utf8() -> None:
    """All three streams speak UTF-8 whatever the locale says. What cannot be written is shown, never an error; what is said where
    a stream was closed goes nowhere."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as above
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors=errors)


def _decoded(arguments: Sequence[str]) -> list[str]:
    """The arguments as UTF-8 where Python read them by another encoding."""
    if sys.getfilesystemencoding().lower() == "utf-8":
        return list(arguments)
    return [os.fsencode(argument).decode("utf-8", "surrogateescape") for argument in arguments]


def _drop_stdout() -> None:
    """Sends what Python would flush at its end nowhere, because the reader is gone or the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say_version(context: click.Context, value: bool) -> None:  # noqa: FBT001 - click's shape
    if value:
        click.echo(f"waypost {__version__}")
        context.exit()
