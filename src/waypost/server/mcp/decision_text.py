"""The short text beside a structured answer about decisions. Uses names, ids and times, and texts that the operations framed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["DECISION_WORDING", "verdict"]

Answer = Mapping[str, Any]


def verdict(decision: Answer) -> str:
    """What a message of the convention's form became."""
    state = decision["state"]
    if state == "asked":
        return f"It is a decision; decision_wait with decision_id={decision['decision_id']} waits for the answer."
    if state == "answered":
        return f"It is the answer to the decision {decision['decision_id']}."
    return f"It is plain mail, not {'a decision' if state == 'plain' else 'the answer'}: {decision['reason']}"


def _asked(answer: Answer) -> str:
    asked = "Already asked" if answer["already_sent"] else "Asked"
    lines = [f"{asked}: decision {answer['decision_id']}, of {_address(answer['to'])}; it is {answer['state']}."]
    lines += _done_to_text(answer)
    lines.append(
        "decision_wait waits for the answer; it also comes to your project's inbox. Storage is confirmed, not reading."
    )
    return "\n".join(lines)


def _waited(answer: Answer) -> str:
    if answer["retry"]:
        return f"Decision {answer['decision']['id']} is still open. Call again to go on waiting."
    return _shown(answer)


def _shown(answer: Answer) -> str:
    return "\n".join([*_header(answer["decision"]), *_notes(answer), *_texts(answer["decision"])])


def _listed(answer: Answer) -> str:
    items = answer["items"]
    lines = [f"{len(items)} decision{'' if len(items) == 1 else 's'}."]
    for item in items:
        lines += _header(item)
    if answer["next_cursor"]:
        lines.append(f"More: pass cursor={answer['next_cursor']}")
    return "\n".join([*lines, *_notes(answer)])


def _decided(answer: Answer) -> str:
    lines = _header(answer["decision"])
    if answer["message_id"]:
        lines.append(f"The reply {answer['message_id']} was sent to the asking project.")
    return "\n".join([*lines, *_done_to_text(answer)])


DECISION_WORDING: dict[str, Callable[[Answer], str]] = {
    "decision_ask": _asked,
    "decision_wait": _waited,
    "decision_list": _listed,
    "decision_answer": _decided,
}


def _header(decision: Answer) -> list[str]:
    """Provenance on one line, then the question, which the operation framed where it is foreign, and the answer."""
    parts = [
        f"decision {decision['id']}",
        decision["state"],
        *(["requires root"] if decision["requires_root"] else []),
        f"from {_address({**decision['from'], 'user': None})}",
        f"to {_address(decision['to'])}",
        f"asked {decision['asked_at']}",
        f"options {', '.join(option['id'] for option in decision['options'])}",
    ]
    lines = [" | ".join(parts), f"Question: {decision['question']}"]
    answer = decision["answer"]
    if answer:
        by = answer["by"]
        who = f"~{by['user']}" if by["user"] else _address({**by, "user": None})
        lines.append(f"Answer: {answer['option']}, by {who} at {answer['at']}.")
    return lines


def _texts(decision: Answer) -> list[str]:
    """The comment of the answer; while there is none, the options with their labels."""
    answer = decision["answer"]
    if answer:
        return [answer["comment"]] if answer["comment"] else []
    return [f"{option['id']}: {option['label']}" for option in decision["options"]]


def _address(address: Answer) -> str:
    if address["user"]:
        name = f"~{address['user']}"
    elif address["workspace"]:
        name = f"{address['workspace']}/{address['project']}"
    else:
        name = str(address["project"])
    return f"{name}#{address['session']}" if address["session"] else name


def _done_to_text(answer: Answer) -> list[str]:
    lines = []
    if answer["scrubbed"]:
        lines.append(f"Removed before storing: {answer['scrubbed']} secret(s).")
    if answer["truncated"]:
        lines.append(f"The text was cut; it had {answer['original_length']} characters.")
    return lines


def _notes(answer: Answer) -> list[str]:
    return [answer[name] for name in ("hint", "security_notice") if answer.get(name)]
