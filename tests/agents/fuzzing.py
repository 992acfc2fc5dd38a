"""Hostile payloads by a seed, and what a hook may answer to any of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from tests.agents.payloads import EVENT_OF, EVENTS, payload
from waypost.agents.client import Client
from waypost.agents.known import CLIENTS, really_from
from waypost.agents.payload import read_payload
from waypost.server.hooks.telling import Part, shaped

__all__ = ["broken_output", "payloads", "render"]

VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    "",
    "x" * 5_000,
    "\x00\x1b[31m\x7f\x9b\u2028\u202e",
    "\ud83d",
    "../../etc/passwd",
    "/",
    "/nowhere/at/all",
    "S" * 128,
    "S" * 129,
    [],
    ["/a", "/b"],
    {},
    {"session_id": "EVIL", "cwd": "/"},
    [[[[]]]],
)
BYTES = b'"\\{}[]:,\x00\x1b\xff\xc3 0tfn'


def payloads(seed: int, client: str, count: int) -> Iterator[tuple[str, bytes]]:
    """Events of the client with payloads that are right, wrong in one way or wrong in several."""
    dice = random.Random(f"{seed} {client}")
    events = list(EVENTS[client])
    for _ in range(count):
        event = dice.choice(events)
        yield event, _spoilt(dice, client, event)


def _spoilt(dice: random.Random, client: str, event: str) -> bytes:
    record = payload(client, event, f"S{dice.randrange(9)}", "/nowhere/here")
    for _ in range(dice.randrange(4)):
        name = dice.choice([*record, "session_id", "cwd", "source", "agent_id", "\x00", "x" * 300])
        if dice.random() < 0.2:
            record.pop(name, None)
        else:
            record[name] = dice.choice(VALUES)
    raw = bytearray(json.dumps(record, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass"))
    for _ in range(dice.choice((0, 0, 1, 5, 50))):
        at = dice.randrange(len(raw) + 1)
        match dice.randrange(4):
            case 0:
                raw[at:at] = bytes([dice.choice(BYTES)])
            case 1:
                del raw[at : at + dice.randrange(1, 9)]
            case 2:
                raw[at:at] = raw[: dice.randrange(1, 99)]
            case _:
                del raw[at:]
    return bytes(raw)


def render(client: Client, event_name: str, raw: bytes, words: str) -> bytes:
    """What the server does with a payload, without a store: reads it, and shapes words that may stand in it."""
    event = client.event(event_name)
    assert event is not None
    read = read_payload(raw)
    sender = really_from(client, read)
    assert sender in CLIENTS
    session = read.session(sender.session_fields)
    read.directory(sender.directory_fields)
    client.is_subagents(read)
    if event.shape is None:
        return b""
    text = f"{words} {session} {read.text('source', 'prompt')}"
    return shaped(client, event.shape, event.name, [Part(name="inbox", text=text, kept=True)])


def broken_output(client: str, event: str, output: bytes) -> str:
    """What is wrong with an output, empty for nothing: it must be the client's exact form, without a control byte."""
    if not output:
        return ""
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError:
        return "no UTF-8"
    if any((ord(sign) < 0x20 and sign not in "\n\t") or 0x7F <= ord(sign) < 0xA0 for sign in text):
        return "a control character"
    if client in {"kimi-code", "opencode", "pi", "muse-code"}:
        return ""
    try:
        found = json.loads(text)
    except ValueError:
        return "no JSON"
    return "" if _form(client, event, found) else f"another form: {sorted(found)}"


def _form(client: str, event: str, found: Any) -> bool:
    match client:
        case "claude-code" | "codex" | "gemini-cli":
            inner = found.get("hookSpecificOutput")
            return (
                set(found) == {"hookSpecificOutput"}
                and set(inner) == {"hookEventName", "additionalContext"}
                and inner["hookEventName"] == event
                and isinstance(inner["additionalContext"], str)
            )
        case "copilot-cli":
            return set(found) == {"additionalContext"} and isinstance(found["additionalContext"], str)
    keys = {"continue", "additional_context"} if event in EVENT_OF["prompt"].values() else {"additional_context"}
    return set(found) == keys and isinstance(found["additional_context"], str)
