"""What cannot be stored is refused with its place, or repaired; a subject is one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.kernel.errors import InvalidInput, InvalidText
from waypost.kernel.text import accept_text, check_text, one_line

BROKEN = st.sampled_from(["\x00", "\ud83d", "\udc00", "\udfff", "\ud800"])
FINE = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


@promise("text.invalid.refused_with_position")
@given(FINE, BROKEN, FINE)
def test_a_lone_surrogate_or_nul_is_refused_with_field_and_position(before: str, broken: str, after: str) -> None:
    with pytest.raises(InvalidText) as refused:
        check_text(before + broken + after, field="subject", repair=False)
    assert refused.value.code == "invalid_text"
    assert "field subject" in refused.value.detail
    assert f"at character {len(before)}," in refused.value.detail
    assert f"U+{ord(broken):04X}" in refused.value.detail
    assert "repair=true" in refused.value.hint


@promise("text.invalid.repaired")
@given(st.lists(st.one_of(FINE, BROKEN)).map("".join))
def test_repaired_text_can_be_stored_and_keeps_every_other_character(text: str) -> None:
    repaired = check_text(text, field="body", repair=True)
    assert "\x00" not in repaired.encode("utf-8").decode("utf-8")
    assert len(repaired) == len(text)
    assert all(
        now == was or (now == "\ufffd" and was in "\x00" + was and (was == "\x00" or "\ud800" <= was <= "\udfff"))
        for now, was in zip(repaired, text, strict=True)
    )
    assert check_text(repaired, field="body", repair=False) == repaired


@promise("text.invalid.refused_with_position")
@given(FINE)
def test_text_that_can_be_stored_is_left_as_it_is(text: str) -> None:
    assert check_text(text, field="body", repair=False) == text


@promise("text.invalid.repaired", "text.invalid.refused_with_position")
def test_accepting_a_text_checks_it_first() -> None:
    with pytest.raises(InvalidText):
        accept_text("x" * 300 + "\ud83d", field="body", limit=10)
    assert accept_text("a\x00b", field="body", limit=10, repair=True).text == "a\ufffdb"


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"])
def test_a_subject_of_two_lines_is_refused(line_break: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        accept_text(f"one{line_break}two", field="subject", limit=200, single_line=True)
    assert refused.value.code == "invalid_input"
    assert "at character 3," in refused.value.detail
    assert one_line("one two\tthree", field="subject") == "one two\tthree"
