"""From an operation's name and fields to its answer: through the server of the store where one runs, else in this process.

Invariant: a write carries an idempotency key, its own or one made here, so that a lost answer is asked for again and nothing
happens twice. With a server, nothing is imported here but the client's transport.
"""

from __future__ import annotations

import json
import os
import time

from waypost import __version__
from waypost.cli.asked import Asked, working_directory
from waypost.cli.refused import Refused
from waypost.client.errors import AnswerLost, ServerAway
from waypost.client.folders import database_path, run_file_path
from waypost.client.percent import encode_header, quote
from waypost.client.routes import ROUTES
from waypost.client.run_file import read_run_file
from waypost.client.transport import request
from waypost.kernel.errors import InvalidInput, StoreUnavailable, WaypostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from waypost.cli.options import How
    from waypost.client.run_file import RunFile

__all__ = ["ask", "ask_place", "find_server", "read_answer", "request_of", "through"]

TRIES = 3


def ask(
    operation: str,
    fields: Mapping[str, object],
    how: How,
    *,
    session: str | None = None,
    note: Callable[[str], None] = lambda text: None,  # noqa: ARG005 - says nothing
) -> str:
    """The operation's answer as JSON text. Raises `Refused`."""
    key = how.idempotency_key
    if key is None and ROUTES[operation].method != "GET":
        key = os.urandom(16).hex()
    try:
        return ask_place(Asked(operation, fields, key, session, note, as_operator=how.as_operator), how)[0]
    except WaypostError as error:
        raise Refused(error.problem()) from error


def ask_place(asked: Asked, how: How) -> tuple[str, str]:
    """The operation's answer as JSON text, and the place that answered, under which tokens are kept."""
    if how.url:
        from waypost.cli.address import ask_address  # noqa: PLC0415 - only with --url

        return ask_address(how.url, asked, find_server(how))
    return _ask_store(asked, database_path(how.database))


def find_server(how: How) -> RunFile | None:
    """The run file of the chosen store, where there is one."""
    return read_run_file(run_file_path(database_path(how.database)))


def _ask_store(asked: Asked, database: str) -> tuple[str, str]:
    path = run_file_path(database)
    began = time.monotonic()
    lost, away = 0, ""
    run = read_run_file(path)
    while True:
        left = asked.after(time.monotonic() - began)
        if run is not None:
            try:
                return through(run, _for_store(left, run.store_id)), f"store:{run.store_id}"
            except ServerAway:
                away = run.key
            except AnswerLost:
                lost += 1
                if lost == TRIES:
                    raise
                run = read_run_file(path)
                continue
        from waypost.cli.here import run_here  # noqa: PLC0415 - only without a server

        answer = run_here(left, database, away=away)
        if isinstance(answer, tuple):
            return answer
        run = answer


def _for_store(asked: Asked, store_id: str) -> Asked:
    if not asked.as_operator:
        return asked
    from waypost.cli.logins import armed, place_of_store  # noqa: PLC0415 - only with --as-operator

    return armed(asked, place_of_store(store_id))


def through(run: RunFile, asked: Asked) -> str:
    """The answer of the server that the run file names. Raises `Refused`, and what the transport raises."""
    method, path, query, sent, body = request_of(asked)
    if asked.token is not None:
        sent["Authorization"] = f"Bearer {encode_header(asked.token)}"
    status, headers, raw = request(
        run, method, path, query=query, headers=sent, body=body, deadline=time.monotonic() + asked.patience
    )
    return read_answer(asked, status, headers, raw)


Sent = tuple[str, str, "dict[str, object] | None", "dict[str, str]", "bytes | None"]
"""A request: method, path, query, headers, body."""


def request_of(asked: Asked, *, with_directory: bool = True) -> Sent:
    """What is asked as a request. The directory goes along only where the server can look at it."""
    route = ROUTES[asked.operation]
    path, rest = route.fill(_sendable(asked.fields, route.path_fields, in_query=route.in_query))
    body = None if route.in_query else json.dumps(rest).encode("ascii")
    headers = _headers(asked, with_body=body is not None, with_directory=with_directory)
    return route.method, path, rest if route.in_query else None, headers, body


def read_answer(asked: Asked, status: int, headers: Mapping[str, str], raw: bytes) -> str:
    """The answer as JSON text, after a word where the server is of another version. Raises `Refused`."""
    other = _other_version(headers.get("waypost-version", ""))
    if other:
        asked.note(f"note: {other}")
    if status < 400:
        return raw.decode("utf-8")
    raise Refused(_problem(status, raw, other))


def _headers(asked: Asked, *, with_body: bool, with_directory: bool) -> dict[str, str]:
    headers = {"Waypost-Door": "cli"}
    directory = working_directory() if with_directory else None
    if directory is not None:
        headers["Waypost-Directory"] = quote(directory, keep="/:")
    if asked.session is not None:
        headers["Waypost-Session"] = encode_header(asked.session)
    if asked.key is not None:
        headers["Idempotency-Key"] = encode_header(asked.key)
    if with_body:
        headers["Content-Type"] = "application/json"
    return headers


def _sendable(fields: Mapping[str, object], in_path: tuple[str, ...], *, in_query: bool) -> Mapping[str, object]:
    """The fields, after those that travel in path or query were found to be text that a URL can carry as it is."""
    for name, value in fields.items():
        if not isinstance(value, str) or not (in_query or name in in_path):
            continue
        if name in in_path and not value:
            raise InvalidInput(f"{name} is empty. Nothing was changed.", hint=f"Give {name}.")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            from waypost.kernel.text.validity import check_text  # noqa: PLC0415 - only where it refuses

            check_text(value, field=name, repair=False)
    return fields


def _problem(status: int, raw: bytes, other: str) -> dict[str, object]:
    try:
        problem = json.loads(raw)
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or "code" not in problem:
        problem = dict(StoreUnavailable(f"The server answered {status} without saying why.").problem())
    if other:
        problem["hint"] = f"{problem.get('hint') or ''} {other[0].upper()}{other[1:]}".strip()
    return problem


def _other_version(server: str) -> str:
    """What to do where the server is of another version than this command; empty where it is of the same one."""
    if not server or server == __version__:
        return ""
    if _order(server) < _order(__version__):
        return f"the server is of the older version {server}, this command of {__version__}: run `waypost restart`."
    return f"the server is of the newer version {server}, this command of {__version__}: upgrade this Waypost."


def _order(version: str) -> list[int]:
    """The numbers at the head of a version, for comparing."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return numbers
