"""The tools: which operations agents get, under which name and with which parameters, and their schemas made from the inputs.

Invariants: a schema is one object whose properties each have one type and a description; no references, unions, nullable
fields or output schemas, because vendors reject them and drop every tool of the server. The same tools have the same bytes,
in the same order. What is known but not listed (`workspace` and its like) is accepted all the same: the operation judges it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from waypost.operations.pipeline import AnyOperation

__all__ = ["MOST_WAIT_SECONDS", "Tool", "ToolSpec", "build_tools"]

MOST_WAIT_SECONDS = 50
"""Clients give up on a tool call after 60 seconds."""

OWN = ("project", "session")
KEPT_KEYWORDS = ("type", "description", "enum", "minimum", "maximum", "minLength", "maxLength")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """One tool as it is declared: its operation, its description, the parameters of every session, and those that only the
    whole set lists. `in_default` says whether every session pays for it."""

    name: str
    operation: str
    title: str
    description: str
    parameters: tuple[str, ...]
    more_parameters: tuple[str, ...] = ()
    in_default: bool = True
    describe: Mapping[str, str] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """One tool as it is offered."""

    name: str
    operation: str
    title: str
    description: str
    input_schema: dict[str, Any]
    read_only: bool
    destructive: bool
    idempotent: bool


SPECS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="message_send",
        operation="message.send",
        title="Send a message",
        description="Leave a message for another project, one session or a person; without a destination, for your own "
        "project. Compose a complete request: what you want, why, the context and paths, and how to tell that it is done. The "
        "answer confirms storage only, not that anybody has read it.",
        parameters=(
            "body",
            "subject",
            "to_project",
            "to_session",
            "to_user",
            "actionable",
            "delivery",
            "due_at",
            "delay_seconds",
            "timezone",
            "reply_to",
            "repeat",
            "truncate",
            "from_project",
            "session",
        ),
        more_parameters=("expires_at", "about", "about_turn", "repair"),
    ),
    ToolSpec(
        name="message_list",
        operation="message.list",
        title="List messages",
        description="List messages of the inbox (default: unread) or the outbox; box both with thread shows one conversation. Marks nothing.",
        parameters=("box", "status", "from", "thread", "query", "user", "limit", "cursor", *OWN),
    ),
    ToolSpec(
        name="message_view",
        operation="message.view",
        title="View a message",
        description="Show one message with its history. Marks nothing as read.",
        parameters=("message_id", *OWN),
    ),
    ToolSpec(
        name="message_pop",
        operation="message.pop",
        title="Take a message",
        description="Take the oldest due message off the queue, exactly once and for everybody. If the answer was lost, pop "
        "that id again from the same session.",
        parameters=("message_id", *OWN),
    ),
    ToolSpec(
        name="message_ack",
        operation="message.ack",
        title="Mark a message as read",
        description="Say that your session has read this occurrence. Harmless to repeat; other sessions keep it unread.",
        parameters=("message_id", "occurrence", *OWN),
    ),
    ToolSpec(
        name="message_claim",
        operation="message.claim",
        title="Claim work",
        description="Own an actionable message for 30 minutes before you do its work. Keep the token: renew, release, complete "
        "and snooze need it. `repeated` means that your session, perhaps another of its agents, holds it already.",
        parameters=("message_id", "occurrence", *OWN),
    ),
    ToolSpec(
        name="message_renew",
        operation="message.renew",
        title="Renew a claim",
        description="Count the 30 minutes of your claim anew. On lease_lost stop the work.",
        parameters=("message_id", "occurrence", "token", *OWN),
    ),
    ToolSpec(
        name="message_release",
        operation="message.release",
        title="Release a claim",
        description="Give claimed work back unfinished; others may claim it at once.",
        parameters=("message_id", "occurrence", "token", *OWN),
    ),
    ToolSpec(
        name="message_complete",
        operation="message.complete",
        title="Complete work",
        description="Finish claimed work with its outcome. Harmless to repeat with the same token.",
        parameters=("message_id", "occurrence", "token", "outcome", *OWN),
        more_parameters=("truncate", "repair"),
    ),
    ToolSpec(
        name="message_snooze",
        operation="message.snooze",
        title="Snooze work",
        description="Let claimed work come due again later, with what you found so far. Pass due_at or delay_seconds.",
        parameters=("message_id", "occurrence", "token", "outcome", "due_at", "delay_seconds", "timezone", *OWN),
        more_parameters=("truncate", "repair"),
    ),
    ToolSpec(
        name="message_cancel",
        operation="message.cancel_all",
        title="Cancel messages",
        description="Withdraw a message that your project sent, or with all=true every open one. Pass one of both.",
        parameters=("message_id", "all", "occurrence", "outcome", *OWN),
        more_parameters=("truncate", "repair"),
    ),
    ToolSpec(
        name="message_reply",
        operation="message.reply",
        title="Reply to a message",
        description="Answer a received message, also after it was acked or popped; the answer goes to the sender's project.",
        parameters=(
            "message_id",
            "body",
            "subject",
            "to_sender_session",
            "actionable",
            "due_at",
            "delay_seconds",
            "repeat",
            "truncate",
            *OWN,
        ),
        more_parameters=("delivery", "timezone", "expires_at", "repair"),
    ),
    ToolSpec(
        name="briefing",
        operation="briefing.begin",
        title="Briefing",
        description="Say what waits for your session: how much mail, under which project name, and the text of what your own "
        "project left for you. Marks nothing as read.",
        parameters=("session_continue", *OWN),
    ),
    ToolSpec(
        name="decision_ask",
        operation="decision.ask",
        title="Ask a person to decide",
        description="Ask a person to choose between options, and go on only with the answer. It comes to your project's inbox "
        "and ends decision_wait. Write for somebody who knows nothing of your work.",
        parameters=(
            "question",
            "options",
            "details",
            "links",
            "requires_root",
            "to_project",
            "to_user",
            "from_project",
            "session",
        ),
        more_parameters=("repeat", "truncate", "repair"),
    ),
    ToolSpec(
        name="decision_wait",
        operation="decision.wait",
        title="Wait for a decision",
        description="Wait until the question is answered. Marks nothing; where retry is true, call again.",
        parameters=("decision_id", "timeout_seconds", *OWN),
        describe={"timeout_seconds": "How long at most, up to 50."},
        at_most={"timeout_seconds": MOST_WAIT_SECONDS},
    ),
    ToolSpec(
        name="handoff_begin",
        operation="handoff.begin",
        title="Leave a handoff",
        description="Leave a single-use note for the next session of your project, when you stop before the work is done.",
        parameters=("summary", "open_questions", "next_steps", "files_touched", *OWN),
        more_parameters=("truncate", "repair"),
    ),
    ToolSpec(
        name="message_wait",
        operation="message.wait",
        title="Wait for a message",
        description="Wait until something unread is due. Marks nothing as read; where retry is true, call again.",
        parameters=("timeout_seconds", *OWN),
        in_default=False,
        describe={"timeout_seconds": "How long at most, up to 50."},
        at_most={"timeout_seconds": MOST_WAIT_SECONDS},
    ),
    ToolSpec(
        name="decision_list",
        operation="decision.list",
        title="List decisions",
        description="List questions to your project and those that it asked, the open ones first. Marks nothing.",
        parameters=("box", "state", "all", "limit", "cursor", *OWN),
        in_default=False,
    ),
    ToolSpec(
        name="decision_answer",
        operation="decision.answer",
        title="Answer a decision",
        description="Answer a question with one of its options, where your user told you to. One answer is accepted; what "
        "requires root is answered by the operator alone.",
        parameters=("decision_id", "option", "comment", *OWN),
        more_parameters=("truncate", "repair"),
        in_default=False,
    ),
    ToolSpec(
        name="handoff_list",
        operation="handoff.list",
        title="List handoffs",
        description="List your project's handoffs, the latest first. Marks nothing.",
        parameters=("state", "limit", "cursor", *OWN),
        in_default=False,
    ),
    ToolSpec(
        name="handoff_accept",
        operation="handoff.accept",
        title="Accept a handoff",
        description="Claim a handoff for your session, exactly once. If the answer was lost, accept that id again.",
        parameters=("handoff_id", *OWN),
        in_default=False,
    ),
    ToolSpec(
        name="handoff_cancel",
        operation="handoff.cancel",
        title="Cancel a handoff",
        description="Withdraw a handoff of your project.",
        parameters=("handoff_id", *OWN),
        in_default=False,
    ),
)


def build_tools(
    operation: Callable[[str], AnyOperation], *, every: bool, specs: tuple[ToolSpec, ...] = SPECS
) -> dict[str, Tool]:
    """The tools by name, in their fixed order: the default set, or with `every` the whole one. `operation` finds one by name."""
    return {
        spec.name: _tool(spec, operation(spec.operation), every=every) for spec in specs if every or spec.in_default
    }


def _tool(spec: ToolSpec, operation: AnyOperation, *, every: bool) -> Tool:
    names = spec.parameters + (spec.more_parameters if every else ())
    known = operation.input.model_json_schema(by_alias=True)
    required = [name for name in names if name in known.get("required", [])]
    return Tool(
        name=spec.name,
        operation=spec.operation,
        title=spec.title,
        description=spec.description,
        input_schema={
            "type": "object",
            "properties": {name: _property(spec, name, known["properties"][name], known) for name in names},
            **({"required": required} if required else {}),
            "additionalProperties": False,
        },
        read_only=not operation.writes,
        destructive=operation.destructive,
        idempotent=operation.idempotent or not operation.writes,
    )


def _property(spec: ToolSpec, name: str, schema: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """One parameter with one type. Optional is what is not required, so the null of an optional field is left away."""
    merged = {**_one_type(spec, name, schema), "description": spec.describe.get(name, schema.get("description"))}
    if name in spec.at_most:
        merged["maximum"] = spec.at_most[name]
    kept = {keyword: merged[keyword] for keyword in KEPT_KEYWORDS if keyword in merged}
    return {**kept, "items": _items(spec, name, merged["items"], known)} if kept["type"] == "array" else kept


def _one_type(spec: ToolSpec, name: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    types = [branch for branch in schema.get("anyOf", [schema]) if branch.get("type") != "null"]
    if len(types) != 1 or not isinstance(types[0].get("type"), str):
        raise TypeError(f"{spec.name}.{name} cannot be said with one type")
    found: Mapping[str, Any] = types[0]
    return found


def _items(spec: ToolSpec, name: str, schema: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """What a list holds: texts, or objects of one level, written out where pydantic would refer to them."""
    inner = known["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if inner.get("type") != "object":
        return {"type": _one_type(spec, name, inner)["type"]}
    fields = {field: _one_type(spec, f"{name}.{field}", one) for field, one in inner["properties"].items()}
    if any(one["type"] in {"array", "object"} for one in fields.values()):
        raise TypeError(f"{spec.name}.{name} holds more than one level")
    return {
        "type": "object",
        "properties": {
            field: {keyword: one[keyword] for keyword in KEPT_KEYWORDS if keyword in one}
            for field, one in fields.items()
        },
        "required": inner["required"],
        "additionalProperties": False,
    }
