"""The shared dialect as SQLite reads it: what each token becomes, and which statements a unit may not run.

Tokens stand in braces. Parameters are SQLite's own already (`:name`). Prepared text is kept by the text it came from, since a
query's text never changes. Knows nothing of connections.

    {big}               64-bit integer
    {blob} {json}       bytes; JSON as text
    {strict}            after a table's last parenthesis
    {keyed}             the same for a table that is read only by its primary key
    {skip}              FOR UPDATE SKIP LOCKED; nothing here, as there is one writer
    {lock}              FOR UPDATE; nothing here
    {journal_position}  the journal's dense position, given by the writer
    {each:ids}          the values of a JSON array in the parameter `:ids`, to stand behind `in`
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["Prepared", "Statements", "script"]

TOKENS: Final = {
    "big": "integer",
    "blob": "blob",
    "json": "text",
    "strict": "strict",
    "keyed": "strict, without rowid",
    "skip": "",
    "lock": "",
    "journal_position": "position integer primary key",
}
EACH: Final = "(select value from json_each(:{}))"
TOKEN = re.compile(r"\{([a-z_]+)(?::([a-z_]+))?\}")
QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
ALLOWED = frozenset({"select", "insert", "update", "delete", "with", "values"})


class Prepared:
    """A query's text for SQLite, with the names of its columns once they are known."""

    __slots__ = ("names", "sql")

    def __init__(self, sql: str) -> None:
        self.sql = sql
        self.names: tuple[str, ...] | None = None


class Statements(dict[str, Prepared]):
    """The prepared statements of one store by the shared text, made when they are first asked for."""

    def __missing__(self, text: str) -> Prepared:
        made = self[text] = _prepare(text)
        return made


def _prepare(text: str) -> Prepared:
    """A statement for a unit. Anything but one SELECT, INSERT, UPDATE or DELETE is a programming error and raises ValueError:
    a unit neither ends its transaction nor touches the connection."""
    sql = script(text).strip()
    bare = QUOTED.sub(" ", sql).strip().rstrip(";")
    first = bare.split(None, 1)[0].lower() if bare else ""
    if first not in ALLOWED or ";" in bare:
        raise ValueError(f"a unit runs single statements of {sorted(ALLOWED)} only, not: {sql[:80]}")
    return Prepared(sql)


def script(text: str) -> str:
    """The text with its tokens put in, for a migration. An unknown token raises ValueError."""
    return TOKEN.sub(_meaning, text)


def _meaning(token: re.Match[str]) -> str:
    if token.group(1) == "each" and token.group(2):
        return EACH.format(token.group(2))
    try:
        return TOKENS[token.group(0).strip("{}")]
    except KeyError:
        raise ValueError(f"the dialect has no token {token.group(0)}") from None
