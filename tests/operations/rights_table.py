"""Who may run which operation: one entry for each, read by the matrix. A new operation without an entry fails there.

`fields` makes what the call is given, anew for each caller, on a town of `rights_town`. `codes` says what each caller gets: `ok` or
the code of the refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from tests.operations.rights_town import CALLERS, Town

__all__ = ["TABLE", "Entry"]

Fields = dict[str, Any]
NUMBERS = count(1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """What an operation is given and what each caller gets."""

    fields: Callable[[Town], Fields]
    codes: Mapping[str, str]


def codes(**given: str) -> Mapping[str, str]:
    """`ok` for every caller but those named."""
    return dict.fromkeys(CALLERS, "ok") | given


EVERYBODY = codes()
READER = codes(drop="forbidden", nothing="not_found")
READER_OF_ONE = codes(drop="not_found", nothing="not_found")
"""What may not be read is not known to be there, where it is named by an id."""
SENDER = codes(read="forbidden", nothing="not_found")
WRITER = codes(read="forbidden", drop="forbidden", nothing="not_found")
WRITER_OF_ONE = codes(read="forbidden", drop="not_found", nothing="not_found")
OPERATOR = dict.fromkeys(CALLERS, "forbidden") | {"operator": "ok"}
OWNER = OPERATOR | {"owner": "ok"}
IN_A = {"project": "a"}


def new_name() -> str:
    """A name that no project or user has."""
    return f"new-{next(NUMBERS)}"


def new_project(town: Town) -> Fields:
    """A project that was just made."""
    name = new_name()
    town.office.add(name)
    return {"workspace": "default", "project": name}


def new_user(town: Town) -> Fields:
    """A user who was just added."""
    name = new_name()
    town.office.run("user.add", caller=town.caller("operator"), user=name)
    return {"user": name}


def new_session(town: Town) -> str:
    """A session of project a."""
    name = new_name()
    town.office.run("session.put", session_id=name, project="a")
    return name


def question() -> Fields:
    """A question with two options."""
    options = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    return {"question": f"Shall we {new_name()}?", "options": options}


def new_question(town: Town) -> Fields:
    """A question that a asked in its own mailbox."""
    return {"decision_id": town.office.run("decision.ask", **question(), project="a")["decision_id"]}


def work(town: Town) -> Fields:
    """An actionable message to a, and a session there."""
    return {"message_id": town.sent(actionable=True), "occurrence": 1, "session": new_session(town)}


def claimed(town: Town) -> Fields:
    """The same, claimed by that session."""
    fields = work(town)
    return {**fields, "project": "a", "token": town.office.run("message.claim", project="a", **fields)["token"]}


def waking(town: Town) -> Fields:
    """A message to a that asks for a turn, and a session there."""
    return {"message_id": town.sent(delivery="wake"), "session": new_session(town)}


def reserved(town: Town) -> Fields:
    """The same, reserved by that session."""
    fields = {**waking(town), "project": "a"}
    wake = town.office.run("wake.reserve", **fields)["wake"]
    return {**fields, "occurrence": wake["occurrence"], "token": wake["token"]}


def new_handoff(town: Town) -> Fields:
    """A note in a."""
    return {"handoff_id": town.office.run("handoff.begin", summary="where it stands", project="a")["handoff_id"]}


def new_token(town: Town) -> Fields:
    """A token of the operator's own."""
    made = town.office.run("token.create", caller=town.caller("operator"), kind="operator", name="one more")
    return {"token_id": made["token"]["id"]}


def entry(fields: Callable[[Town], Fields] | Fields, codes: Mapping[str, str]) -> Entry:
    """An entry; fields that are the same for every call may be given as they are."""
    return Entry(fields=fields if callable(fields) else lambda town: dict(fields), codes=codes)


def one_to_a(**more: Any) -> Callable[[Town], Fields]:
    """A new message in the inbox of a, from b, and the own project a."""
    return lambda town: {"message_id": town.sent(), "project": "a", **more}


TABLE: dict[str, Entry] = {
    "message.send": entry(lambda town: {"from_project": "a", "to_project": "b", "body": new_name()}, SENDER),
    "message.list": entry(IN_A, READER),
    "message.view": entry(one_to_a(), READER_OF_ONE),
    "message.pop": entry(one_to_a(), WRITER_OF_ONE),
    "message.ack": entry(
        lambda town: {**one_to_a()(town), "occurrence": 1, "session": new_session(town)}, WRITER_OF_ONE
    ),
    "message.cancel": entry(one_to_a(), WRITER_OF_ONE),
    "message.redact": entry(lambda town: {"message_id": town.sent()}, OPERATOR),
    "message.cancel_all": entry(one_to_a(), WRITER_OF_ONE),
    "message.reply": entry(one_to_a(body="an answer"), WRITER_OF_ONE),
    "message.wait": entry({"project": "a", "timeout_seconds": 0}, READER),
    "project.list": entry({}, EVERYBODY),
    "project.which": entry(IN_A, codes(nothing="not_found")),
    "project.show": entry({"workspace": "default", "project": "a"}, READER),
    "project.add": entry(lambda town: {"project": new_name()}, OWNER),
    "project.put": entry(lambda town: {"workspace": "default", "project": new_name()}, OWNER),
    "project.rename": entry(lambda town: {**new_project(town), "to_project": new_name()}, OWNER),
    "project.move": entry(lambda town: {**new_project(town), "to_workspace": "other"}, OWNER),
    "project.allow": entry(lambda town: {**new_project(town), "directory": "/"}, OWNER),
    "project.delete": entry(new_project, OPERATOR),
    "session.list": entry(IN_A, READER),
    "session.show": entry(lambda town: {"session_id": new_session(town)}, READER_OF_ONE),
    "session.put": entry(lambda town: {"session_id": new_name(), "project": "a"}, SENDER),
    "session.continue": entry(lambda town: {"session_id": new_session(town), "continues": "S0"}, WRITER_OF_ONE),
    "activity.list": entry(IN_A, READER),
    "activity.latest": entry({}, EVERYBODY),
    "activity.mark": entry(IN_A, READER),
    "activity.claims": entry(IN_A, READER),
    "activity.reminders": entry(IN_A, READER),
    "activity.thread": entry(lambda town: {"message_id": town.sent()}, READER_OF_ONE),
    "changes.list": entry(IN_A, READER),
    "consumer.put": entry({"name": "host"}, EVERYBODY),
    "consumer.show": entry({"name": "host"}, dict.fromkeys(CALLERS, "not_found")),
    "consumer.delete": entry({"name": "host"}, dict.fromkeys(CALLERS, "not_found")),
    "briefing.show": entry(IN_A, READER),
    "briefing.begin": entry(IN_A, READER),
    "briefing.shown": entry(
        lambda town: {
            "project": "a",
            "session": new_session(town),
            "items": [{"message_id": town.sent(), "occurrence": 1}],
        },
        WRITER,
    ),
    "message.claim": entry(lambda town: {**work(town), "project": "a"}, WRITER_OF_ONE),
    "message.renew": entry(claimed, WRITER_OF_ONE),
    "message.release": entry(claimed, WRITER_OF_ONE),
    "message.complete": entry(lambda town: {**claimed(town), "outcome": "done"}, WRITER_OF_ONE),
    "message.snooze": entry(lambda town: {**claimed(town), "outcome": "later", "delay_seconds": 60}, WRITER_OF_ONE),
    "wake.look": entry(lambda town: {"project": "a", "session": new_session(town)}, READER),
    "wake.reserve": entry(lambda town: {**waking(town), "project": "a"}, WRITER_OF_ONE),
    "wake.accepted": entry(reserved, WRITER_OF_ONE),
    "wake.retry": entry(reserved, WRITER_OF_ONE),
    "decision.ask": entry(lambda town: {**question(), "project": "a", "to_project": "a"}, SENDER),
    "decision.answer": entry(lambda town: {**new_question(town), "option": "yes", "project": "a"}, WRITER_OF_ONE),
    "decision.cancel": entry(lambda town: {**new_question(town), "project": "a"}, WRITER_OF_ONE),
    "decision.list": entry(IN_A, READER),
    "decision.view": entry(lambda town: {**new_question(town), "project": "a"}, READER_OF_ONE),
    "decision.wait": entry(lambda town: {**new_question(town), "project": "a", "timeout_seconds": 0}, READER_OF_ONE),
    "handoff.begin": entry({"summary": "where it stands", "project": "a"}, SENDER),
    "handoff.offer": entry(IN_A, READER),
    "handoff.list": entry(IN_A, READER),
    "handoff.accept": entry(lambda town: {**new_handoff(town), "project": "a"}, WRITER),
    "handoff.cancel": entry(lambda town: {**new_handoff(town), "project": "a"}, WRITER),
    "boundary.reach": entry({"project": "a", "boundary": "prompt"}, READER),
    "boundary.enter": entry(lambda town: {"project": "a", "session": new_name()}, SENDER),
    "boundary.note": entry(
        lambda town: {"project": "a", "session": new_session(town), "client": "codex", "event": "prompt"}, WRITER
    ),
    "boundary.events": entry({}, EVERYBODY),
    "store.show": entry({}, EVERYBODY),
    "user.me": entry({}, EVERYBODY),
    "user.list": entry({}, OPERATOR),
    "user.show": entry(
        new_user, codes(**dict.fromkeys(("none", "owner", "write", "read", "drop", "nothing", "agent"), "not_found"))
    ),
    "user.add": entry(lambda town: {"user": new_name()}, OPERATOR),
    "user.remove": entry(new_user, OPERATOR),
    "token.list": entry({}, codes(none="forbidden", owner="forbidden", agent="forbidden")),
    "token.create": entry({"kind": "operator", "name": "n"}, OWNER),
    "token.revoke": entry(
        new_token,
        codes(
            none="forbidden",
            owner="forbidden",
            agent="forbidden",
            **dict.fromkeys(("write", "read", "drop", "nothing"), "not_found"),
        ),
    ),
    "grant.list": entry({}, codes(none="forbidden", owner="forbidden")),
    "grant.set": entry(lambda town: {**new_user(town), "project": "a", "rights": ["read"]}, OPERATOR),
    "grant.remove": entry(lambda town: {**new_user(town), "project": "a"}, OPERATOR),
}
