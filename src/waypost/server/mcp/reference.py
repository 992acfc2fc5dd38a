"""The reference page of the MCP door, written from the tools themselves: `python -m waypost.server.mcp.reference [FILE]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost.operations.catalogue import OPERATIONS
from waypost.server.mcp.tools import Tool, build_tools

__all__ = ["main", "write_reference"]

HEAD = """# MCP

<!-- Written by `python -m waypost.server.mcp.reference docs/reference/mcp.md`; edit the tools, not this page. -->

`waypost mcp` is a stdio server for one client: it joins or starts the local server and carries the directory that the client works
in. A client that speaks HTTP may use the same server directly, at `http://127.0.0.1:7433/mcp`; the server's name is `waypost`.

- Revisions 2025-06-18, 2025-11-25 and 2026-07-28, each client in the one that it asks for. Answers are JSON. No session is given
  out and no stream offered (GET and DELETE answer 405), so a client keeps working when the server restarts.
- `?tools=all` (`waypost mcp --tools all`) lists the tools and parameters marked *all* too. Any other value is refused.
- `_meta["waypost/idempotency-key"]` makes a repeated call answer what the first one did. The bridge adds one to each call.
- `_meta["waypost/session"]`, or the header `Waypost-Session`, states the session that the client is bound to. The `session`
  argument names the acting session and by itself makes a project no better than declared.
- A result carries the operation's JSON as `structuredContent` and a short text. A refusal is a result with `isError` and the
  problem document (`code`, `detail`, `hint`, `status`); an unknown tool is a protocol error (-32602).
- `null` counts as left out. `workspace`, `to_workspace` and `from_workspace` are accepted though no schema lists them.
- Roots: a server without sessions cannot ask a client for its roots. The project is found by the bridge's directory, which the
  client's own working directory gives; over plain HTTP name the project in the call, or state a session that is known.
- Before revision 2026-07-28 a client gives its name only in `initialize`, which is not kept: send the header `Waypost-Client` to be
  named in the mail that you send. The bridge does.
"""


def write_reference() -> str:
    """The page."""
    operations = {operation.name: operation for operation in OPERATIONS}
    usual, whole = (build_tools(operations.__getitem__, every=every) for every in (False, True))
    return "\n".join([HEAD, *(line for tool in whole.values() for line in _section(tool, usual.get(tool.name)))])


def _section(tool: Tool, usual: Tool | None) -> Iterator[str]:
    kinds = [
        *(["reads only"] if tool.read_only else []),
        *(["takes something away"] if tool.destructive else []),
        *(["is harmless to repeat"] if tool.idempotent else []),
    ]
    yield f"## {tool.name}"
    yield ""
    yield tool.description
    if kinds:
        yield ""
        yield f"It {', '.join(kinds)}."
    if usual is None:
        yield ""
        yield "Offered with *all*."
    yield ""
    yield "| parameter | | |"
    yield "| --- | --- | --- |"
    for name, schema in tool.input_schema["properties"].items():
        listed = usual is None or name in usual.input_schema["properties"]
        yield _row(name, schema, required=name in tool.input_schema.get("required", []), listed=listed)
    yield ""


def _row(name: str, schema: dict[str, Any], *, required: bool, listed: bool) -> str:
    values = " ".join(f"`{value}`" for value in schema["enum"]) if "enum" in schema else schema["type"]
    marks = " ".join([*(["*required*"] if required else []), *([] if listed else ["*all*"])])
    return f"| `{name}` {marks}".rstrip() + f" | {values} | {schema['description']} |"


def main(arguments: list[str]) -> int:
    """Writes the page to a file, or prints it."""
    if arguments:
        Path(arguments[0]).write_text(write_reference(), encoding="utf-8")
    else:
        sys.stdout.write(write_reference())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
