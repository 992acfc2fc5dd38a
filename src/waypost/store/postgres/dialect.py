"""The shared dialect as Postgres reads it: what each token and parameter becomes, and which types columns get.

In a migration every text column is compared byte by byte and every integer has 64 bits, so that order and range are the same
as on SQLite whatever the database's own collation is. Knows nothing of connections.
"""

from __future__ import annotations

import re
from typing import Final

from waypost.store.dialect import put_in, single_statement

__all__ = ["Statements", "script"]

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
    r"|:(?P<name>[a-z_][a-z0-9_]*)"
    r"|(?P<percent>%)",
    re.DOTALL,
)


class Statements(dict[str, str]):
    """The statements of one store by the shared text, made when they are first asked for."""

    def __missing__(self, text: str) -> str:
        sql = single_statement(put_in(text, TOKENS, each=EACH))
        made = self[text] = PARTS.sub(_part, sql).rstrip("; \n")
        return made


def script(text: str) -> str:
    """The text of a migration with its tokens put in and its columns typed. An unknown token raises ValueError."""
    return COLUMN.sub(lambda found: found.group(1) + TYPES[found.group(2)], put_in(text, TOKENS, each=EACH))


def _part(found: re.Match[str]) -> str:
    """`:name` as the driver's parameter; its percent signs doubled everywhere else, because it reads them in quoted text too."""
    if found["name"]:
        return f"%({found['name']})s"
    if found["comment"]:
        return " "
    return found.group(0).replace("%", "%%")
