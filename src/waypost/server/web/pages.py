"""The pages under `/web`. Stands in for the real ones until they land."""

from __future__ import annotations

from starlette.routing import BaseRoute

from waypost.server.context import ServerContext

__all__ = ["web_routes"]


def web_routes(context: ServerContext) -> list[BaseRoute]:
    """The routes of the pages; their paths begin with `/web`."""
    del context
    return []
