"""The shared dialect: one text for both engines, with tokens in braces and parameters as `:name`.

Here stands what the engines' dialects have in common: how tokens are put in, and that a unit runs one plain statement. What each
token becomes is the engine's business; an engine without the token refuses the text.

    {big}               64-bit integer
    {blob} {json}       bytes; JSON as text
    {strict}            after a table's last parenthesis
    {keyed}             the same for a table that is read only by its primary key
    {lock}              the rows found are held to the end of the unit
    {skip}              the same, passing over rows that another unit holds
    {by_bytes}          after an expression that is text: compared byte by byte, as every column is
    {journal_position}  the columns that give the journal its order
    {each:ids}          the values of a JSON array in the parameter `:ids`, to stand behind `in`
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["QUOTED", "put_in", "single_statement"]

TOKEN = re.compile(r"\{([a-z_]+)(?::([a-z_]+))?\}")
QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
ALLOWED = frozenset({"select", "insert", "update", "delete", "with", "values"})


def put_in(text: str, tokens: Mapping[str, str], *, each: str) -> str:
    """The text with its tokens put in; `each` has a place for the parameter's name. An unknown token raises ValueError."""

    def meaning(token: re.Match[str]) -> str:
        if token.group(1) == "each" and token.group(2):
            return each.format(token.group(2))
        try:
            return tokens[token.group(0).strip("{}")]
        except KeyError:
            raise ValueError(f"the dialect has no token {token.group(0)}") from None

    return TOKEN.sub(meaning, text)


def single_statement(sql: str) -> str:
    """The statement, for a unit. Anything but one SELECT, INSERT, UPDATE or DELETE is a programming error and raises ValueError:
    a unit neither ends its transaction nor touches the connection."""
    sql = sql.strip()
    bare = QUOTED.sub(" ", sql).strip().rstrip(";")
    first = bare.split(None, 1)[0].lower() if bare else ""
    if first not in ALLOWED or ";" in bare:
        raise ValueError(f"a unit runs single statements of {sorted(ALLOWED)} only, not: {sql[:80]}")
    return sql
