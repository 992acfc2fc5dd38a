"""The shared dialect as Postgres reads it: what each token and parameter becomes, and which types columns get.

In a migration every text column is compared byte by byte and every integer has 64 bits, so that order and range are the same
as on SQLite whatever the database's own collation is. Knows nothing of connections.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from waypost.store.dialect import put_in, single_statement
from waypost.store.interface import Value

__all__ = ["Statement", "Statements", "script"]

TOKENS: Final = {
    "big": "bigint",
    "blob": "bytea",
    "json": "text",  # read back as text, so that both engines give the same
    "strict": "",
    "keyed": "",
    "skip": "for update skip locked",
    "lock": "for update",
    "by_bytes": 'collate "C"',
    "journal_position": "entry bigint generated always as identity primary key, position bigint unique",
}
EACH: Final = "(select jsonb_array_elements_text(cast(:{} as jsonb)))"
TYPES: Final = {"text": 'text collate "C"', "integer": "bigint"}
COLUMN = re.compile(r"^(\s*(?:alter table [a-z_]+ )?(?:add column )?[a-z_]+ )(text|integer)\b", re.MULTILINE)
PARTS = re.compile(
    r"""(?P<quoted>'(?:[^']|'')*'|"[^"]*")"""
    r"|(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<cast>::)"
    r"|:(?P<name>[a-z_][a-z0-9_]*)",
    re.DOTALL,
)
LOOKS: Final = re.compile(r"\s*(?:select|with|values)\b(?!.*\bfor update\b)", re.DOTALL)
"""How a statement begins that takes no lock on a row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """A statement as Postgres takes it: `$1` and so on for the parameters of these names, and a name to prepare it by. `holds` says
    that it takes locks on rows, for which it may wait."""

    name: bytes
    sql: bytes
    parameters: tuple[str, ...]
    holds: bool

    def encode(self, given: Mapping[str, Value]) -> tuple[Sequence[bytes | None], Sequence[int]]:
        """The parameters' values in order and their formats. A missing one raises KeyError; NUL in text, which would end it, raises
        ValueError."""
        values = [given[name] for name in self.parameters]
        return [_encoded(value) for value in values], [int(isinstance(value, bytes)) for value in values]


class Statements(dict[str, Statement]):
    """The statements of one store by the shared text, made when they are first asked for."""

    def __missing__(self, text: str) -> Statement:
        sql = single_statement(put_in(text, TOKENS, each=EACH))
        names: dict[str, int] = {}

        def part(found: re.Match[str]) -> str:
            if found["name"]:
                return f"${names.setdefault(found['name'], len(names) + 1)}"
            return " " if found["comment"] else found.group(0)

        numbered = PARTS.sub(part, sql).rstrip("; \n")
        made = self[text] = Statement(
            name=b"waypost_%d" % len(self),
            sql=numbered.encode(),
            parameters=tuple(names),
            holds=LOOKS.match(numbered) is None,
        )
        return made


def script(text: str) -> str:
    """The text of a migration with its tokens put in and its columns typed. An unknown token raises ValueError."""
    return COLUMN.sub(lambda found: found.group(1) + TYPES[found.group(2)], put_in(text, TOKENS, each=EACH))


def _encoded(value: Value) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        return b"%d" % value if isinstance(value, int) else repr(value).encode()
    if "\0" in value:
        raise ValueError("a text with NUL cannot be stored")
    return value.encode()
