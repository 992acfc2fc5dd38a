"""The SDK's side of the door: a low-level server whose handlers list the tools and run them. The only importer of `mcp`.

Loading this costs more than a second, so only a worker thread does it. No state is kept between requests: each carries all that
its answer needs, so that a client's session survives this process.
"""

from __future__ import annotations

import logging

from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as OfferedTool
from starlette.requests import Request

from waypost import __version__
from waypost.kernel.text import visible
from waypost.server.context import ServerContext
from waypost.server.mcp.calls import ASKED, Asked, call_tool
from waypost.server.mcp.instructions import INSTRUCTIONS
from waypost.server.mcp.tools import Tool, build_tools

__all__ = ["build_manager", "build_server", "transport_of"]

TOOLS_FRESH_MS = 300_000
NAME_SHOWN = 64

ToolContext = ServerRequestContext[dict[str, object], Request]


class Handlers:
    """What the SDK calls."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._tools = {every: build_tools(context.waypost.pipeline.operation, every=every) for every in (False, True)}
        self._listed = {
            every: ListToolsResult(tools=[_offered(tool) for tool in tools.values()])
            for every, tools in self._tools.items()
        }

    async def list_tools(self, ctx: ToolContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        """All tools on one page; no cursor was ever given out."""
        if params is not None and params.cursor is not None:
            raise MCPError(code=INVALID_PARAMS, message="Unknown cursor: the list of tools has one page.")
        return self._listed[_every(ctx)]

    async def call_tool(self, ctx: ToolContext, params: CallToolRequestParams) -> CallToolResult:
        """Runs a tool of the set that the client asked for."""
        tool = self._tools[_every(ctx)].get(params.name)
        if tool is None:
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {visible(params.name[:NAME_SHOWN])}")
        answer = await call_tool(self._context, tool, _request(ctx).scope)
        return CallToolResult(
            content=[TextContent(text=answer.text)],
            structured_content=answer.structured,
            is_error=answer.is_error,
        )


def build_manager(context: ServerContext) -> StreamableHTTPSessionManager:
    """The transport over the tools of a context."""
    return transport_of(build_server(context), context)


def build_server(context: ServerContext) -> Server[dict[str, object]]:
    """The SDK's server with the tools of a context."""
    handlers = Handlers(context)
    fresh = CacheHint(ttl_ms=TOOLS_FRESH_MS, scope="public")
    return Server(
        "waypost",
        version=__version__,
        title="Waypost",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": fresh, "server/discover": fresh},
        # No parameter travels in a header; without this the SDK would list the tools again before each call.
        get_tool_input_schema=lambda _name: None,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
    )


def transport_of(server: Server[dict[str, object]], context: ServerContext) -> StreamableHTTPSessionManager:
    """The SDK's transport over a server. Host, Origin and size were judged before it is reached."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # it says at INFO that each stateless request ended
    return StreamableHTTPSessionManager(
        server,
        json_response=True,
        stateless=True,
        # The bound of the server was applied already, and escaping may make the bytes more.
        max_request_body_size=8 * context.settings.server.max_request_bytes,
    )


def _offered(tool: Tool) -> OfferedTool:
    return OfferedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _request(ctx: ToolContext) -> Request:
    if ctx.request is None:
        raise RuntimeError("the transport did not hand over its request")
    return ctx.request


def _every(ctx: ToolContext) -> bool:
    asked: Asked = _request(ctx).scope[ASKED]
    return asked.every
