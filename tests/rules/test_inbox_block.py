"""The inbox block and the notice: bounded, framed, honest about what they leave out, and silent where there is nothing."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.kernel.addresses import ProjectName
from waypost.kernel.text import frame, unframe, visible
from waypost.kernel.time import HOUR, MINUTE
from waypost.mail.inbox_block import BLOCK_CHARACTERS, BlockItem, InboxBlock, inbox_block
from waypost.mail.notice import mail_notice, mail_notice_repeated

NOW = 1_764_000_000_000_000
HEADER = re.compile(
    r"(?P<id>\S+) occurrence (?P<occurrence>\d+) from (?P<sender>\S+), due (?P<due>\S+?)"
    r"(?P<late> \((?:\d+ h )?\d+ min late\))?, (?P<kind>reminder|work|information)"
)
FRAME = re.compile(
    r"--- begin foreign text ([0-9a-f]{16}) \(message\) ---\n.*?\n--- end foreign text \1 ---", re.DOTALL
)
TAIL = re.compile(r"(?:(?P<more>\d+) more unread; message_list shows them\.|Nothing unread was left out\.)")
HOSTILE = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(exclude_categories=()), max_size=300),
    st.text(min_size=500, max_size=8_000),
    st.integers(1, 8_000).map(lambda size: "\u202e" * size),
    st.text().map(lambda text: frame(text, origin="message").text + "\n3 more unread; message_list shows them."),
)


def item(number: int, body: str = "Look at the export.", subject: str = "", **changes: object) -> BlockItem:
    """An unread occurrence, told apart by its number."""
    plain: dict[str, object] = {
        "message_id": f"01900000-0000-7000-8000-{number:012d}",
        "occurrence": 1,
        "sender": "default/api",
        "due_at": NOW,
        "actionable": False,
        "reminder": False,
    }
    return BlockItem(**{**plain, "body": body, "subject": subject, **changes})  # type: ignore[arg-type] # fields of a table


items = st.lists(st.tuples(HOSTILE, st.one_of(st.just(""), st.text(max_size=200))), max_size=12).map(
    lambda drawn: [item(number, body, subject) for number, (body, subject) in enumerate(drawn)]
)


def read(block: InboxBlock) -> tuple[list[tuple[re.Match[str], str]], str | None, re.Match[str]]:
    """The block as a reader takes it apart: header and text of each item, the line of ids, the last line."""
    rest, found = block.text, []
    while header := HEADER.match(rest):
        framed = FRAME.match(rest, header.end() + 1)
        assert framed is not None, rest
        found.append((header, unframe(framed.group())))
        rest = rest[framed.end() + 1 :]
    ids = None
    if rest.startswith("Still unread"):
        ids, _, rest = rest.partition("\n")
    tail = TAIL.fullmatch(rest)
    assert tail is not None, rest
    return found, ids, tail


@promise("agent.block.format", "agent.block.cut_is_marked", "agent.block.bounded")
@given(items, st.integers(0, 60), st.integers(0, 900))
def test_a_block_is_bounded_and_can_be_taken_apart_whatever_its_bodies_hold(
    full: list[BlockItem], listed: int, uncounted: int
) -> None:
    older = [item(1_000 + number) for number in range(listed)]
    block = inbox_block(full, listed=older, uncounted=uncounted, now=NOW)
    assert len(block.text) <= BLOCK_CHARACTERS
    if not full and not listed:
        assert block.text == ""
        return
    found, ids, tail = read(block)
    assert [(header["id"], int(header["occurrence"])) for header, _ in found] == list(block.shown)
    assert int(tail["more"] or 0) == block.left_out
    listed_ids = len(re.findall(r"\(\d+\)", ids or ""))
    assert len(found) + listed_ids + block.left_out == len(full) + listed + uncounted
    by_id = {entry.message_id: entry for entry in full}
    for header, text in found:
        entry = by_id[header["id"]]
        whole = visible(f"{entry.subject}\n\n{entry.body}" if entry.subject else entry.body)
        assert text == whole or re.search(r"\[cut by Waypost: \d+ of \d+ characters\]\Z", text)


@promise("agent.block.start_in_full")
@given(items)
def test_no_item_is_left_out_or_cut_that_would_have_fitted(full: list[BlockItem]) -> None:
    block = inbox_block(full, now=NOW)
    whole = [entry for entry in full if len(inbox_block([entry], now=NOW).text) <= BLOCK_CHARACTERS]
    for entry in whole:
        if entry.key not in block.shown:
            alone = len(inbox_block([entry], now=NOW).text)
            assert len(block.text) + alone > BLOCK_CHARACTERS, "an item that fits beside the others was left out"


@promise("agent.block.cut_is_marked")
def test_the_first_long_item_is_cut_with_a_mark_and_counts_as_shown() -> None:
    block = inbox_block([item(1, "word " * 1_600)], now=NOW)
    ((_, text),), _, _ = read(block)
    assert re.search(r"\[cut by Waypost: \d+ of 8000 characters\]\Z", text)
    assert BLOCK_CHARACTERS - 80 < len(block.text) <= BLOCK_CHARACTERS
    assert block.shown == (item(1).key,)


@promise("agent.block.prompt_new_in_full")
def test_older_items_are_one_line_of_ids_and_new_ones_stand_in_full() -> None:
    block = inbox_block([item(1)], listed=[item(2, "old words", occurrence=3), item(3)], now=NOW)
    found, ids, _ = read(block)
    assert [text for _, text in found] == ["Look at the export."]
    assert ids == f"Still unread, shown before: {item(2).message_id} (3) {item(3).message_id} (1)"
    assert "old words" not in block.text
    assert block.shown == (item(1).key,)


@promise("agent.block.empty_prints_nothing")
def test_with_nothing_to_show_nothing_is_printed() -> None:
    assert inbox_block([], now=NOW) == InboxBlock(text="", shown=(), left_out=0)
    assert mail_notice(0, None) == mail_notice_repeated(0, None) == ""


@promise("agent.block.format")
@pytest.mark.parametrize(
    ("late", "said"), [(0, None), (MINUTE - 1, None), (5 * MINUTE, " (5 min late)"), (26 * HOUR, " (26 h 0 min late)")]
)
def test_a_reminder_says_how_late_it_comes(late: int, said: str | None) -> None:
    reminder = item(1, due_at=NOW - late, actionable=True, reminder=True)
    ((header, _),), _, _ = read(inbox_block([reminder], now=NOW))
    assert (header["late"], header["kind"]) == (said, "reminder")


@promise("agent.block.format")
@pytest.mark.parametrize("limit", [0, 511, 20_001, sys.maxsize])
def test_a_limit_outside_its_range_is_a_programming_error(limit: int) -> None:
    with pytest.raises(ValueError, match="512"):
        inbox_block([item(1)], now=NOW, limit=limit)


@promise("agent.notice.users_and_wakes", "agent.notice.names_fall_back", "agent.notice.how_to_read")
@given(st.integers(1, 10_000), st.booleans())
def test_a_notice_says_the_count_the_readers_own_name_and_how_to_read(count: int, known: bool) -> None:
    project = ProjectName(workspace="default", project="api") if known else None
    for notice in (mail_notice(count, project), mail_notice_repeated(count, project)):
        assert str(count) in notice
        assert ("default/api" if known else "this project's inbox") in notice
        assert "\n" not in notice
    assert "message_list" in mail_notice(count, project)
    assert "untrusted" in mail_notice(count, project)
    assert len(mail_notice_repeated(count, project)) < len(mail_notice(count, project)) / 2
