"""What the tests of doors share: a home of their own, short enough for Unix sockets, and a bridge as a child process."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.doors.bridge_process import SOURCES, BridgeProcess
from tests.doors.command_line import CommandLine
from tests.doors.rest_door import RestDoor
from waypost.client.folders import database_path


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A fresh WAYPOST_HOME; fake servers that were started below it are ended."""
    folder = Path(tempfile.mkdtemp(prefix="wp-"))
    monkeypatch.setenv("WAYPOST_HOME", str(folder))
    for name in ("WAYPOST_DATABASE", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS"):
        monkeypatch.delenv(name, raising=False)
    yield folder
    for starts in folder.rglob("*.starts"):
        for line in starts.read_text(encoding="utf-8").splitlines():
            with suppress(ProcessLookupError):
                os.kill(int(line.split()[0]), signal.SIGKILL)
    shutil.rmtree(folder)


@pytest.fixture
def database(home: Path) -> str:
    """The store of that home."""
    return database_path()


def serve_by(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> None:
    """Makes `python -m waypost serve` run `code` in the children of this process."""
    folder.mkdir()
    lines = ["import sys", "if 'serve' in sys.orig_argv:", *(f"    {line}" for line in code.splitlines())]
    (folder / "sitecustomize.py").write_text("\n".join(lines), encoding="utf-8")
    path = f"{folder}{os.pathsep}{SOURCES}"
    monkeypatch.setenv("PYTHONPATH", path)  # for servers that this process starts
    monkeypatch.setenv("WAYPOST_TEST_PATH", path)  # for bridges, and the servers that they start


@pytest.fixture
def no_serve(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes `waypost serve` fail, so that a bridge that outlives its fake server starts no real one."""
    serve_by(monkeypatch, home / "none", "import os\nos._exit(1)")


@pytest.fixture
def fake_serve(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes `waypost serve` run the fake server."""
    serve_by(monkeypatch, home / "fake", "from tests.doors.fake_server import main\nmain(sys.orig_argv)")


@pytest.fixture
def rest(door_place: str) -> Iterator[RestDoor]:
    """The whole server over a new store, in process, with the projects `default/a` and `default/b`."""
    with RestDoor(door_place) as door:
        yield door


@pytest.fixture
def bridge(home: Path, no_serve: None) -> Iterator[BridgeProcess]:
    """A running bridge, working in `<home>/work`."""
    (home / "work").mkdir()
    with BridgeProcess(home / "work") as process:
        yield process


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[CommandLine]:
    """The command line over a fresh home, without a server; one that a test starts is ended."""
    folder = Path(tempfile.mkdtemp(prefix="wp-"))
    monkeypatch.setenv("WAYPOST_HOME", str(folder))
    line = CommandLine(folder)
    yield line
    line.stop()
    line.run("stop")
    shutil.rmtree(folder)


@pytest.fixture(scope="module", params=["alone", "served"])
def either(request: pytest.FixtureRequest) -> Iterator[CommandLine]:
    """The command line without a server and with one. A module shares both stores, so each test makes projects of its own."""
    folder = Path(tempfile.mkdtemp(prefix="wp-"))
    line = CommandLine(folder)
    try:
        if request.param == "served":
            line.start()
        yield line
    finally:
        line.stop()
        shutil.rmtree(folder)
