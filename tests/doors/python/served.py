"""A real server for the tests of the Python client, with the projects `default/api` and `default/web`, and ways to reach it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.doors.bridge_process import SOURCES
from tests.doors.server_process import ServerProcess
from waypost.client import Waypost
from waypost.client.run_file import RunFile

__all__ = ["address", "fresh_home", "served"]

VARIABLES = ("DATABASE", "URL", "TOKEN", "PROJECT", "WORKSPACE", "SESSION")


@contextmanager
def fresh_home() -> Iterator[Path]:
    """A WAYPOST_HOME of its own, short enough for sockets, with nothing in the environment that leads elsewhere."""
    folder = Path(tempfile.mkdtemp(prefix="wp-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAYPOST_HOME", str(folder))
        patch.setenv("PYTHONPATH", SOURCES)
        for name in VARIABLES:
            patch.delenv(f"WAYPOST_{name}", raising=False)
        yield folder
    shutil.rmtree(folder)


@contextmanager
def served(*options: str) -> Iterator[ServerProcess]:
    """A server of that home, ready, with both projects."""
    with ServerProcess("--port", "0", *options, environ={"PYTHONPATH": SOURCES}) as server:
        server.ready()
        with Waypost(directory=os.sep) as post:
            post.projects.put("default", "api")
            post.projects.put("default", "web")
        yield server


def address(run: RunFile | None) -> str:
    """The URL of a server."""
    assert run is not None
    return f"http://{run.host}:{run.port}"
