"""The convention's text of questions and answers: what is printed is read back, and nothing that is read makes it fail otherwise."""

from __future__ import annotations

import contextlib
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.mail.decision_models import Option, Question, Reply
from waypost.mail.decision_text import (
    Malformed,
    print_question,
    print_reply,
    read_question,
    read_reply,
    tidy,
)

SEED_QUESTION = """\
question: Accept the known-flake exception on the export test?
requires_root: false
reply_project: default/orchestrator
options:
- id: accept
  label: Accept the exception
  description: Land the change with the flake written down.
  recommended: true
- id: reject
  label: Send it back
  description: The test has to be stable first.
details: Failed once in forty CI runs. The flake is timed in the export suite.
links:
- https://example.test/pull/12
"""
SEED_REPLY = """\
question_id: 018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b
option: accept
comment: Accepting the exception; the flake is already written down.
"""
HOSTILE = st.text(
    st.one_of(st.sampled_from(list("\n\r\t :|-\"'\\#[]{}>&*!%@`\x85\u2028\u202e")), st.characters(codec="utf-8")),
    max_size=60,
)
TEXTS = HOSTILE.map(tidy)
IDS = st.text(string.ascii_letters + string.digits, min_size=1, max_size=8)
OPTIONS = st.lists(
    st.builds(Option, id=IDS, label=TEXTS.filter(bool), description=TEXTS, recommended=st.booleans()), max_size=9
)
QUESTIONS = st.builds(
    Question,
    question=TEXTS.filter(bool),
    requires_root=st.booleans(),
    reply_project=IDS.map("default/{}".format),
    options=OPTIONS.map(tuple),
    details=TEXTS,
    links=st.lists(IDS.map("https://example.test/{}".format), max_size=3).map(tuple),
)


@promise("decision.plain.recognised")
def test_the_seeds_own_question_and_answer_are_read() -> None:
    question = read_question(SEED_QUESTION)
    assert [(option.id, option.recommended) for option in question.options] == [("accept", True), ("reject", False)]
    assert question.reply_project == "default/orchestrator"
    assert question.links == ("https://example.test/pull/12",)
    assert print_question(question) == SEED_QUESTION.rstrip("\n")
    reply = read_reply(SEED_REPLY)
    assert (reply.option, reply.comment[:9]) == ("accept", "Accepting")
    assert print_reply(reply) == SEED_REPLY.rstrip("\n")


@promise("decision.plain.recognised")
@given(QUESTIONS)
@example(
    Question(
        question="|",
        requires_root=True,
        reply_project="default/a",
        options=(Option(id="a", label='"', description="one\n\n\t \n  two\r x"),),
        details="- id: x\nquestion: y",
    )
)
def test_a_question_that_was_printed_is_read_as_it_was(question: Question) -> None:
    assert read_question(print_question(question)) == question


@promise("decision.plain.recognised")
@given(IDS, IDS, TEXTS)
@example("q", "o", "question_id: other\noption: second")
@example("q", "o", "|\n x")
def test_an_answer_that_was_printed_is_read_as_it_was(question_id: str, option: str, comment: str) -> None:
    reply = Reply(question_id=question_id, option=option, comment=comment)
    assert read_reply(print_reply(reply)) == reply


@promise("decision.plain.malformed_stays_mail")
@given(
    st.one_of(HOSTILE, st.lists(st.sampled_from(SEED_QUESTION.splitlines() + SEED_REPLY.splitlines())).map("\n".join))
)
def test_no_text_makes_reading_fail_in_another_way(text: str) -> None:
    for read in (read_question, read_reply):
        with contextlib.suppress(Malformed):
            read(text)


@promise("decision.plain.malformed_stays_mail")
@pytest.mark.parametrize(
    "text",
    [
        "question: " + "x" * 200_000,
        "\n" * 200_000,
        "\r" * 200_000,
        "details: |\n" + " x\n" * 60_000,
        "options:\n" + "- id: a\n  label: b\n" * 20_000,
        'question: "' + "\\" * 200_000,
        "- " * 100_000,
        "comment: '" + "'" * 200_001,
    ],
    ids=["long", "breaks", "returns", "block", "options", "escapes", "dashes", "quotes"],
)
@pytest.mark.timeout(20)
def test_a_large_text_is_read_in_one_pass(text: str) -> None:
    for read in (read_question, read_reply):
        with pytest.raises(Malformed):
            read(text)


@promise("decision.plain.malformed_stays_mail")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("question: twice", "twice"),
        ("colour: red", "names none"),
        ("  details: indented", "indented"),
        ("just words", "names none"),
        ("requires_root: perhaps", "twice"),
        ("options:", "twice"),
    ],
)
def test_what_is_not_of_the_form_is_named_without_its_text(line: str, words: str) -> None:
    with pytest.raises(Malformed, match=words) as problem:
        read_question(SEED_QUESTION + line)
    assert "red" not in str(problem.value)


@promise("decision.plain.recognised")
def test_quoted_values_and_indented_lists_of_yaml_writers_are_read() -> None:
    question = read_question(
        'question: "Ship \\"it\\"?"\n'
        "requires_root: True\n"
        "reply_project: 'default/a'\n"
        "options:\n"
        "  -   id: yes\n"
        "      label: 'It''s time'\n"
        "  - label: |-\n"
        "      No\n"
        "    id: no\n"
    )
    assert question.question == 'Ship "it"?'
    assert question.requires_root is True
    assert [(option.id, option.label) for option in question.options] == [("yes", "It's time"), ("no", "No")]


@promise("decision.plain.recognised")
def test_a_plain_comment_goes_on_to_the_end_of_the_answer() -> None:
    reply = read_reply("question_id: q\noption: o\ncomment: first\n\nsecond: line\n- third")
    assert reply.comment == "first\n\nsecond: line\n- third"
