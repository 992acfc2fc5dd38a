"""A token as text: how one is made, what is kept of it, and what may be shown. Pure; knows no store.

    waypost_<kind>_<43 characters of a random number of 256 bits><6 of its checksum>

Only the SHA-256 of a token is ever kept. A slow hash, as passwords need, would add nothing: nobody can try 2^256 values, and there is
no dictionary of random numbers. The checksum lets a door tell a mistyped token from an unknown one without asking a store, and the
fixed shape lets scrubbers find one in any text.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import zlib
from enum import StrEnum

__all__ = ["TokenKind", "digest_of", "is_token", "make_token", "shown_part"]

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANDOM_BITS = 256
RANDOM_LENGTH = 43
CHECK_LENGTH = 6
SHOWN_LENGTH = 4
"""So many of the random characters are shown in lists, to tell tokens apart; the rest is still 232 bits."""
SHAPE = re.compile(rf"waypost_(?:operator|user|agent)_[0-9A-Za-z]{{{RANDOM_LENGTH + CHECK_LENGTH}}}", re.ASCII)


class TokenKind(StrEnum):
    """Whose a token is: the operator's, a person's, or that of a person's agents in one project."""

    OPERATOR = "operator"
    USER = "user"
    AGENT = "agent"


def make_token(kind: TokenKind) -> str:
    """A new token of that kind."""
    start = f"waypost_{kind}_{_written(secrets.randbits(RANDOM_BITS), RANDOM_LENGTH)}"
    return f"{start}{_check(start)}"


def is_token(text: str) -> bool:
    """Whether the text has a token's shape and a right checksum, so that it may be one."""
    return SHAPE.fullmatch(text) is not None and _check(text[:-CHECK_LENGTH]) == text[-CHECK_LENGTH:]


def digest_of(text: str) -> str:
    """What is kept of a token: its SHA-256 in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def shown_part(token: str) -> str:
    """The beginning of a token, by which people tell it from others."""
    return token[: -(RANDOM_LENGTH + CHECK_LENGTH - SHOWN_LENGTH)]


def _check(start: str) -> str:
    return _written(zlib.crc32(start.encode("ascii")), CHECK_LENGTH)


def _written(number: int, length: int) -> str:
    digits: list[str] = []
    for _ in range(length):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
