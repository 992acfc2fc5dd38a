"""What makes a question, who may answer it, and that a closed one stays as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.kernel.addresses import ProjectName
from waypost.kernel.errors import InvalidInput, WaypostError
from waypost.mail.decision_models import Answer, Decision, DecisionState, Option, Question, Standing
from waypost.mail.decision_rules import (
    accept,
    cancel_decision,
    check_answerer,
    check_open,
    check_option,
    check_question,
    expire_decision,
)
from waypost.mail.errors import AlreadyAnswered, AlreadyClosed, NotDue, NotPermittedToAnswer
from waypost.mail.models import Sender

ASKER = ProjectName(workspace="default", project="a")
BY = Sender(project_id="p", session=None, client=None, user=None, door="rest", source="explicit")


def question(*ids: str, recommended: tuple[str, ...] = (), **fields: Any) -> Question:
    options = tuple(Option(id=one, label=f"Take {one}", recommended=one in recommended) for one in ids)
    made = Question(question="Ship it?", requires_root=False, reply_project="default/a", options=options)
    return replace(made, **fields)


def decision(**fields: Any) -> Decision:
    made = Decision(
        id="d",
        workspace="default",
        mailbox_id="m",
        to_session=None,
        sender=BY,
        question=question("yes", "no"),
        asked_at=10,
        expires_at=None,
        state=DecisionState.OPEN,
        version=1,
    )
    return replace(made, **fields)


ANSWER = Answer(option="yes", comment="", at=20, by=BY, message_id="r")


@promise("decision.ask.validated")
@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]), max_size=11), st.integers(0, 3))
def test_a_question_has_2_to_9_options_with_their_own_ids_and_one_recommended_at_most(
    ids: list[str], marks: int
) -> None:
    asked = question(*ids, recommended=tuple(ids[:marks]))
    fine = 2 <= len(ids) <= 9 and len(set(ids)) == len(ids) and sum(one.recommended for one in asked.options) <= 1
    try:
        check_question(asked, asker=ASKER)
    except InvalidInput:
        assert not fine
    else:
        assert fine


@promise("decision.ask.validated")
@pytest.mark.parametrize(
    "wrong",
    [
        {"reply_project": "default/b"},
        {"reply_project": "other/a"},
        {"reply_project": "not a name"},
        {"question": ""},
        {"question": "two\nlines"},
        {"question": "x" * 1_001},
        {"links": ("two\nlines",)},
        {"links": ("'quoted'",)},
        {"links": ("",)},
        {"links": tuple(f"https://example.test/{number}" for number in range(11))},
        {"options": (Option(id="two words", label="x"), Option(id="b", label="y"))},
        {"options": (Option(id="a", label=""), Option(id="b", label="y"))},
        {"options": (Option(id="a", label="x\ny"), Option(id="b", label="y"))},
    ],
)
def test_what_makes_no_question_is_refused(wrong: dict[str, Any]) -> None:
    check_question(question("yes", "no"), asker=ASKER)
    with pytest.raises(InvalidInput, match="Nothing was changed"):
        check_question(question("yes", "no", **wrong), asker=ASKER)


@promise("decision.ask.validated")
def test_a_bare_name_is_the_asker_in_the_default_workspace() -> None:
    check_question(question("yes", "no", reply_project="a"), asker=ASKER)


@promise("decision.answer.rights", "decision.answer.root_only")
@given(st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_an_answer_needs_read_write_and_where_required_root(
    reads: bool, writes: bool, root: bool, required: bool
) -> None:
    asked = decision(question=question("yes", "no", requires_root=required))
    standing = Standing(reads_mailbox=reads, writes_asker=writes, is_root=root)
    if reads and writes and (root or not required):
        check_answerer(asked, standing)
    else:
        with pytest.raises(NotPermittedToAnswer):
            check_answerer(asked, standing)


@promise("decision.answer.exactly_one")
@pytest.mark.parametrize(
    ("closed", "error"),
    [
        (accept(decision(), ANSWER), AlreadyAnswered),
        (cancel_decision(decision(), now=20), AlreadyClosed),
        (expire_decision(decision(expires_at=15), now=20), AlreadyClosed),
        (decision(expires_at=20), AlreadyClosed),
        (decision(asked_at=21), NotDue),
    ],
)
def test_only_an_open_question_that_is_due_takes_an_answer(closed: Decision, error: type[WaypostError]) -> None:
    check_open(decision(), now=20, answered_by="")
    with pytest.raises(error):
        check_open(closed, now=20, answered_by="~maria")


@promise("decision.answer.second_refused")
def test_a_second_answer_is_told_who_gave_the_first() -> None:
    with pytest.raises(AlreadyAnswered, match="~maria"):
        check_open(accept(decision(), ANSWER), now=30, answered_by="~maria")


def test_an_option_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    check_option(decision(), "no")
    with pytest.raises(InvalidInput) as refused:
        check_option(decision(), "maybe")
    assert "yes, no" in refused.value.hint


@promise("decision.answer.exactly_one")
def test_withdrawing_leaves_what_is_closed_as_it_is() -> None:
    answered = accept(decision(), ANSWER)
    assert cancel_decision(answered, now=30) is answered
    cancelled = cancel_decision(decision(), now=30)
    assert (cancelled.state, cancelled.version, cancelled.closed_at) == (DecisionState.CANCELLED, 2, 30)
