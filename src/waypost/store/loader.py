"""Reads `queries.sql`: statements by name, each under a line `-- name: what it is for`.

The text is the shared dialect; the engine's adapter turns its tokens and parameters into its own (see `dialect` there).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

from waypost.store.interface import Query

__all__ = ["Queries", "load_queries"]

HEAD = re.compile(r"^-- ([a-z][a-z0-9_]*):", re.MULTILINE)


class Queries:
    """The statements of one `queries.sql`, by attribute: `queries.find_message`."""

    def __init__(self, statements: dict[str, Query]) -> None:
        self._statements = statements
        self.__dict__.update(statements)

    def __getattr__(self, name: str) -> Query:
        raise AttributeError(f"no query is named {name}")

    def __iter__(self) -> Iterator[Query]:
        return iter(self._statements.values())


def load_queries(package: str, name: str = "queries.sql") -> Queries:
    """The queries in `name` beside the modules of `package`. A name given twice is a programming error and raises ValueError."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    heads = list(HEAD.finditer(text))
    statements: dict[str, Query] = {}
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        body = text[head.end() : following.start() if following else len(text)]
        statement = body.partition("\n")[2].strip().rstrip(";")
        if head.group(1) in statements:
            raise ValueError(f"{package}/{name} holds two queries named {head.group(1)}")
        statements[head.group(1)] = Query(name=f"{package}.{head.group(1)}", text=statement)
    return Queries(statements)
