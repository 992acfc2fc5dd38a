"""The fixtures of the MCP door's tests. Asynchronous tests run under anyio's own plugin."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.doors.mcp.harness import Door, open_door


@pytest.fixture
def anyio_backend() -> str:
    """The server runs on asyncio alone."""
    return "asyncio"


@pytest.fixture
async def door(door_place: str, anyio_backend: str) -> AsyncIterator[Door]:
    """The door of a new Waypost with the projects `default/a` and `default/b`."""
    async with open_door(door_place) as opened:
        yield opened
