"""What makes a question, who may answer it, and that one answer is accepted: pure functions of the record, the command and the
time.

Order of checks: known and readable (before these are called), the answerer's standing, the state, due, the option.
"""

from __future__ import annotations

import re
from dataclasses import replace

from waypost.kernel.addresses import ProjectName, parse_project_label
from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import format_instant
from waypost.mail.decision_models import Answer, Decision, DecisionState, Question, Standing
from waypost.mail.errors import AlreadyAnswered, AlreadyClosed, NotDue, NotPermittedToAnswer
from waypost.mail.models import Message, Status

__all__ = [
    "ANSWERED",
    "accept",
    "cancel_decision",
    "check_answerer",
    "check_open",
    "check_option",
    "check_question",
    "close_question",
    "expire_decision",
]

ANSWERED = "answered"
"""The outcome of a question's message whose answer was accepted."""
FEWEST_OPTIONS, MOST_OPTIONS = 2, 9
OPTION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LINE_BREAK = re.compile("[\n\v\f\r\x85\u2028\u2029]")
LONGEST = {"question": 1_000, "label": 200, "description": 1_000, "link": 2_000}
MOST_LINKS = 10


def check_question(question: Question, *, asker: ProjectName) -> None:
    """Refuses `invalid_input` unless the question is one: 2 to 9 options with ids of their own, at most one recommended, and the
    asker as the project that is answered."""
    options = question.options
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise _wrong(f"a question needs {FEWEST_OPTIONS} to {MOST_OPTIONS} options, and this one has {len(options)}")
    if not all(OPTION_ID.fullmatch(option.id) for option in options):
        raise _wrong("an option's id must be 1 to 64 letters, digits, '.', '-' and '_', a letter or digit first")
    if len({option.id for option in options}) != len(options):
        raise _wrong("two options have the same id")
    if sum(option.recommended for option in options) > 1:
        raise _wrong("more than one option is recommended")
    _check_text("question", question.question)
    for option in options:
        _check_text("label", option.label)
        _check_length("description", option.description)
    _check_links(question.links)
    if _label(question.reply_project) != asker:
        raise _wrong(f"the project that is answered must be the asking one, '{asker}'")


def check_answerer(decision: Decision, standing: Standing) -> None:
    """Refuses `not_permitted_to_answer` unless the answerer reads the mailbox and may write to the asker, and is root where the
    question requires it."""
    if not standing.reads_mailbox:
        raise NotPermittedToAnswer("Answering needs read on the mailbox that was asked. Nothing was changed.")
    if not standing.writes_asker:
        raise NotPermittedToAnswer("Answering needs write on the asking project. Nothing was changed.")
    if decision.question.requires_root and not standing.is_root:
        raise NotPermittedToAnswer(
            "This question requires root: the operator answers it, no agent. Nothing was changed.",
            hint="Leave it to the operator, who answers it on the page (`waypost open`) or with --as-operator.",
        )


def check_open(decision: Decision, *, now: int, answered_by: str) -> None:
    """Refuses `already_answered`, naming `answered_by`, `already_closed` and `not_due`."""
    state = decision.state_at(now)
    if state is DecisionState.ANSWERED and decision.answer is not None:
        raise AlreadyAnswered(
            f"The question was answered by {answered_by} at {format_instant(decision.answer.at)}, with the option "
            f"{decision.answer.option}. Nothing was changed."
        )
    if state is not DecisionState.OPEN:
        raise AlreadyClosed(f"The question is {state} already. Nothing was changed.")
    if decision.asked_at > now:
        raise NotDue(f"The question is due at {format_instant(decision.asked_at)}. Nothing was changed.")


def check_option(decision: Decision, option: str) -> None:
    """Refuses `invalid_input` for an option that the question does not have."""
    ids = [one.id for one in decision.question.options]
    if option not in ids:
        raise InvalidInput(
            "The question has no option of that id. Nothing was changed.", hint=f"Pass one of: {', '.join(ids)}."
        )


def accept(decision: Decision, answer: Answer) -> Decision:
    """The decision with its one answer. The checks come before."""
    return replace(
        decision,
        state=DecisionState.ANSWERED,
        answer=answer,
        closed_at=answer.at,
        version=decision.version + 1,
    )


def cancel_decision(decision: Decision, *, now: int) -> Decision:
    """The decision withdrawn; a closed one is answered unchanged."""
    if decision.state is not DecisionState.OPEN:
        return decision
    return replace(decision, state=DecisionState.CANCELLED, closed_at=now, version=decision.version + 1)


def expire_decision(decision: Decision, *, now: int) -> Decision:
    """The decision closed because its expiry has passed."""
    return replace(decision, state=DecisionState.EXPIRED, closed_at=now, version=decision.version + 1)


def close_question(message: Message, answer: Answer) -> Message:
    """The question's message after the answer was accepted: done, whoever held it; one that is closed already is left as it is."""
    if message.status is not Status.OPEN:
        return message
    return replace(
        message,
        status=Status.DONE,
        outcome=ANSWERED,
        closed_at=answer.at,
        closed_by_session=answer.by.session,
        closed_by_project=answer.by.project_id,
        lease=None,
        version=message.version + 1,
    )


def _check_text(name: str, text: str) -> None:
    if not text:
        raise _wrong(f"{name} is blank")
    if LINE_BREAK.search(text):
        raise _wrong(f"{name} must be one line")
    _check_length(name, text)


def _check_length(name: str, text: str) -> None:
    if len(text) > LONGEST[name]:
        raise _wrong(f"{name} has {len(text)} characters, and at most {LONGEST[name]} are allowed")


def _check_links(links: tuple[str, ...]) -> None:
    if len(links) > MOST_LINKS:
        raise _wrong(f"there are {len(links)} links, and at most {MOST_LINKS} are allowed")
    for link in links:
        if not link or LINE_BREAK.search(link) or link.startswith(('"', "'", "|")):
            raise _wrong("a link must be one line and not blank, and begin with no quote")
        _check_length("link", link)


def _label(text: str) -> ProjectName | None:
    try:
        return parse_project_label(text, None, field="reply_project")
    except InvalidInput:
        return None


def _wrong(clause: str) -> InvalidInput:
    return InvalidInput(f"{clause[0].upper()}{clause[1:]}. Nothing was changed.")
