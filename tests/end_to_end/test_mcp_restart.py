"""A client of the official Python SDK keeps working through the sudden death of the server."""

from __future__ import annotations

import asyncio

import pytest
from mcp.client.client import Client

from tests.end_to_end.server_process import ServerProcess
from tests.promises.marks import promise

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]


@promise("mcp.http.stateless", "mcp.http.revisions")
@pytest.mark.parametrize(("mode", "revision"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
async def test_the_next_call_of_the_same_client_succeeds_after_kill_9_and_a_restart(
    server: ServerProcess, mode: str, revision: str
) -> None:
    await asyncio.to_thread(server.add_projects, "a", "b")
    async with Client(f"{server.url}/mcp", mode=mode) as client:
        assert client.protocol_version == revision
        sent = await client.call_tool("message_send", {"from_project": "a", "to_project": "b", "body": "Still there?"})
        await asyncio.to_thread(server.kill)
        with await asyncio.to_thread(server.restarted):
            popped = await client.call_tool("message_pop", {"project": "b"})
            assert not popped.is_error
            assert popped.structured_content["message"]["id"] == sent.structured_content["message_id"]
            assert (await client.list_tools()).tools[0].name == "message_send"


@promise("mcp.http.stateless")
async def test_two_clients_exchange_a_message_over_one_real_server(server: ServerProcess) -> None:
    await asyncio.to_thread(server.add_projects, "a", "b")
    url = f"{server.url}/mcp"
    async with Client(url, mode="auto") as asking, Client(url, mode="legacy") as answering:
        sent = await asking.call_tool(
            "message_send", {"from_project": "a", "to_project": "b", "body": "Which port does the export use?"}
        )
        taken = await answering.call_tool("message_pop", {"project": "b"})
        message = taken.structured_content["message"]
        assert message["id"] == sent.structured_content["message_id"]
        await answering.call_tool("message_reply", {"project": "b", "message_id": message["id"], "body": "7433"})
        back = await asking.call_tool("message_pop", {"project": "a"})
        assert "7433" in back.structured_content["message"]["body"]
