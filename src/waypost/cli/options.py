"""Every option of the command line, once: its field, its words, its kind. Commands name the fields that they take.

An option is named as its field unless `flag` says otherwise; so is its variable, `WAYPOST_` before it, where it has one.
"""

from __future__ import annotations

from typing import NamedTuple

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ACTING",
    "COMMON",
    "OPTIONS",
    "REACH",
    "SPEECH",
    "How",
    "Option",
    "make_argument",
    "make_options",
    "take_how",
]


class Option(NamedTuple):
    """One option. `kind` is `text`, `texts` for one that may be given several times, `number`, `switch`, or the values that it
    takes."""

    help: str
    kind: str | tuple[str, ...] = "text"
    flag: str = ""
    variable: str = ""


OPTIONS = {
    "message_id": Option("The message's id.", flag="--id"),
    "occurrence": Option("The occurrence that is meant, as list shows it.", "number"),
    "token": Option("The token that claim answered."),
    "outcome": Option("What was found or done, or why, for the record."),
    "all": Option("Every open message that the own project sent.", "switch"),
    "inbox": Option("Mail received (default).", "switch"),
    "outbox": Option("Mail sent.", "switch"),
    "status": Option("Default: unread; for the outbox open.", ("unread", "open", "scheduled", "closed", "all")),
    "thread": Option("Only this thread: the id of its first message."),
    "from": Option("Only from this project.", flag="--from"),
    "query": Option("Only where subject or body holds these words."),
    "turn": Option("Only what is about this turn of the session.", "number"),
    "limit": Option("How many at most (50, up to 500; of changes 100, up to 1,000).", "number"),
    "cursor": Option("Go on where the page before ended."),
    "timeout_seconds": Option("How long at most (300).", "number"),
    "to_workspace": Option("Recipient's workspace."),
    "to_project": Option("Recipient: a project, or workspace/project; else the own project."),
    "to_session": Option("Only this session and those that continue it."),
    "to_user": Option("A person instead of a project."),
    "from_workspace": Option("The own workspace."),
    "from_project": Option("The own project, instead of the directory's."),
    "to_sender_session": Option("To the sender's session instead of its whole project.", "switch"),
    "subject": Option("One line, at most 200 characters."),
    "actionable": Option("It asks for work.", "switch"),
    "delivery": Option("wake also asks an attached receiver for a turn.", ("next_activity", "wake")),
    "due_at": Option("When it may be read: ISO 8601 with offset."),
    "delay_seconds": Option("Seconds from now, instead of --due-at.", "number"),
    "timezone": Option("For a --due-at without offset: its zone, like Europe/Berlin."),
    "expires_at": Option("When nobody needs it any more: ISO 8601 with offset."),
    "reply_to": Option("The id of the message that this answers."),
    "about": Option("The session that this annotates."),
    "about_turn": Option("The turn there.", "number"),
    "repeat": Option("Send although an equal message was sent just now.", "switch"),
    "truncate": Option("Cut over-long text with a visible mark instead of refusing.", "switch"),
    "repair": Option("Store invalid characters repaired instead of refusing.", "switch"),
    "decision_id": Option("The question's id.", flag="--id"),
    "options": Option("One choice, ID=LABEL or ID=LABEL:DESCRIPTION; 2 to 9 of them.", "texts", flag="--option"),
    "recommended": Option("The id of the option that is recommended."),
    "requires_root": Option("Only the operator may answer.", "switch"),
    "details": Option("All that the person needs to decide."),
    "links": Option("An address to look at; may be given several times.", "texts", flag="--link"),
    "box": Option("Only those to the own project, or only those that it asked.", ("inbox", "outbox")),
    "state": Option("Only in this state.", ("open", "answered", "cancelled", "expired")),
    "everywhere": Option("Of every project that you may read.", "switch"),
    "option": Option("The id of the option that is chosen."),
    "comment": Option("What the asker should know besides."),
    "handoff_id": Option("The handoff's id.", flag="--id"),
    "handoff_state": Option("Default: open.", ("open", "accepted", "cancelled", "expired", "all"), flag="--state"),
    "open_questions": Option("What is not decided yet; may be given several times.", "texts", flag="--open-question"),
    "next_steps": Option("What to do next; may be given several times.", "texts", flag="--next-step"),
    "files_touched": Option("A path that matters; may be given several times.", "texts", flag="--file-touched"),
    "automatic": Option("Made at a session's end; stored only where the setting says so.", "switch"),
    "body_file": Option("Read the body from this file."),
    "stdin": Option("Read the body from standard input.", "switch"),
    "host": Option("The address to listen at (127.0.0.1).", variable="WAYPOST_HOST"),
    "port": Option("The port to listen at (7433); 0 takes a free one.", "number", variable="WAYPOST_PORT"),
    "open": Option("Open the page in a browser.", "switch"),
    "follow": Option("Go on showing what comes; ends with Ctrl-C.", "switch"),
    "consumer": Option("Go on at this consumer's checkpoint, and commit what was shown. Made where there is none."),
    "after": Option("Go on after this cursor, or `now`."),
    "lines": Option("How many lines at most (50).", "number"),
    "write_files": Option("Write what is shown without it.", "switch", flag="--write"),
    "remove_files": Option("Take back what was written.", "switch", flag="--remove"),
    "client_names": Option(
        "Only this coding agent, found or not; may be given several times.", "texts", flag="--client"
    ),
    "level": Option("user is for all your repositories (default), project for this one.", ("user", "project")),
    "program": Option("The waypost program to name in the files; else the one that is found."),
    "fix": Option("Run the commands that mend what is safe to mend unasked.", "switch"),
    "purge": Option("Remove data, settings and logs too.", "switch"),
    "overwrite": Option("Replace a file of that name.", "switch"),
    "user": Option("A user's name."),
    "name": Option("What it is for, for people."),
    "operator": Option("A token that may do everything.", "switch"),
    "agent": Option("A token for a user's agents in one project: --project.", "switch"),
    "only": Option("All that an agent may do, one by one: workspace/project=read,write.", "texts"),
    "token_file": Option("Read the token from this file, or from standard input with -."),
    "yes": Option("Do not ask.", "switch"),
    "directory": Option("The checkout; else the working directory."),
    "workspace": Option("The own workspace, where --project is a bare name.", variable="WAYPOST_WORKSPACE"),
    "project": Option("The own project: a name, or workspace/project.", variable="WAYPOST_PROJECT"),
    "session": Option("The acting session's id.", variable="WAYPOST_SESSION"),
    "idempotency_key": Option("Makes a repeat answer what the first one did."),
    "as_operator": Option("Act with the operator's token.", "switch"),
    "as_json": Option("Print one JSON object: what REST answers.", "switch", flag="--json"),
    "database": Option(
        "The store: a path, sqlite:///path, or postgresql://user@host/database.", variable="WAYPOST_DATABASE"
    ),
    "url": Option("The server to ask, such as http://127.0.0.1:7433.", variable="WAYPOST_URL"),
    "quiet": Option("Print nothing but the answer.", "switch"),
    "no_color": Option("Print no colours.", "switch"),
}

SHORT = {"follow": ("-f",), "lines": ("-n",)}
ACTING = ("workspace", "project", "session")
REACH = ("idempotency_key", "as_operator", "database", "url")
SPEECH = ("as_json", "quiet", "no_color")
COMMON = (*ACTING, *REACH, *SPEECH)


class How(NamedTuple):
    """How a command reaches its store and speaks: the common options that are no field of an operation."""

    idempotency_key: str | None = None
    as_operator: bool = False
    database: str | None = None
    url: str | None = None
    as_json: bool = False
    quiet: bool = False
    no_color: bool = False


def take_how(params: dict[str, object]) -> How:
    """Takes the common options out of a command's parameters."""
    return How(**{name: params.pop(name) for name in How._fields if name in params})  # type: ignore[arg-type] # click typed them


def make_options(fields: Iterable[str], *, required: Iterable[str] = ()) -> list[click.Parameter]:
    """The options of these fields, in order."""
    return [_make(field, OPTIONS[field], required=field in required) for field in fields]


def make_argument(name: str) -> click.Parameter:
    """A field given by its position. A `?` at the end says that it may be left out."""
    field = name.removesuffix("?")
    shown = field.replace("_", "-").upper()
    return click.Argument([field], required=field == name, metavar=shown if field == name else f"[{shown}]")


def _make(field: str, option: Option, *, required: bool) -> click.Option:
    flags = [*SHORT.get(field, ()), option.flag or f"--{field.replace('_', '-')}", field]
    if option.kind == "switch":
        return click.Option(flags, is_flag=True, help=option.help)
    if option.kind == "texts":
        return click.Option(flags, multiple=True, required=required, help=option.help)
    kind: click.ParamType[object] | type = str
    if isinstance(option.kind, tuple):
        kind = click.Choice(option.kind)
    elif option.kind == "number":
        kind = int
    return click.Option(flags, type=kind, required=required, help=option.help, envvar=option.variable or None)
