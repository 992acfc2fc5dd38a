"""`waypost` as tests run it: in this process for speed, or as a child where its process is what matters; with or without a server."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from waypost.cli.program import run
from waypost.client.folders import database_path, run_file_path
from waypost.client.run_file import RunFile, read_run_file

__all__ = ["CommandLine", "Result", "clean_environment"]

WAIT_SECONDS = 40.0
VARIABLES = ("DATABASE", "URL", "PROJECT", "WORKSPACE", "SESSION", "HOST", "PORT", "AUTOSTART")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a command ended and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        """The one JSON object on standard output."""
        return json.loads(self.out)

    @property
    def code(self) -> str:
        """The code of a refusal, from its problem document or from the sentence for people."""
        if self.out.startswith("{"):
            return str(self.answer["code"])
        found = re.search(r"^error: .*\[(\w+)\]$", self.err, re.MULTILINE)
        return found[1] if found else ""


def clean_environment() -> dict[str, str]:
    """The environment without what would lead to another store or project."""
    return {name: value for name, value in os.environ.items() if name.removeprefix("WAYPOST_") not in VARIABLES}


class _Stream(io.TextIOWrapper):
    """A standard stream that is no terminal."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", newline="")

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode("utf-8")


class CommandLine:
    """The command line over one WAYPOST_HOME, and perhaps the server of its store."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.work = home / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.environ = {**clean_environment(), "WAYPOST_HOME": str(home)}
        self.server: subprocess.Popen[bytes] | None = None
        self._names = itertools.count(1)

    @property
    def database(self) -> str:
        """The store of this home."""
        return database_path(environ=self.environ)

    @property
    def run_file(self) -> RunFile | None:
        """The run file of the store's server."""
        return read_run_file(run_file_path(self.database, self.environ))

    def folder(self, name: str) -> Path:
        """A directory to work in."""
        place = self.work / name
        place.mkdir(exist_ok=True)
        return place

    def project(self, stem: str = "p") -> str:
        """A new project with a directory of the same name; answers the name."""
        name = f"{stem}{next(self._names)}"
        made = self.run("project", "add", str(self.folder(name)), "--project", name, "--json")
        assert made.status == 0, made
        return name

    def run(
        self, *arguments: str, at: Path | str | None = None, stdin: bytes = b"", variables: dict[str, str] | None = None
    ) -> Result:
        """Runs a command in this process; `at` is its directory or the name of one."""
        place = self.work if at is None else self.folder(at) if isinstance(at, str) else at
        given, out, err = _Stream(stdin), _Stream(), _Stream()
        with (
            contextlib.chdir(place),
            mock.patch.dict(os.environ, {**self.environ, **(variables or {})}, clear=True),
            mock.patch.multiple(sys, stdin=given, stdout=out, stderr=err),
        ):
            status = run(arguments)
        return Result(status=status, out=out.text(), err=err.text())

    def json(self, *arguments: str, at: Path | str | None = None, **more: Any) -> Any:
        """The answer of a command that succeeds."""
        result = self.run(*arguments, "--json", at=at, **more)
        assert result.status == 0, result
        return result.answer

    def send(self, sender: str, to: str, *more: str, body: str = "hello") -> str:
        """The id of a message from one project to another."""
        return str(self.json("message", "send", "--to-project", to, "--repeat", *more, body, at=sender)["message_id"])

    def child(self, *arguments: str, at: Path | str | None = None, **options: Any) -> subprocess.Popen[bytes]:
        """The command as a child process with pipes for all three streams, unless told otherwise."""
        place = self.work if at is None else self.folder(at) if isinstance(at, str) else at
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        environ = {**self.environ, **options.pop("variables", {})}
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "waypost", *arguments], cwd=place, env=environ, **{**pipes, **options}
        )

    def finish(self, *arguments: str, given: bytes = b"", **options: Any) -> Result:
        """The command as a child process that is waited for."""
        with self.child(*arguments, **options) as process:
            out, err = process.communicate(given, timeout=WAIT_SECONDS)
        return Result(status=process.returncode, out=(out or b"").decode(), err=(err or b"").decode())

    def start(self, *options: str) -> None:
        """Starts the server of the store on a free port and waits until it says that it runs."""
        self.server = self.child("serve", "--port", "0", *options, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        assert self.server.stderr is not None
        said: list[bytes] = []
        for line in self.server.stderr:
            if b"Ctrl-C stops it" in line:
                return
            said.append(line)
        raise AssertionError(f"the server ended with {self.server.wait(WAIT_SECONDS)}: {b''.join(said).decode()}")

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Ends the server, where one runs."""
        server, self.server = self.server, None
        if server is None:
            return
        if server.poll() is None:
            server.send_signal(number)
        server.wait(WAIT_SECONDS)
        assert server.stderr is not None
        server.stderr.close()

    @contextlib.contextmanager
    def serving(self) -> Iterator[None]:
        """A server for a while."""
        self.start()
        try:
            yield
        finally:
            self.stop()
