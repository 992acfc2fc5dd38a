"""Questions as people read them: provenance first, then the security notice, then the texts as the operation framed them."""

from __future__ import annotations

from typing import Any

from waypost.cli.message_text import address, sender
from waypost.cli.moments import age, moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.cli.output import Output

__all__ = ["asked", "decided", "listed", "viewed", "waited"]

Record = dict[str, Any]


def asked(answer: Record, output: Output) -> None:
    """What `ask` answers."""
    word = "Already asked" if answer["already_sent"] else "Asked"
    output.line(f"{word} {answer['decision_id']} of {address(answer['to'])}.")
    _done_to_text(answer, output)
    output.aside(f"Wait for the answer: waypost decision wait --id {answer['decision_id']}")


def listed(answer: Record, output: Output) -> None:
    """What `list` answers."""
    _hint(answer, output)
    if not answer["items"]:
        output.line("No questions here.")
    else:
        rows = [
            (
                item["id"],
                age(item["asked_at"]),
                f"{sender(item['from'])} → {address(item['to'])}",
                item["question"],
                _state(item),
            )
            for item in answer["items"]
        ]
        output.table(("id", "age", "from → to", "question", "state"), rows)
        if answer["security_notice"]:
            output.line(f"\n{answer['security_notice']}")
    if answer["next_cursor"]:
        output.line(f"\nThere are more: --cursor {answer['next_cursor']}")


def viewed(answer: Record, output: Output) -> None:
    """What `view` answers."""
    _hint(answer, output)
    _whole(answer["decision"], answer["security_notice"], output)
    for reply in answer["replies"]:
        if not reply["accepted"]:
            output.line(f"\nnot the answer, from {sender(reply['from'])} at {moment(reply['at'])}: {reply['subject']}")
    if answer["may_answer"]:
        output.aside(f"\nAnswer it: waypost decision answer --id {answer['decision']['id']} --option ID")


def decided(answer: Record, output: Output) -> None:
    """What `answer` and `cancel` answer."""
    decision = answer["decision"]
    output.line(f"The question {decision['id']} is {_state(decision)}.")
    if answer["message_id"]:
        output.line(f"The reply {answer['message_id']} was sent to {sender(decision['from'])}.")
    _done_to_text(answer, output)


def waited(answer: Record, output: Output) -> None:
    """What `wait` answers."""
    if answer["retry"]:
        output.line("Nobody has answered yet.")
        return
    _whole(answer["decision"], answer["security_notice"], output)


def _state(decision: Record) -> str:
    if decision["state"] == "open" and decision["requires_root"]:
        return "open, for the operator"
    return f"answered: {decision['answer']['option']}" if decision["answer"] else str(decision["state"])


def _whole(decision: Record, notice: str | None, output: Output) -> None:
    """One question: who and when, then the notice, then the texts."""
    output.line(f"id         {decision['id']}")
    output.line(f"from       {sender(decision['from'])}, by {decision['from']['via']['door']}")
    output.line(f"to         {address(decision['to'])}")
    output.line(f"asked      {moment(decision['asked_at'])}")
    output.line(f"state      {_state(decision)}, version {decision['version']}")
    if decision["requires_root"]:
        output.line("answers    the operator alone")
    if notice:
        output.line(f"\n{notice}")
    output.line(f"\nquestion   {decision['question']}")
    for option in decision["options"]:
        mark = "  (recommended)" if option["recommended"] else ""
        output.line(f"\n  {option['id']}{mark}: {option['label']}")
        if option["description"]:
            output.line(option["description"])
    if decision["details"]:
        output.line(f"\n{decision['details']}")
    for link in decision["links"]:
        output.line(f"link       {link}")
    if decision["answer"]:
        _answer(decision["answer"], output)


def _answer(answer: Record, output: Output) -> None:
    by = answer["by"]
    who = f"~{by['user']}" if by["user"] else sender(by)
    output.line(f"\nanswer     {answer['option']}, by {who} at {moment(answer['at'])}")
    if answer["comment"]:
        output.line(answer["comment"])


def _done_to_text(answer: Record, output: Output) -> None:
    if answer["scrubbed"]:
        output.line(f"{answer['scrubbed']} secret(s) were removed from the text before it was stored.")
    if answer["truncated"]:
        output.line(f"The text was cut; it had {answer['original_length']} characters.")


def _hint(answer: Record, output: Output) -> None:
    if answer["hint"]:
        output.note(f"hint: {answer['hint']}")
