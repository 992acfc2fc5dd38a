"""The inbox block: the unread mail that may reach an agent unasked, as one bounded text (contracts/mail.md, What reaches an agent
by itself).

Invariant: never above its limit, counted after framing; each body stands in its own frame; what was cut is marked, and what was
left out is counted in the last line. Pure: who may be shown what, and what counts as new, is decided before. Marks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from waypost.kernel.text import frame, visible
from waypost.kernel.text.measure import measure
from waypost.kernel.time import HOUR, MINUTE, format_instant

__all__ = ["BLOCK_CHARACTERS", "BlockItem", "InboxBlock", "inbox_block"]

BLOCK_CHARACTERS = 2_048
LEAST_CUT_BODY = 120
"""A body of which less would be shown is left out whole: a few words serve nobody."""
MOST_LISTED = 400
"""The room that ids of older items take at most, in characters."""
ORIGIN = "message"
TAIL_ROOM = len("10000 more unread; message_list shows them.")


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockItem:
    """One unread occurrence. `sender` is a label of Waypost's own making, never a sender's words."""

    message_id: str
    occurrence: int
    sender: str
    due_at: int
    actionable: bool
    reminder: bool
    subject: str
    body: str

    @property
    def key(self) -> tuple[str, int]:
        """What hosts tell apart by: the message and its occurrence."""
        return self.message_id, self.occurrence


@dataclass(frozen=True, kw_only=True, slots=True)
class InboxBlock:
    """The text, empty where there is nothing to show; which occurrences it shows with their bodies; how many it leaves out."""

    text: str
    shown: tuple[tuple[str, int], ...]
    left_out: int


def inbox_block(
    full: Sequence[BlockItem],
    *,
    now: int,
    listed: Sequence[BlockItem] = (),
    uncounted: int = 0,
    limit: int = BLOCK_CHARACTERS,
) -> InboxBlock:
    """The block of `full` items, each in full where it fits, and one line of the ids of `listed` ones. Where an item does not fit,
    the first such one is cut to the room that is left. `uncounted` items, unread but not given, count as left out. `limit` is in
    characters, 512 to 20,000; ValueError otherwise."""
    if not 512 <= limit <= 20_000:
        raise ValueError("the limit of a block lies between 512 and 20,000 characters")
    if not full and not listed:
        return InboxBlock(text="", shown=(), left_out=0)
    ids, unlisted = _ids_line(listed)
    room = limit - TAIL_ROOM - (len(ids) + 1 if ids else 0)
    pieces = _fill(full, room, now)
    left_out = len(full) - len(pieces) + unlisted + uncounted
    tail = f"{left_out} more unread; message_list shows them." if left_out else "Nothing unread was left out."
    lines = [*(pieces[item.key] for item in full if item.key in pieces), *([ids] if ids else []), tail]
    return InboxBlock(
        text="\n".join(lines), shown=tuple(item.key for item in full if item.key in pieces), left_out=left_out
    )


def _fill(items: Sequence[BlockItem], room: int, now: int) -> dict[tuple[str, int], str]:
    """The items that fit, whole first; then as much of the first that did not fit as the room allows."""
    pieces: dict[tuple[str, int], str] = {}
    first_left: BlockItem | None = None
    for item in items:
        piece = _piece(item, now)
        if len(piece) + 1 <= room:
            pieces[item.key] = piece
            room -= len(piece) + 1
        elif first_left is None:
            first_left = item
    if first_left is not None:
        cut = _cut_piece(first_left, room - 1, now)
        if cut is not None:
            pieces[first_left.key] = cut
    return pieces


def _piece(item: BlockItem, now: int) -> str:
    return f"{_header(item, now)}\n{frame(_content(item), origin=ORIGIN).text}"


def _cut_piece(item: BlockItem, room: int, now: int) -> str | None:
    """The item with its text cut to the room, or None where too little of it would be left."""
    content = visible(_content(item))  # what is shown is measured, because an invisible character is shown as several
    around = len(_header(item, now)) + 1 + len(frame("", origin=ORIGIN).text)
    kept = room - around
    if kept < LEAST_CUT_BODY:
        return None
    cut = measure(content, field="body", limit=kept, truncate=True).text
    return f"{_header(item, now)}\n{frame(cut, origin=ORIGIN).text}"


def _content(item: BlockItem) -> str:
    return f"{item.subject}\n\n{item.body}" if item.subject else item.body


def _header(item: BlockItem, now: int) -> str:
    kind = "reminder" if item.reminder else "work" if item.actionable else "information"
    late = _late(now - item.due_at) if item.reminder else ""
    return f"{item.message_id} occurrence {item.occurrence} from {item.sender}, due {format_instant(item.due_at)}{late}, {kind}"


def _late(passed: int) -> str:
    """How late a reminder comes; a minute is no lateness."""
    if passed < MINUTE:
        return ""
    hours, minutes = passed // HOUR, passed % HOUR // MINUTE
    return f" ({hours} h {minutes} min late)" if hours else f" ({minutes} min late)"


def _ids_line(items: Sequence[BlockItem]) -> tuple[str, int]:
    """One line with the ids of items whose text is not repeated, and how many found no room in it."""
    if not items:
        return "", 0
    line = "Still unread, shown before:"
    for index, item in enumerate(items):
        longer = f"{line} {item.message_id} ({item.occurrence})"
        if len(longer) > MOST_LISTED:
            return line, len(items) - index
        line = longer
    return line, 0
