"""SQL stands in files of its own beside its domain, and every named query is one that the engine can plan."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import apsw
import pytest

from tests.promises.marks import promise
from waypost.store.interface import Query
from waypost.store.loader import load_queries
from waypost.store.sqlite.dialect import script
from waypost.store.sqlite.engine import SqliteStore

SOURCE = Path(__file__).resolve().parents[2] / "src" / "waypost"
STATEMENT = re.compile(
    r"^\s*(select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+table)\s", re.IGNORECASE
)
FILES = sorted(file for file in SOURCE.rglob("*.sql") if file.parent.name != "migrations")
QUERIES = [
    query
    for file in FILES
    for query in load_queries("waypost." + file.parent.relative_to(SOURCE).as_posix().replace("/", "."), file.name)
]


@promise("house.sql.beside_domains")
def test_no_statement_stands_in_python_outside_the_store() -> None:
    found = [
        f"{file.relative_to(SOURCE)}:{node.lineno}"
        for file in SOURCE.rglob("*.py")
        if file.relative_to(SOURCE).parts[0] != "store"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and STATEMENT.match(node.value)
    ]
    assert found == []


@promise("house.sql.beside_domains")
@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_every_named_query_can_be_planned_on_sqlite(query: Query, tmp_path: Path) -> None:
    path = tmp_path / "waypost.db"
    SqliteStore.open(path).close()
    connection = apsw.Connection(str(path))
    try:
        connection.execute("explain " + script(query.text), defaultdict(lambda: 1)).fetchall()
    finally:
        connection.close()


@promise("house.sql.beside_domains")
def test_every_named_query_is_used() -> None:
    code = "\n".join(file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py"))
    unused = [
        query.name
        for query in QUERIES
        if not re.search(rf"\.{query.name.rpartition('.')[2]}\b", code) and not _named_by_view(query.name)
    ]
    assert unused == []


def _named_by_view(name: str) -> bool:
    """The queries of boxes are put together from a box and a view."""
    return bool(re.fullmatch(r"waypost\.mail\.(inbox|outbox)_[a-z]+", name))
