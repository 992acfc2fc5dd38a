"""The MCP door: its tools, its revisions, its answers and refusals, over ASGI and by the official SDK's client."""

from __future__ import annotations
