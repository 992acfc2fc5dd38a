"""Mail as people read it: provenance first, then the security notice, then the framed text as the operation framed it."""

from __future__ import annotations

from typing import Any

from waypost.cli.moments import age, moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.cli.output import Output

__all__ = ["acked", "cancelled", "done_to_text", "listed", "popped", "redacted", "sent", "viewed", "waited", "whole"]

Record = dict[str, Any]
VERDICTS = {
    "asked": "It is a question that a person decides; `waypost decision wait` waits for the answer.",
    "answered": "It is the answer to the question {decision_id}.",
    "plain": "It is plain mail and no question: {reason}",
    "unaccepted": "It is plain mail and not the answer: {reason}",
}
"""What a message of the convention's form became."""
WORTH_SAYING = 60
"""Seconds; a reminder that is read within its minute is in time."""


def sent(answer: Record, output: Output) -> None:
    """What `send` and `reply` answer."""
    word = "Already sent" if answer["already_sent"] else "Sent"
    output.line(f"{word} {answer['message_id']} to {address(answer['to'])}.")
    if answer["actionable"]:
        local = f" ({answer['due_local']})" if answer["due_local"] else ""
        output.aside(f"It asks for work and comes due {moment(answer['due_at'])}{local}.")
    done_to_text(answer, output)
    if answer["decision"]:
        output.line(VERDICTS[answer["decision"]["state"]].format(**answer["decision"]))
    reach = answer["reach"]
    if reach["sessions"] is None:
        output.aside(f"How many sessions were active there is {reach['how']}.")
    else:
        output.aside(f"{reach['sessions']} session(s) were active there within a day; mail is read {reach['how']}.")


def listed(answer: Record, output: Output) -> None:
    """What `list` answers."""
    _hint(answer, output)
    if not answer["items"]:
        output.line(f"Nothing here{_scope(answer)}.")
    else:
        rows = [
            (
                item["id"],
                age(item["due_at"]),
                f"{sender(item['from'])} → {address(item['to'])}",
                "(redacted)" if item["redacted_at"] else item["subject"],
                _state(item),
            )
            for item in answer["items"]
        ]
        output.table(("id", "age", "from → to", "subject", "status"), rows)
        if answer["security_notice"]:
            output.line(f"\n{answer['security_notice']}")
    if answer.get("unreadable"):
        skipped = ", ".join(f"{item['id']} (format {item['format']})" for item in answer["unreadable"])
        output.line(f"\nLeft out, because this Waypost cannot read them: {skipped}")
    if answer["next_cursor"]:
        output.line(f"\nThere are more: --cursor {answer['next_cursor']}")


def viewed(answer: Record, output: Output) -> None:
    """What `view` answers."""
    _hint(answer, output)
    whole(answer["message"], answer["security_notice"], output)
    if answer["history"]:
        output.line("\nHistory, newest first:")
    for version in answer["history"]:
        by = f", session {version['by_session']}" if version["by_session"] else ""
        output.line(f"  {moment(version['changed_at'])}  {version['change']} by {version['by_door']}{by}")
        if version["outcome"]:
            output.line(f"    was: {version['outcome']}")


def popped(answer: Record, output: Output) -> None:
    """What `pop` answers."""
    if answer["message"] is None:
        output.line(f"Nothing to pop{_scope(answer)}.")
    else:
        if answer["replayed"]:
            output.aside("This message was popped here before; this is the same one again.")
        whole(answer["message"], answer["security_notice"], output)
    if answer["recently_popped"]:
        output.aside(f"\nPopped in the last 10 minutes: {', '.join(answer['recently_popped'])}")


def acked(answer: Record, output: Output) -> None:
    """What `ack` answers."""
    output.line(f"Read: {answer['message_id']}, occurrence {answer['occurrence']}; it is {answer['status']}.")


def cancelled(answer: Record, output: Output) -> None:
    """What `cancel` answers."""
    count = answer["cancelled"]
    output.line("Nothing was left to cancel." if not count else f"Cancelled {count} message(s).")
    for message in answer["messages"]:
        output.line(f"  {message['message_id']}")
    done_to_text(answer, output)


def redacted(answer: Record, output: Output) -> None:
    """What `redact` answers."""
    word = "Redacted already" if answer["repeated"] else "Redacted"
    output.line(f"{word}: {answer['message_id']}, {moment(answer['redacted_at'])}; it is {answer['status']}.")
    if answer["replies"]:
        output.line("Answers may repeat its words, and are messages of their own:")
        for message_id in answer["replies"]:
            output.line(f"  {message_id}")


def done_to_text(answer: Record, output: Output) -> None:
    """What was done to the caller's text before it was stored."""
    if answer["scrubbed"]:
        output.line(f"{answer['scrubbed']} secret(s) were removed from the text before it was stored.")
    if answer["truncated"]:
        output.line(f"The text was cut; it had {answer['original_length']} characters.")


def waited(answer: Record, output: Output) -> None:
    """What `wait` answers."""
    _hint(answer, output)
    if answer["retry"]:
        output.line(f"Nothing came due{_scope(answer)}.")
        return
    listed({**answer, "hint": None, "next_cursor": None}, output)


def address(record: Record) -> str:
    """An address in its short form."""
    name = f"~{record['user']}" if record.get("user") else _label(record)
    return f"{name}#{record['session']}" if record.get("session") else name


def sender(record: Record) -> str:
    """A sender in the short form of an address."""
    session = record.get("session")
    return f"{_label(record)}#{session}" if session else _label(record)


def _label(record: Record) -> str:
    workspace, project = record.get("workspace"), record.get("project")
    return f"{workspace}/{project}" if workspace else str(project)


def _scope(answer: Record) -> str:
    scope = answer["resolved_scope"]
    if not scope["project"]:
        return ": no project was found"
    return f" for {_label(scope)} (found by {answer['scope_source']})"


def _state(item: Record) -> str:
    lease = item["lease"]
    return f"{item['status']}, held by {lease['holder']}" if lease else f"{item['status']}{_late(item)}"


def _late(item: Record) -> str:
    """How late a reminder is, once that is worth a word."""
    late = item["late_seconds"]
    if late is None or late < WORTH_SAYING:
        return ""
    return f", {late // 3600} h late" if late >= 2 * 3600 else f", {late // 60} min late"


def whole(message: Record, notice: str | None, output: Output) -> None:
    """One message: who and when, then the notice, then the text."""
    by = message["from"]
    declared = f"  (declared by the sender: {', '.join(by['declared'])})" if by["declared"] else ""
    output.line(f"id         {message['id']}")
    output.line(f"from       {sender(by)}, by {by['via']['door']}{declared}")
    output.line(f"to         {address(message['to'])}")
    output.line(f"sent       {moment(message['created_at'])}")
    if message["due_at"] != message["created_at"]:
        output.line(f"due        {moment(message['due_at'])}")
    output.line(f"status     {_state(message)}, occurrence {message['occurrence']}, version {message['version']}")
    if message["reply_to"]:
        output.line(f"answers    {message['reply_to']}")
    if message["redacted_at"]:
        output.line(f"redacted   {moment(message['redacted_at'])}: its words are gone, in every version")
        return
    if notice:
        output.line(f"\n{notice}")
    if message["subject"]:
        output.line(f"\nsubject    {message['subject']}")
    output.line(f"\n{message['body']}")
    if message["outcome"] not in {None, "popped", "read", "answered"}:
        output.line(f"\noutcome:\n{message['outcome']}")


def _hint(answer: Record, output: Output) -> None:
    if answer["hint"]:
        output.note(f"hint: {answer['hint']}")
