"""How long a text may be: refused above its limit, or cut with a visible mark; and the one way text is accepted.

Invariant: nothing measured is longer than its limit, and what is accepted was scrubbed first, so that a cut leaves no
half of a secret. Lengths are in characters (code points). Knows nothing of frames or of who sent the text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from waypost.kernel.errors import BodyTooLong, InvalidInput
from waypost.kernel.text.scrub import scrub
from waypost.kernel.text.validity import check_text, one_line

__all__ = ["Accepted", "Measured", "accept_text", "cut_before", "measure"]

STEPS_BACK = 64  # characters; a "letter" of more combining marks than this is cut inside
JOINER = "\u200d"
UNSPLIT = re.compile(r"\[secret removed: [a-z0-9-]{1,40}\]|\\u\{[0-9a-f]{1,6}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The text within its limit, whether it was cut, and how long it was before."""

    text: str
    truncated: bool
    original_length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A text as it is stored, and what was done to it. `original_length` is its length scrubbed and not yet cut."""

    text: str
    removed: int
    kinds: tuple[str, ...]
    truncated: bool
    original_length: int


def measure(text: str, *, field: str, limit: int, truncate: bool) -> Measured:
    """`text` if it has at most `limit` characters; else with `truncate` its beginning with a mark, within the limit.

    Refuses (`body_too_long`) a longer text otherwise, naming limit and length.
    """
    length = len(text)
    if length <= limit:
        return Measured(text=text, truncated=False, original_length=length)
    if not truncate:
        raise BodyTooLong(
            f"The field {field} has {length} characters; at most {limit} are allowed. Nothing was stored.",
            hint="Shorten it, or pass truncate=true to store its beginning with a visible mark.",
        )
    return Measured(text=_cut(text, limit), truncated=True, original_length=length)


def accept_text(
    text: str,
    *,
    field: str,
    limit: int,
    minimum: int = 0,
    truncate: bool = False,
    repair: bool = False,
    single_line: bool = False,
) -> Accepted:
    """A free text as it is stored: checked, then scrubbed, then measured, in this order.

    Refuses what cannot be stored (`invalid_text`), more than one line where `single_line` (`invalid_input`), less than
    `minimum` characters or nothing but blanks where there is a minimum (`invalid_input`), and above `limit` without
    `truncate` (`body_too_long`).
    """
    checked = check_text(text, field=field, repair=repair)
    if single_line:
        one_line(checked, field=field)
    scrubbed = scrub(checked)
    if minimum > 0 and (len(scrubbed.text) < minimum or not scrubbed.text.strip()):
        raise InvalidInput(
            f"The field {field} needs at least {minimum} {'character' if minimum == 1 else 'characters'} that are not"
            " blank. Nothing was stored.",
            hint=f"Say something in {field}.",
        )
    measured = measure(scrubbed.text, field=field, limit=limit, truncate=truncate)
    return Accepted(
        text=measured.text,
        removed=scrubbed.removed,
        kinds=scrubbed.kinds,
        truncated=measured.truncated,
        original_length=measured.original_length,
    )


def cut_before(text: str, index: int) -> int:
    """The greatest place up to `index` that splits no letter from its marks, no joined emoji and no mark of ours."""
    at = min(index, len(text))
    for whole in UNSPLIT.finditer(text, max(0, at - STEPS_BACK), at + STEPS_BACK):
        if whole.start() < at < whole.end():
            at = whole.start()
    for back in range(min(STEPS_BACK, at)):
        if not _joined(text, at - back):
            return at - back
    return at


def _joined(text: str, at: int) -> bool:
    """Whether the characters before and at `at` belong together."""
    if at <= 0 or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if JOINER in {before, after} or unicodedata.category(after) in {"Mn", "Mc", "Me"}:
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True  # a skin tone, or the tail of a flag
    return (before == "\r" and after == "\n") or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")


def _cut(text: str, limit: int) -> str:
    kept = limit
    while True:
        kept = cut_before(text, kept)
        note = f"… [cut by Waypost: {kept} of {len(text)} characters]"
        if kept + len(note) <= limit:
            return text[:kept] + note
        if kept == 0:
            return "…"[:limit]  # no room for the note
        kept = max(0, min(kept - 1, limit - len(note)))
