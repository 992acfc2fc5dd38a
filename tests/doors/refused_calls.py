"""The table of refusals that every door proves: calls of operations, and the code that each gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from waypost.kernel.errors import every_error
from waypost.server.errors import WrongMethod

__all__ = ["ERRORS", "refused_calls", "refused_leases"]

ERRORS = [error for error in every_error() if error is not WrongMethod and error.__module__.startswith("waypost.")]
"""Every refusal that an operation can give; that of a wrong method belongs to HTTP and is proved where it stands."""
NOBODY = "01a22d35-6e57-7048-9039-550ed9252b92"


def refused_calls(received: str, sent: str, later: str, popped: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Calls that are refused, with the code each gets. `received` lies in b's inbox and `later` is not due there; `sent` went
    from b to a; `popped` is taken."""
    to_b = {"from_project": "a", "to_project": "b"}
    yield "scope_guessed", "message.send", {"to_project": "b", "body": "x"}
    yield "scope_guessed", "message.pop", {}
    yield "scope_guessed", "message.ack", {"message_id": received, "occurrence": 1, "session": "unheard-of"}
    yield "scope_guessed", "message.cancel", {"all": True}
    yield "scope_guessed", "message.reply", {"message_id": received, "body": "x"}
    yield "unknown_recipient", "message.send", {"from_project": "a", "to_project": "bb", "body": "x"}
    yield "unknown_recipient", "message.send", {"from_project": "a", "to_user": "nobody-here", "body": "x"}
    yield "not_found", "message.list", {"project": "no-such-project"}
    yield "not_found", "message.list", {"project": "a", "from": "no-such-project"}
    yield "body_too_long", "message.send", {**to_b, "body": "x" * 8_001}
    yield "body_too_long", "message.send", {**to_b, "body": "x", "subject": "y" * 201}
    yield "invalid_text", "message.send", {**to_b, "body": "a\ud800b"}
    yield "invalid_text", "message.send", {**to_b, "body": "a\0b"}
    yield "invalid_text", "message.list", {"project": "b", "query": "\udfff"}
    yield "invalid_input", "message.list", {"project": "b", "\ud800": 1}
    yield "invalid_input", "message.send", {**to_b, "body": ""}
    yield "invalid_input", "message.send", {**to_b}
    yield "invalid_input", "message.send", {**to_b, "body": 5}
    yield "invalid_input", "message.send", {**to_b, "body": "x", "actionable": "yes"}
    yield "invalid_input", "message.send", {**to_b, "body": "x", "colour": "red"}
    yield "invalid_input", "message.send", {**to_b, "body": "x", "idempotency_key": "k"}
    yield "invalid_input", "message.send", {**to_b, "body": "x", "due_at": "tomorrow"}
    yield "invalid_input", "message.send", {**to_b, "body": "x", "delay_seconds": 5, "due_at": "2031-01-01T00:00:00Z"}
    yield "invalid_input", "message.send", {"from_workspace": "default", "to_project": "b", "body": "x"}
    yield "invalid_input", "message.view", {"project": "b", "message_id": "17"}
    yield "invalid_input", "message.list", {"project": "b", "limit": 501}
    yield "invalid_input", "message.list", {"project": "b", "status": "read"}
    yield "invalid_input", "message.list", {"project": "b", "cursor": "made up"}
    yield "invalid_input", "message.list", {"project": "two words"}
    yield (
        "invalid_input",
        "message.ack",
        {"project": "b", "session": "two words", "message_id": received, "occurrence": 1},
    )
    yield "message_not_found", "message.view", {"project": "b", "message_id": NOBODY}
    yield "message_not_found", "message.pop", {"project": "b", "message_id": NOBODY}
    yield "message_not_found", "message.send", {**to_b, "body": "x", "reply_to": NOBODY}
    yield "not_recipient", "message.pop", {"project": "b", "message_id": sent}
    yield "not_recipient", "message.reply", {"project": "b", "message_id": sent, "body": "x"}
    yield "session_required", "message.ack", {"project": "b", "message_id": received, "occurrence": 1}
    yield "stale_occurrence", "message.ack", {"project": "b", "session": "S1", "message_id": received, "occurrence": 2}
    yield "not_due", "message.pop", {"project": "b", "message_id": later}
    yield "not_due", "message.ack", {"project": "b", "session": "S1", "message_id": later, "occurrence": 1}
    yield "already_closed", "message.cancel", {"project": "a", "message_id": popped}
    yield from _refused_questions()


def _refused_questions() -> Iterator[tuple[str, str, dict[str, Any]]]:
    options = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    yield "scope_guessed", "decision.ask", {"question": "Which?", "options": options}
    asked = {"from_project": "a", "question": "Which?", "options": options}
    yield "unknown_recipient", "decision.ask", {**asked, "to_project": "bb"}
    yield "invalid_input", "decision.ask", {**asked, "options": options[:1]}
    yield "invalid_input", "decision.ask", {**asked, "options": [*options, options[0]]}
    yield "invalid_input", "decision.ask", {**asked, "options": [{**one, "recommended": True} for one in options]}
    yield "invalid_input", "decision.ask", {**asked, "options": [{**options[0], "colour": "red"}, options[1]]}
    yield "invalid_input", "decision.ask", {**asked, "options": [{"id": "yes", "label": 5}, options[1]]}
    yield "invalid_input", "decision.ask", {**asked, "question": ""}
    yield "invalid_text", "decision.ask", {**asked, "options": [{"id": "yes", "label": "a\ud800b"}, options[1]]}
    yield "body_too_long", "decision.ask", {**asked, "details": "x" * 8_001}
    yield "scope_guessed", "handoff.begin", {"summary": "Half done."}
    yield "invalid_input", "handoff.begin", {"project": "a", "summary": " "}
    yield "invalid_input", "handoff.begin", {"project": "a", "summary": "x", "next_steps": [5]}
    yield "body_too_long", "handoff.begin", {"project": "a", "summary": "x" * 8_001}
    yield "not_found", "decision.wait", {"project": "a", "decision_id": NOBODY, "timeout_seconds": 0}
    yield "invalid_input", "decision.wait", {"project": "a", "decision_id": "17", "timeout_seconds": 0}


def refused_leases(
    known: tuple[str, str, str, str], held: str, token: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The same for claim to snooze. `known` are the messages of `refused_calls`; `held` lies in b's inbox and S1 works on it by
    `token`."""
    received, sent, later, popped = known
    occurrence = {"project": "b", "session": "S1", "occurrence": 1}
    claim, once = "message.claim", {**occurrence, "message_id": held}
    yield "scope_guessed", claim, {"message_id": held, "occurrence": 1, "session": "unheard-of"}
    yield "session_required", claim, {"project": "b", "message_id": held, "occurrence": 1}
    yield "message_not_found", claim, {**occurrence, "message_id": NOBODY}
    yield "not_recipient", claim, {**occurrence, "message_id": sent}
    yield "stale_occurrence", claim, {**once, "occurrence": 2}
    yield "already_closed", claim, {**occurrence, "message_id": popped}
    yield "not_due", claim, {**occurrence, "message_id": later}
    yield "not_actionable", claim, {**occurrence, "message_id": received}
    yield "already_claimed", claim, {**once, "session": "S2"}
    yield "already_claimed", "message.pop", {"project": "b", "session": "S2", "message_id": held}
    yield "already_claimed", "message.cancel", {"project": "b", "session": "S2", "message_id": held}
    yield "invalid_input", claim, {**once, "occurrence": 0}
    yield "invalid_input", claim, {**once, "token": token}
    verbs: dict[str, dict[str, Any]] = {
        "message.renew": {},
        "message.release": {},
        "message.complete": {"outcome": "done"},
        "message.snooze": {"outcome": "not yet", "delay_seconds": 60},
    }
    for verb, fields in verbs.items():
        holding = {**once, "token": token, **fields}
        yield "session_required", verb, {**{name: holding[name] for name in holding if name != "session"}}
        yield "message_not_found", verb, {**holding, "message_id": NOBODY}
        yield "not_recipient", verb, {**holding, "message_id": sent}
        yield "stale_occurrence", verb, {**holding, "occurrence": 2}
        yield "already_closed", verb, {**holding, "message_id": popped}
        yield "not_due", verb, {**holding, "message_id": later}
        yield "lease_lost", verb, {**holding, "message_id": received}
        yield "lease_lost", verb, {**holding, "session": "S2"}
        yield "lease_lost", verb, {**holding, "token": "0" * 32}
        yield "invalid_input", verb, {**once, **fields}
        yield "invalid_input", verb, {**holding, "token": ""}
        yield "invalid_input", verb, {**holding, "token": "0" * 129}
    for verb in ("message.complete", "message.snooze"):
        holding = {**once, "token": token, **verbs[verb]}
        yield "invalid_input", verb, {**holding, "outcome": "  "}
        yield "invalid_input", verb, {name: holding[name] for name in holding if name != "outcome"}
        yield "body_too_long", verb, {**holding, "outcome": "x" * 8_001}
        yield "invalid_text", verb, {**holding, "outcome": "a\ud800b"}
    holding = {**once, "token": token, "outcome": "not yet"}
    for time in (
        {},
        {"delay_seconds": 0},
        {"due_at": "2020-01-01T00:00:00Z"},
        {"due_at": "2031-01-01T00:00:00"},
        {"due_at": "2031-01-01T00:00:00Z", "delay_seconds": 5},
        {"due_at": "2031-01-01T00:00:00Z", "timezone": "Europe/Berlin"},
        {"due_at": "2031-01-01T00:00:00", "timezone": "Europe/Berlim"},
        {"delay_seconds": 5, "timezone": "Europe/Berlin"},
    ):
        yield "invalid_input", "message.snooze", {**holding, **time}
