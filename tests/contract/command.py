"""A Waypost command as a black box: what it answers to `--json`, the codes of its refusals, and every record against the schema.

Knows the published schema of a message and nothing else of the product.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it has no types

__all__ = ["Broken", "Command"]

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schemas" / "message.json"
SECONDS = 120.0
RECORD = {"id", "occurrence", "from", "to", "body"}
"""The fields by which a message is known within an answer."""


class Broken(Exception):
    """The contract was not kept; the words say where."""


class Command:
    """The command over a home of its own, with one directory for each project."""

    def __init__(self, home: Path, command: Sequence[str]) -> None:
        self.records = 0
        self._home = home
        self._command = tuple(command)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
        self._environ = {**kept, "WAYPOST_HOME": str(home / "home")}
        self._validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
        self._names = itertools.count(1)

    def project(self) -> str:
        """A new project with a directory of the same name."""
        name = f"project-{next(self._names)}"
        (self._home / name).mkdir()
        self.ok("project", "add", str(self._home / name), "--project", name, at="")
        return name

    def ok(self, *arguments: str, at: str) -> Any:
        """What a command answers that must succeed, in the directory of a project."""
        status, answer = self._run(arguments, at)
        if status != 0:
            raise Broken(f"{' '.join(arguments)} was refused: {answer}")
        for record in _records(answer):
            self.records += 1
            problem = jsonschema.exceptions.best_match(self._validator.iter_errors(record))
            if problem is not None:
                raise Broken(f"{' '.join(arguments)} answered a record against the schema: {problem.message}")
        return answer

    def refused(self, code: str, *arguments: str, at: str) -> None:
        """A command that must be refused with a code and exit status 1."""
        status, answer = self._run(arguments, at)
        if (status, answer.get("code")) != (1, code):
            raise Broken(f"{' '.join(arguments)} must be refused with {code}, and answered {status}: {answer}")

    def _run(self, arguments: Sequence[str], at: str) -> tuple[int, Any]:
        done = subprocess.run(
            [*self._command, *arguments, "--json"],
            cwd=self._home / at,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        try:
            return done.returncode, json.loads(done.stdout)
        except ValueError:
            raise Broken(f"{' '.join(arguments)} printed no JSON object: {done.stdout!r} {done.stderr!r}") from None


def _records(answer: object) -> Iterator[dict[str, Any]]:
    """Every message within an answer."""
    if isinstance(answer, dict):
        if answer.keys() >= RECORD:
            yield answer
        for value in answer.values():
            yield from _records(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from _records(value)
