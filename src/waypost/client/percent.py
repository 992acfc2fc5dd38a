"""Percent-encoding for paths, queries and header values, because `urllib` alone costs more than a whole hook may."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["encode_header", "encode_query", "quote", "unquote"]

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# What stands in a header as it is: printable ASCII without the percent sign.
_PRINTABLE = frozenset(range(0x20, 0x7F)) - {0x25}


def _escape(raw: bytes, plain: frozenset[int]) -> str:
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in raw)


def quote(text: str, *, keep: str = "") -> str:
    """`text` for one path segment or query value. File names that are not UTF-8 pass as their bytes."""
    return _escape(text.encode("utf-8", "surrogateescape"), _UNRESERVED | frozenset(keep.encode("ascii")))


def unquote(text: str) -> str:
    """The text that `quote` was given. A percent sign that begins no escape stays."""
    head, *rest = text.encode("utf-8", "surrogateescape").split(b"%")
    parts = [head]
    for part in rest:
        try:
            parts.append(bytes((int(part[:2].decode("ascii"), 16),)) + part[2:] if len(part) > 1 else b"%" + part)
        except ValueError:
            parts.append(b"%" + part)
    return b"".join(parts).decode("utf-8", "surrogateescape")


def encode_header(text: str) -> str:
    """`text` as a header value: printable ASCII stays readable, the rest and `%` are escaped, so that no line break gets in."""
    return _escape(text.encode("utf-8", "surrogatepass"), _PRINTABLE)


def encode_query(fields: Mapping[str, object]) -> str:
    """A query string without its question mark. None is left out, booleans are `true` and `false`, lists repeat their name."""
    pairs: list[str] = []
    for name, value in fields.items():
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if item is not None:
                text = str(item).lower() if isinstance(item, bool) else str(item)
                pairs.append(f"{quote(name)}={quote(text)}")
    return "&".join(pairs)
