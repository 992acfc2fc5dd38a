"""The shared dialect as SQLite reads it: what each token becomes.

Parameters are SQLite's own already (`:name`). Prepared text is kept by the text it came from, since a query's text never changes.
Knows nothing of connections.
"""

from __future__ import annotations

from typing import Final

from waypost.store.dialect import put_in, single_statement

__all__ = ["Prepared", "Statements", "script"]

TOKENS: Final = {
    "big": "integer",
    "blob": "blob",
    "json": "text",
    "strict": "strict",
    "keyed": "strict, without rowid",
    "skip": "",  # there is one writer
    "lock": "",
    "by_bytes": "collate binary",
    "journal_position": "position integer primary key",
}
EACH: Final = "(select value from json_each(:{}))"


class Prepared:
    """A query's text for SQLite, with the names of its columns once they are known."""

    __slots__ = ("names", "sql")

    def __init__(self, sql: str) -> None:
        self.sql = sql
        self.names: tuple[str, ...] | None = None


class Statements(dict[str, Prepared]):
    """The prepared statements of one store by the shared text, made when they are first asked for."""

    def __missing__(self, text: str) -> Prepared:
        made = self[text] = Prepared(single_statement(script(text)))
        return made


def script(text: str) -> str:
    """The text with its tokens put in, for a migration. An unknown token raises ValueError."""
    return put_in(text, TOKENS, each=EACH)
