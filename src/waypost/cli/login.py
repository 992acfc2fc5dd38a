"""`waypost login` and `logout`: a token is read where nobody else sees it, tried, and kept for its server.

It comes from a terminal without echo, from a file or from standard input; never from an argument, which every account can read.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from waypost.cli.asked import Asked
from waypost.cli.command import make_command
from waypost.cli.dispatch import ask_place, find_server
from waypost.cli.logins import Login, check_private, forget, keep, place_of_store
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.cli.refused import Refused
from waypost.client.addresses import read_address
from waypost.client.folders import database_path
from waypost.identity.token_text import TokenKind, is_token
from waypost.kernel.errors import InvalidInput, WaypostError

__all__ = ["login", "logout"]

LONGEST = 4_096


def _login(how: How, output: Output, params: dict[str, object]) -> int:
    token = _given_token(params)
    if not is_token(token):
        raise InvalidInput(
            "This is no token of Waypost: a part is missing or mistyped. Nothing was kept.",
            hint="Paste it whole, as `waypost token create` printed it.",
        )
    try:
        answer, place = ask_place(Asked("user.me", {}, None, None, output.note, token=token), how)
    except WaypostError as error:
        raise Refused(error.problem()) from error
    me = json.loads(answer)
    operator = me["credential"] == TokenKind.OPERATOR
    if place.startswith("store:") and not operator:
        raise InvalidInput(
            "You own this store and need no token of your own here; only an operator's is used. Nothing was kept.",
            hint="For another server name it: waypost login --url https://…",
        )
    file = keep(Login(place, operator, me["user"], token))
    if how.as_json:
        output.json(answer)
        return 0
    output.line(f"{place}: you are {me['user']}, by {_words(me['credential'])}.")
    output.aside(f"The token is kept in {file}, for you alone.")
    if operator:
        output.aside("It is used with --as-operator only.")
    return 0


def _given_token(params: dict[str, object]) -> str:
    """The token, from where it was said to be."""
    path = params["token_file"]
    if isinstance(path, str) and path != "-":
        with Path(path).open("rb") as file:
            check_private(path, file.fileno())
            return file.read(LONGEST).decode("utf-8", "replace").strip()
    if path == "-" or sys.stdin is None or not sys.stdin.isatty():
        return sys.stdin.read(LONGEST).strip() if sys.stdin is not None else ""
    from getpass import getpass  # noqa: PLC0415 - only on a terminal

    return getpass("Token (it is not shown): ").strip()


def _logout(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    if how.url:
        place = read_address(how.url, with_token=False).base
    else:
        run = find_server(how)
        place = place_of_store(run.store_id if run is not None else _store_id(how))
    dropped = forget(place)
    if how.as_json:
        output.json(json.dumps({"place": place, "forgotten": dropped}))
    else:
        output.line(f"{place}: {'the token was forgotten' if dropped else 'no token was kept'}.")
        if dropped:
            output.aside("It is still good: revoke it by `waypost token revoke`.")
    return 0


def _store_id(how: How) -> str:
    from waypost.cli.here import open_here  # noqa: PLC0415 - only without a server
    from waypost.client.run_file import RunFile  # noqa: PLC0415 - as above

    opened = open_here(database_path(how.database))
    if isinstance(opened, RunFile):
        return opened.store_id
    try:
        return opened.store.facts.store_id
    finally:
        opened.close()


def _words(credential: str) -> str:
    return {"operator": "the operator's token", "agent": "an agent's token"}.get(credential, "your own token")


login = make_command(
    "login",
    _login,
    summary="Keep a token for a server: your own with --url, or the operator's for the own store.",
    example="waypost login --url https://post.example",
    options=("url", "token_file"),
)
logout = make_command(
    "logout",
    _logout,
    summary="Forget the tokens kept for a server.",
    example="waypost logout --url https://post.example",
    options=("url",),
)
