"""The short text beside a structured answer: what happened, where the mail came from, what to do next.

The one place that words MCP answers. It uses names, ids and times, which cannot pose as anything, and the texts that the
operations framed already; it never frames, unframes or cuts, and never shows a client's declared name, which is nobody's
framed text. Knows no SDK and no tool's schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from waypost.server.mcp.decision_text import DECISION_WORDING, verdict
from waypost.server.mcp.handoff_text import HANDOFF_WORDING

__all__ = ["refusal_text", "text_of"]

Answer = Mapping[str, Any]
IDS_SHOWN = 20


def text_of(tool: str, answer: Answer) -> str:
    """The text of a tool's answer."""
    return WORDING[tool](answer)


def refusal_text(problem: Answer) -> str:
    """One line: the code, what was wrong, what to do."""
    return f"{problem['code']}: {problem['detail']} {problem['hint']}".rstrip()


def _sent(answer: Answer) -> str:
    stored = "Already stored by an equal send" if answer["already_sent"] else "Stored"
    local = f" ({answer['due_local']})" if answer["due_local"] else ""
    lines = [f"{stored}: message {answer['message_id']} to {_address(answer['to'])}, due {answer['due_at']}{local}."]
    lines += _done_to_text(answer)
    if answer["decision"]:
        lines.append(verdict(answer["decision"]))
    reach = answer["reach"]
    if reach["sessions"] is None:
        lines.append(f"How many sessions are there is {reach['how']}.")
    else:
        lines.append(f"{_counted(reach['sessions'], 'session')} seen there within a day; told {reach['how']}.")
    if reach["session_known"] is False:
        lines.append("The session that it is for has not been seen yet; the message waits for it.")
    lines.append("Storage is confirmed, not reading.")
    return "\n".join(lines)


def _done_to_text(answer: Answer) -> list[str]:
    """What was done to the caller's text before it was stored."""
    lines = []
    if answer["scrubbed"]:
        lines.append(f"Removed before storing: {_counted(answer['scrubbed'], 'secret')}.")
    if answer["truncated"]:
        lines.append(f"The text was cut; it had {answer['original_length']} characters.")
    return lines


def _listed(answer: Answer) -> str:
    items = answer["items"]
    lines = [f"{_counted(len(items), 'message')} ({_scope(answer)})."]
    lines += [_header(item) for item in items]
    if answer.get("unreadable"):
        lines.append(f"Not readable by this Waypost: {_ids([record['id'] for record in answer['unreadable']])}.")
    if answer["next_cursor"]:
        lines.append(f"More: pass cursor={answer['next_cursor']}")
    if items:
        lines.append("Nothing was marked. message_view shows a body; message_ack marks a message as read.")
    return "\n".join([*lines, *_notes(answer)])


def _viewed(answer: Answer) -> str:
    message = answer["message"]
    lines = [_header(message), *_notes(answer), message["body"]]
    if message["outcome"]:
        lines.append(f"Outcome: {message['outcome']}")
    lines += [
        f"Version {version['version']}: {version['change']} at {version['changed_at']}" for version in answer["history"]
    ]
    return "\n".join(lines)


def _popped(answer: Answer) -> str:
    message = answer["message"]
    if message is None:
        lines = [f"Nothing to take ({_scope(answer)})."]
        if answer["recently_popped"]:
            lines.append(
                f"Taken here within the last minutes: {_ids(answer['recently_popped'])}. "
                "Pop an id again if its answer was lost."
            )
        return "\n".join(lines)
    first = "Taken before; this repeats the answer." if answer["replayed"] else "Taken off the queue."
    return "\n".join(
        [
            first,
            _header(message),
            *_notes(answer),
            message["body"],
            f"To answer: message_reply with message_id={message['id']}.",
        ]
    )


def _acked(answer: Answer) -> str:
    return f"Read: message {answer['message_id']}, occurrence {answer['occurrence']}; it is {answer['status']}."


def _claimed(answer: Answer) -> str:
    message, lease = answer["message"], answer["lease"]
    first = (
        "Your session holds this already, perhaps by another of its agents; its lease was not extended."
        if answer["repeated"]
        else "Claimed."
    )
    return "\n".join(
        [
            f"{first} Token {answer['token']}, until {lease['until']}, generation {lease['generation']}.",
            _header(message),
            *_notes(answer),
            message["body"],
            "When it is done: message_complete with token and outcome; message_renew before the lease ends.",
        ]
    )


def _renewed(answer: Answer) -> str:
    return f"Renewed: message {answer['message_id']} is yours until {answer['lease']['until']}."


def _released(answer: Answer) -> str:
    return f"Released: message {answer['message_id']} is unread and can be claimed."


def _completed(answer: Answer) -> str:
    return "\n".join([f"Completed: message {answer['message_id']}.", *_done_to_text(answer)])


def _snoozed(answer: Answer) -> str:
    local = f" ({answer['due_local']})" if answer["due_local"] else ""
    line = (
        f"Snoozed: message {answer['message_id']} comes due at {answer['due_at']}{local}, as occurrence"
        f" {answer['occurrence']}; your lease has ended."
    )
    return "\n".join([line, *_done_to_text(answer)])


def _cancelled(answer: Answer) -> str:
    if not answer["messages"]:
        return "Cancelled 0 messages: nothing was open any more."
    ids = _ids([message["message_id"] for message in answer["messages"]])
    return "\n".join([f"Cancelled {_counted(answer['cancelled'], 'message')}: {ids}.", *_done_to_text(answer)])


def _waited(answer: Answer) -> str:
    if not answer["items"]:
        due = f" The next is due at {answer['next_due_at']}." if answer["next_due_at"] else ""
        return "\n".join([f"Nothing is due yet ({_scope(answer)}).{due} Call again to go on waiting.", *_notes(answer)])
    return _listed({**answer, "next_cursor": None})


def _briefed(answer: Answer) -> str:
    count = answer["pending_message_count"]
    named = _scope({**answer, "resolved_scope": answer["scope"]})
    first = "No inbox was found" if count is None else _counted(count, "unread message")
    told = [answer[name] for name in ("notice", "inbox_block") if answer[name]]
    return "\n".join([f"{first} ({named}).", *_notes(answer), *told])


WORDING: dict[str, Callable[[Answer], str]] = {
    "message_send": _sent,
    "message_reply": _sent,
    "message_list": _listed,
    "message_view": _viewed,
    "message_pop": _popped,
    "message_ack": _acked,
    "message_claim": _claimed,
    "message_renew": _renewed,
    "message_release": _released,
    "message_complete": _completed,
    "message_snooze": _snoozed,
    "message_cancel": _cancelled,
    "message_wait": _waited,
    **DECISION_WORDING,
    **HANDOFF_WORDING,
    "briefing": _briefed,
}


def _header(message: Answer) -> str:
    """One line of provenance, and the subject, which the operation framed where it is foreign."""
    parts = [
        f"message {message['id']}",
        f"occurrence {message['occurrence']}",
        message["status"],
        *([f"redacted {message['redacted_at']}"] if message["redacted_at"] else []),
        *(["actionable"] if message["actionable"] else []),
        f"from {_sender(message['from'])}",
        f"to {_address(message['to'])}",
        f"due {message['due_at']}",
        *([f"{message['late_seconds']} s late"] if message["late_seconds"] else []),
        *([f"held by {message['lease']['holder']} until {message['lease']['until']}"] if message["lease"] else []),
        *([f"answers {message['reply_to']}"] if message["reply_to"] else []),
    ]
    line = " | ".join(parts)
    return f"{line}\nSubject: {message['subject']}" if message["subject"] else line


def _sender(sender: Answer) -> str:
    name = _address({**sender, "user": None})
    return f"{name} (declared)" if "project" in sender["declared"] else name


def _address(address: Answer) -> str:
    if address["user"]:
        name = f"~{address['user']}"
    elif address["workspace"]:
        name = f"{address['workspace']}/{address['project']}"
    else:
        name = address["project"]
    return f"{name}#{address['session']}" if address["session"] else str(name)


def _scope(answer: Answer) -> str:
    scope = answer["resolved_scope"]
    name = f"{scope['workspace']}/{scope['project']}" if scope["project"] else "no project"
    return f"{name}, found by {answer['scope_source']}"


def _notes(answer: Answer) -> list[str]:
    """The hint of a guessed scope, then the security notice, each where there is one."""
    return [answer[name] for name in ("hint", "security_notice") if answer.get(name)]


def _ids(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:IDS_SHOWN])
    more = len(ids) - IDS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
