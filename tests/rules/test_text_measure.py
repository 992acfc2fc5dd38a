"""Over-long text is refused with its figures, or cut with a mark that a reader sees, never longer than its limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.kernel.errors import BodyTooLong, InvalidInput
from waypost.kernel.text import accept_text, measure
from waypost.kernel.text.measure import cut_before
from waypost.kernel.text.scrub import mark

ANY = st.text(alphabet=st.characters(exclude_categories=()))
E_ACUTE = "e\u0301"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
KSSA = "\u0915\u094d\u200d\u0937"


@promise("text.too_long.refused")
@given(st.integers(min_value=0, max_value=100), st.integers(min_value=1, max_value=100))
def test_over_long_text_is_refused_with_limit_and_length(limit: int, more: int) -> None:
    with pytest.raises(BodyTooLong) as refused:
        measure("é" * (limit + more), field="body", limit=limit, truncate=False)
    assert refused.value.code == "body_too_long"
    assert f"has {limit + more} characters; at most {limit}" in refused.value.detail
    assert "Nothing was stored" in refused.value.detail
    assert "truncate=true" in refused.value.hint


@promise("text.too_long.refused")
def test_length_is_counted_in_characters_and_the_limit_itself_fits() -> None:
    text = "\U0001f600" * 200
    assert measure(text, field="subject", limit=200, truncate=False).text == text


@promise("text.truncate.marked")
@given(ANY, st.integers(min_value=0, max_value=120))
def test_a_cut_text_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    done = measure(text, field="body", limit=limit, truncate=True)
    assert len(done.text) <= limit
    assert done.truncated == (len(text) > limit)
    assert done.original_length == len(text)
    assert done.truncated or done.text == text


@promise("text.truncate.marked")
@given(st.text(min_size=201, max_size=400), st.integers(min_value=60, max_value=200))
def test_a_cut_text_is_a_beginning_and_a_mark_with_its_figures(text: str, limit: int) -> None:
    done = measure(text, field="body", limit=limit, truncate=True)
    kept = done.text.rpartition("… [cut by Waypost: ")[0]
    assert text.startswith(kept)
    assert done.text == f"{kept}… [cut by Waypost: {len(kept)} of {len(text)} characters]"


@promise("text.truncate.marked")
@pytest.mark.parametrize("letter", [E_ACUTE, FAMILY, "\U0001f44d\U0001f3fd", "\r\n", "क्\u200dष", mark("jwt")])
def test_a_cut_does_not_split_a_letter_or_a_mark(letter: str) -> None:
    for spare in range(1, len(letter)):
        assert cut_before("ab" + letter + "cd", 2 + spare) == 2
    assert cut_before("ab" + letter + "cd", 2 + len(letter)) == 2 + len(letter)


def test_a_letter_without_end_is_cut_all_the_same() -> None:
    assert 400 <= len(measure("e" + "\u0301" * 9000, field="body", limit=500, truncate=True).text) <= 500


@pytest.mark.parametrize("text", ["", " ", "\t\n ", "\u00a0\u2003"])
def test_blank_text_is_refused_where_something_must_be_said(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        accept_text(text, field="body", limit=8_000, minimum=1)
    assert refused.value.code == "invalid_input"
    assert "body" in refused.value.detail
    assert accept_text(text, field="outcome", limit=8_000).text == text


@promise("text.truncate.marked")
def test_the_answer_carries_the_length_before_the_cut() -> None:
    taken = accept_text("word " * 100, field="body", limit=100, truncate=True)
    assert (taken.truncated, taken.original_length, len(taken.text) <= 100) == (True, 500, True)
    with pytest.raises(BodyTooLong):
        accept_text("word " * 100, field="body", limit=100)
