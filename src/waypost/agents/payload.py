"""What a client's hook sent: the few fields that Waypost looks at, from JSON of which perhaps only the beginning came.

Invariant: any bytes are read without an error; only members of the outermost object count, so that a tool's result cannot pose as
the client's own words. Nothing else of it is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from waypost.kernel.addresses import parse_session_id
from waypost.kernel.errors import InvalidInput

__all__ = ["Payload", "read_payload"]

BLANKS = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder(strict=False)
LONGEST_PATH = 4_096


@dataclass(frozen=True, slots=True)
class Payload:
    """The members that were understood."""

    fields: Mapping[str, object]

    def text(self, *names: str) -> str | None:
        """The first of these members that is a text and not empty."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, str) and value:
                return value
        return None

    def session(self, names: Sequence[str]) -> str | None:
        """The first of these members that is a session's id."""
        for name in names:
            value = self.text(name)
            if value is None:
                continue
            try:
                return parse_session_id(value, field=name)
            except InvalidInput:
                continue
        return None

    def directory(self, names: Sequence[str]) -> str | None:
        """The first of these members that is an absolute path; of a list, its only one."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            if isinstance(value, str) and len(value) <= LONGEST_PATH and "\0" not in value and is_path(value):
                return value
        return None


def is_path(text: str) -> bool:
    """Whether it is an absolute path that this system can be asked for."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return PurePath(text).is_absolute()


def read_payload(raw: bytes) -> Payload:
    """The members of the JSON object that `raw` is, or begins with. What is none has no members."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        found = DECODER.decode(text)
    except (ValueError, RecursionError):
        return Payload(_members(text))
    return Payload(found if isinstance(found, dict) else {})


def _members(text: str) -> dict[str, object]:
    """The members of an object that is not whole, as far as they are."""
    found: dict[str, object] = {}
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        return found
    try:
        while text[at : at + 1] in {"{", ","}:
            name, at = DECODER.raw_decode(text, _skip(text, at + 1))
            at = _skip(text, at)
            if not isinstance(name, str) or text[at : at + 1] != ":":
                break
            value, at = DECODER.raw_decode(text, _skip(text, at + 1))
            found[name] = value
            at = _skip(text, at)
    except (ValueError, RecursionError):
        return found
    return found


def _skip(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at
