"""A Waypost with the MCP door alone, in process: raw posts for the wire, and the official SDK's client over the same app."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import encode_header_value

from waypost.assembly.settings import LimitSettings, Settings
from waypost.assembly.waypost import Waypost, open_waypost
from waypost.kernel.time import Clock
from waypost.operations.call import Call, Caller, Rights
from waypost.server.app import App, build_app
from waypost.server.context import make_context

__all__ = ["DISCOVERED", "HANDSHAKE", "KEY", "MODERN", "Door", "envelope", "open_door"]

KEY = "key-of-the-run-file"
HANDSHAKE = ("2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
DISCOVERED = "io.modelcontextprotocol/"
URL = "http://127.0.0.1:7433/mcp"


def envelope(version: str, *, client: str | None = None, **meta: Any) -> dict[str, Any]:
    """The `_meta` of a request of that revision."""
    if version != MODERN:
        return dict(meta)
    named = {f"{DISCOVERED}clientInfo": {"name": client, "version": "1"}} if client else {}
    return {f"{DISCOVERED}protocolVersion": version, f"{DISCOVERED}clientCapabilities": {}, **named, **meta}


class Door:
    """The door of one Waypost with the projects `default/a` and `default/b`."""

    def __init__(self, waypost: Waypost, app: App) -> None:
        self.waypost = waypost
        self.app = app
        self.owner = Caller(door="rest", rights=Rights.OWNER, login=waypost.login)
        for project in ("a", "b"):
            self.run("project.put", workspace="default", project=project)

    def run(self, operation: str, **fields: Any) -> dict[str, Any]:
        """Runs an operation past the door, for what a test needs to stand beforehand and to compare with."""
        answer: dict[str, Any] = json.loads(self.waypost.run(operation, Call(caller=self.owner, fields=fields)).json)
        return answer

    def http(self, headers: Mapping[str, str] | None = None) -> httpx2.AsyncClient:
        """An HTTP client whose server is this app; it comes from another machine's address, and so is no owner."""
        transport = httpx2.ASGITransport(app=self.app, client=("192.0.2.7", 4711))
        return httpx2.AsyncClient(transport=transport, headers=dict(headers or {}))

    async def post(
        self, body: bytes | Mapping[str, Any], *, headers: Mapping[str, str] | None = None, query: str = ""
    ) -> httpx2.Response:
        """Posts one message as it stands."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode("ascii")
        async with self.http() as http:
            return await http.post(
                f"{URL}{query}",
                content=content,
                headers={"Accept": "application/json", "Content-Type": "application/json", **(headers or {})},
            )

    async def ask(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        version: str = MODERN,
        client: str | None = None,
        headers: Mapping[str, str] | None = None,
        query: str = "",
    ) -> dict[str, Any]:
        """One request of a revision, and the JSON-RPC answer to it."""
        params = dict(params or {})
        params["_meta"] = envelope(version, client=client, **params.get("_meta", {}))
        named = {"Mcp-Name": encode_header_value(params["name"])} if "name" in params else {}
        response = await self.post(
            {"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
            headers={"MCP-Protocol-Version": version, "Mcp-Method": method, **named, **(headers or {})},
            query=query,
        )
        answer: dict[str, Any] = response.json()
        return answer

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **asked: Any) -> dict[str, Any]:
        """The result of a tool call; `meta` and what `ask` takes may be given."""
        meta = asked.pop("meta", {})
        answer = await self.ask("tools/call", {"name": tool, "arguments": arguments or {}, "_meta": meta}, **asked)
        result: dict[str, Any] = answer["result"]
        return result

    async def answer(self, tool: str, arguments: Mapping[str, Any] | None = None, **asked: Any) -> dict[str, Any]:
        """The structured answer of a tool call that succeeds."""
        result = await self.call(tool, arguments, **asked)
        assert not result.get("isError"), result
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    async def refusal(self, tool: str, arguments: Mapping[str, Any] | None = None, **asked: Any) -> dict[str, Any]:
        """The problem document of a tool call that is refused."""
        result = await self.call(tool, arguments, **asked)
        assert result["isError"] is True, result
        problem: dict[str, Any] = result["structuredContent"]
        return problem

    @contextlib.asynccontextmanager
    async def client(self, mode: str, *, headers: Mapping[str, str] | None = None) -> AsyncIterator[Client]:
        """The official SDK's client, in the mode `legacy` (a handshake) or `auto` (the newest revision)."""
        async with (
            self.http(headers) as http,
            Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
        ):
            yield client


@contextlib.asynccontextmanager
async def running(app: App) -> AsyncIterator[None]:
    """Runs the lifespan of an ASGI app."""
    inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    outbox: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
    living = asyncio.create_task(app({"type": "lifespan"}, inbox.get, outbox.put))
    await inbox.put({"type": "lifespan.startup"})
    assert (await outbox.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await inbox.put({"type": "lifespan.shutdown"})
        await living


@contextlib.asynccontextmanager
async def open_door(
    place: Path | str, *, clock: Clock | None = None, limits: LimitSettings | None = None
) -> AsyncIterator[Door]:
    """A door over a new store at `place`: a folder for its file, the file, or a database's URL."""
    settings = Settings(limits=limits or LimitSettings())
    waypost = open_waypost(place / "waypost.db" if isinstance(place, Path) else place, settings, clock=clock)
    context = make_context(waypost, settings, key=KEY, clock=clock)
    try:
        app = build_app(context)
        async with running(app):
            yield Door(waypost, app)
    finally:
        context.close()
        waypost.close()
