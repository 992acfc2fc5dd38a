"""The official conformance suite of MCP against a real server. `python -m tests.conformance` runs it and prints the counts."""

from __future__ import annotations
