"""Guards of the MCP door: its envelope, its tools, its callers and its answers."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

TOOLS = ("tests/doors/mcp/test_tools.py",)
PROTOCOL = ("tests/doors/mcp/test_protocol.py",)
ANSWERS = ("tests/doors/mcp/test_answers.py",)
CALLERS = ("tests/doors/mcp/test_callers.py",)
REFUSALS = ("tests/doors/mcp/test_refusals.py",)

GUARDS = [
    Guard(
        promise="mcp.tools.flat",
        file="server/mcp/tools.py",
        snippet='if len(types) != 1 or not isinstance(types[0].get("type"), str):',
        replacement="if not types:",
        tests=TOOLS,
    ),
    Guard(
        promise="mcp.tools.live_set",
        file="server/mcp/tools.py",
        snippet="if every or spec.in_default",
        replacement="if every or spec",
        tests=TOOLS,
    ),
    Guard(
        promise="mcp.http.tools_all",
        file="server/mcp/app.py",
        snippet='return "tools" in asked',
        replacement="return False",
        tests=TOOLS,
    ),
    Guard(
        promise="api.unknown_fields.refused",
        file="server/mcp/app.py",
        snippet='if asked.get("tools", "all") != "all":',
        replacement="if False:",
        tests=PROTOCOL,
    ),
    Guard(
        promise="mcp.http.stateless",
        file="server/mcp/protocol.py",
        snippet="stateless=True,",
        replacement="stateless=False,",
        tests=PROTOCOL,
    ),
    Guard(
        promise="mcp.http.stateless",
        file="server/mcp/protocol.py",
        snippet='logging.getLogger("mcp").setLevel(logging.WARNING)',
        replacement='logging.getLogger("mcp").setLevel(logging.NOTSET)',
        tests=PROTOCOL,
    ),
    Guard(
        promise="api.errors.never_internal",
        file="server/mcp/envelope.py",
        snippet="    if not _well_formed(message):",
        replacement="    if not message:",
        tests=PROTOCOL,
    ),
    Guard(
        promise="start.server.hooks_before_templates",
        file="server/mcp/app.py",
        snippet="await asyncio.wait_for(self._loaded.wait(), LOADING_SECONDS)",
        replacement="await asyncio.sleep(0)",
        tests=PROTOCOL,
    ),
    Guard(
        promise="text.invalid.refused_with_position",
        file="server/mcp/envelope.py",
        snippet="if ESCAPED_SURROGATE.search(body):",
        replacement="if False:",
        tests=REFUSALS,
    ),
    Guard(
        promise="api.errors.mcp_code",
        file="server/mcp/protocol.py",
        snippet="is_error=answer.is_error,",
        replacement="is_error=False,",
        tests=REFUSALS,
    ),
    Guard(
        promise="api.types.wrong_refused",
        file="server/mcp/calls.py",
        snippet="if value is not None}",
        replacement="}",
        tests=ANSWERS,
    ),
    Guard(
        promise="wait.mcp.retry",
        file="server/mcp/calls.py",
        snippet="min(asked, MOST_WAIT_SECONDS) if",
        replacement="asked if",
        tests=ANSWERS,
    ),
    Guard(
        promise="frame.answer.every_foreign_text",
        file="server/mcp/calls.py",
        snippet='NOT_IN_NAMES.sub("-", name)[:LONGEST_NAME]',
        replacement="name[:LONGEST_NAME]",
        tests=ANSWERS,
    ),
    Guard(
        promise="idempotency.key.every_door",
        file="server/mcp/calls.py",
        snippet="key=_text(meta, KEY_META),",
        replacement="key=None,",
        tests=CALLERS,
    ),
    Guard(
        promise="scope.source.labels",
        file="server/mcp/calls.py",
        snippet="if session else caller.bound_session,",
        replacement="if False else caller.bound_session,",
        tests=CALLERS,
    ),
]
