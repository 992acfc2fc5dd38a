"""What whole paths share: a home of their own, and a server on it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.server_process import ServerProcess


@pytest.fixture
def anyio_backend() -> str:
    """The one event loop that is supported."""
    return "asyncio"


@pytest.fixture
def home() -> Iterator[Path]:
    """A fresh home, short enough for Unix sockets."""
    folder = Path(tempfile.mkdtemp(prefix="wp-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def server(home: Path) -> Iterator[ServerProcess]:
    """A real server on that home."""
    with ServerProcess(home) as process:
        yield process
