"""One tool call: from its arguments and `_meta` to an operation and back to a structured answer with its text.

Every refusal is the tool's answer, marked as an error, with the same problem document as at every other door; only an unknown
tool is a fault of the protocol. Knows no SDK.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

from waypost.kernel.addresses import parse_session_id
from waypost.kernel.errors import InvalidInput, WaypostError
from waypost.operations.call import Answer, Call, Caller
from waypost.server.callers import caller_of
from waypost.server.context import ServerContext
from waypost.server.errors import UNEXPECTED
from waypost.server.mcp.text import refusal_text, text_of
from waypost.server.mcp.tools import MOST_WAIT_SECONDS, Tool
from waypost.server.running import run_operation, wait_operation

__all__ = ["ASKED", "Asked", "ToolAnswer", "call_tool"]

logger = logging.getLogger(__name__)

ASKED = "waypost.mcp.asked"
"""Where the door leaves an `Asked` in the scope for the handlers."""
WAITING = frozenset({"message.wait", "decision.wait"})
KEY_META = "waypost/idempotency-key"
SESSION_META = "waypost/session"
CLIENT_META = "io.modelcontextprotocol/clientInfo"
NOT_IN_NAMES = re.compile(r"[^\x21-\x7e]+")
LONGEST_NAME = 128


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What the door read of a request before the SDK did: whether the whole set of tools is meant, and the parameters as they
    came."""

    every: bool
    params: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolAnswer:
    """What a tool answers: the operation's JSON or a problem document, and its text."""

    structured: Mapping[str, Any]
    text: str
    is_error: bool = False


async def call_tool(context: ServerContext, tool: Tool, scope: MutableMapping[str, Any]) -> ToolAnswer:
    """Runs a tool for the `tools/call` request of an ASGI scope. Never raises."""
    try:
        params = scope[ASKED].params
        meta = params.get("_meta") or {}
        call = Call(
            caller=_caller(await caller_of(scope, context, door="mcp"), meta),
            fields=_given(params.get("arguments") or {}),
            key=_text(meta, KEY_META),
        )
        answer = await _run(context, tool, call)
        structured = json.loads(answer.json)
        return ToolAnswer(structured=structured, text=text_of(tool.name, structured))
    except WaypostError as error:
        problem = error.problem()
        return ToolAnswer(structured=problem, text=refusal_text(problem), is_error=True)
    except Exception:
        logger.exception("the tool %s failed", tool.name)
        return ToolAnswer(structured=UNEXPECTED, text=refusal_text(UNEXPECTED), is_error=True)


async def _run(context: ServerContext, tool: Tool, call: Call) -> Answer:
    if tool.operation not in WAITING:
        return await run_operation(context, tool.operation, call)
    asked = call.fields.get("timeout_seconds", MOST_WAIT_SECONDS)
    seconds = (
        min(asked, MOST_WAIT_SECONDS) if isinstance(asked, int) else 0
    )  # of another type: the first look refuses it
    return await wait_operation(context, call, seconds, name=tool.operation)


def _given(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments without those that are null: models send null for what they leave out."""
    return {name: value for name, value in arguments.items() if value is not None}


def _caller(caller: Caller, meta: Mapping[str, Any]) -> Caller:
    """The caller with what `_meta` says of it: the session that the client is bound to, and the client's name where no header
    gave it. Before revision 2026-07-28 a client names itself only in `initialize`, which a stateless server does not keep."""
    session = _text(meta, SESSION_META)
    return replace(
        caller,
        bound_session=parse_session_id(session, field=f"_meta {SESSION_META}") if session else caller.bound_session,
        client=caller.client or _client(meta),
    )


def _client(meta: Mapping[str, Any]) -> str | None:
    """The client's own name as a label without blanks: it stands unframed in records, so it must not be a sentence."""
    info = meta.get(CLIENT_META)
    name = info.get("name") if isinstance(info, dict) else None
    if not isinstance(name, str):
        return None
    return NOT_IN_NAMES.sub("-", name)[:LONGEST_NAME].strip("-") or None


def _text(meta: Mapping[str, Any], name: str) -> str | None:
    value = meta.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"_meta {name}: must be a string. Nothing was changed.", hint="Correct it or leave it out.")
    return value
