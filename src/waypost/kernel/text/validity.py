"""Which text can be stored at all, the same at every door and on every engine.

Invariant: what `check_text` returns encodes as UTF-8 and holds no NUL. Knows nothing of secrets, limits or frames.
"""

from __future__ import annotations

import re

from waypost.kernel.errors import InvalidInput, InvalidText

__all__ = ["REPLACEMENT", "check_text", "is_storable", "one_line"]

REPLACEMENT = "\ufffd"

# Postgres stores no NUL, UTF-8 has no lone surrogates, and model interfaces refuse every later turn that holds one.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
LINE_BREAK = re.compile("[\n\v\f\r\x85\u2028\u2029]")


def is_storable(text: str) -> bool:
    """Whether the text can be stored as it is."""
    return UNSTORABLE.search(text) is None


def check_text(text: str, *, field: str, repair: bool) -> str:
    """`text` as it can be stored. Each NUL and lone surrogate becomes U+FFFD with `repair`, else is refused.

    Refuses (`invalid_text`) with the field and the position in characters, counted from 0.
    """
    found = UNSTORABLE.search(text)
    if found is None:
        return text
    if repair:
        return UNSTORABLE.sub(REPLACEMENT, text)
    what = "NUL (U+0000)" if found.group() == "\x00" else f"a lone surrogate (U+{ord(found.group()):04X})"
    raise InvalidText(
        f"The field {field} holds {what} at character {found.start()}, counted from 0. Nothing was stored."
    )


def one_line(text: str, *, field: str) -> str:
    """`text` itself. Refuses (`invalid_input`) any line break, Unicode's own included, with its position."""
    found = LINE_BREAK.search(text)
    if found is not None:
        raise InvalidInput(
            f"The field {field} must be one line; it has a line break (U+{ord(found.group()):04X}) at character"
            f" {found.start()}, counted from 0. Nothing was stored.",
            hint=f"Put {field} on one line, and what follows it into the body.",
        )
    return text
