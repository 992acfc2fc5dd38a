"""What the tests of the Python client share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doors.python.dropping import DroppingProxy
from tests.doors.python.served import address, fresh_home, served
from tests.doors.server_process import ServerProcess


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for a whole module, whose tests make messages of their own."""
    with fresh_home(), served() as process:
        yield process


@pytest.fixture
def proxy(server: ServerProcess) -> Iterator[DroppingProxy]:
    """A proxy before that server, which drops what a test tells it to."""
    with DroppingProxy(address(server.run)) as found:
        yield found
