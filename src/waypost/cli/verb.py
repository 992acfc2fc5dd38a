"""One operation as a command: which fields it takes, and what happens between the arguments and the printed answer.

Knows no operation by name; the tables in `message`, `project` and `session` do.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

import click

from waypost.cli.command import write_help
from waypost.cli.options import ACTING, COMMON, make_argument, make_options, take_how
from waypost.cli.output import Output

__all__ = ["Ask", "Fields", "Verb"]

Fields = dict[str, object]
Ask = Callable[[str], Fields]


class Verb(NamedTuple):
    """One command that runs one operation.

    `show` names the function (`module:function` below `waypost.cli`) that prints the answer for people. `arguments` are given by
    position; one that ends with `?` may be left out. `session_field` says whether the operation has one; otherwise the session
    goes with the caller. `prepare` turns what was typed into the operation's fields, and may ask another operation for it.
    """

    operation: str
    summary: str
    example: str
    show: str
    options: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    body: bool = False
    session_field: bool = True
    prepare: Callable[[Fields, Ask], Fields] | None = None

    def command(self, name: str) -> click.Command:
        """The command, built now."""
        parameters: list[click.Parameter] = []
        options = self.options
        if self.body:
            parameters.append(make_argument("body?"))
            options = (*options, "body_file", "stdin")
        parameters += [make_argument(name) for name in self.arguments]
        parameters += make_options((*options, *COMMON), required=self.required)
        return click.Command(
            name,
            params=parameters,
            callback=self.run,
            help=write_help(self.summary, self.example),
            short_help=self.summary,
        )

    def run(self, **params: object) -> int:
        """Runs the operation with what was typed and prints its answer. Raises `Refused` and what click raises for bad usage."""
        from waypost.cli.dispatch import ask  # noqa: PLC0415 - help needs none of it

        how = take_how(params)
        output = Output(how)
        if self.body:
            from waypost.cli.body import read_body  # noqa: PLC0415 - only where a body is sent

            params["body"] = read_body(params, output.note)
        # What was not given is left out, so that the operation's own defaults hold, which stand in one place.
        fields = {name: value for name, value in params.items() if value is not None and value is not False}
        fields = {
            name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value != ()
        }

        def look(operation: str) -> Fields:
            scope = {name: fields[name] for name in ACTING if name in fields}
            found: Fields = json.loads(ask(operation, scope, how))
            return found

        if self.prepare is not None:
            fields = self.prepare(fields, look)
        session = None if self.session_field else fields.pop("session", None)
        answer = ask(self.operation, fields, how, session=str(session) if session else None, note=output.note)
        if how.as_json:
            output.json(answer)
        else:
            module, _, function = self.show.partition(":")
            show = getattr(import_module(f"waypost.cli.{module}"), function)
            show(json.loads(answer), output)
        return 0
