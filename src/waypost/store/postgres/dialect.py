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
IN_EACH: Final = re.compile(r"\bin \(select (jsonb_array_elements_text\(cast\(:[a-z_]+ as jsonb\)\))\)")
"""How such a list is compared: as an array, which is made once and looked up in an index, it costs half of a join."""
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

    def encode(self, given: Mapping[str, Value]) -> tuple[Sequence[bytes | None], Sequence[int] | None]:
        """The parameters' values in order and their formats, None where all are text. A missing one raises KeyError; NUL in text, which
        would end it, raises ValueError."""
        found: list[bytes | None] = []
        binary = False
        for name in self.parameters:  # fifty values for a pop: the usual types are told apart at once
            value = given[name]
            kind = type(value)
            if kind is str:
                if "\0" in value:  # type: ignore[operator] # a text, by its type just above
                    raise ValueError("a text with NUL cannot be stored")
                found.append(value.encode())  # type: ignore[union-attr] # as above
            elif value is None:
                found.append(None)
            elif isinstance(value, bytes):
                binary = True
                found.append(value)
            else:
                found.append(b"%d" % value if isinstance(value, int) else repr(value).encode())
        return found, [int(isinstance(given[name], bytes)) for name in self.parameters] if binary else None


class Statements(dict[str, Statement]):
    """The statements of one store by the shared text, made when they are first asked for."""

    def __missing__(self, text: str) -> Statement:
        sql = single_statement(IN_EACH.sub(r"= any(array(select \1))", put_in(text, TOKENS, each=EACH)))
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
