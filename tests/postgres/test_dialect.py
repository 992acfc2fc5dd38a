"""The shared dialect on Postgres: parameters, percent signs, and columns that sort and count as on SQLite."""

from __future__ import annotations

import psycopg
import pytest

from tests.house.test_sql import QUERIES
from tests.postgres.conftest import Nodes, Raw
from tests.promises.marks import promise
from waypost.store.interface import Query
from waypost.store.postgres import PostgresStore
from waypost.store.postgres.dialect import Statements, script

WORDS = ("b", "B", "a", "_", "~", "é", "Z", "aa", "a-b", "ab", "中", "\U0001f600")


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("select :a, :a_b, :a", "select $1, $2, $1"),
        ("select x::text, :a", "select x::text, $1"),
        ("select ':a', \":b\", 'it''s :c %' from t", "select ':a', \":b\", 'it''s :c %' from t"),
        ("select 1 % 2 where x like :a escape '!'", "select 1 % 2 where x like $1 escape '!'"),
        ("select 1 -- :a 100 %\n;", "select 1"),
        ("select /* :a */ 1;", "select   1"),
        ("select id from t where id in {each:ids} {skip}", None),
    ],
)
def test_parameters_and_tokens_become_those_of_postgres(text: str, sql: str | None) -> None:
    made = Statements()[text].sql.decode()
    assert (
        made == sql
        if sql
        else made.endswith(
            "id = any(array(select jsonb_array_elements_text(cast($1 as jsonb)))) for update skip locked"
        )
    )


def test_an_unknown_token_is_a_fault_of_the_program() -> None:
    with pytest.raises(ValueError, match="no token"):
        Statements()["select {unknown}"]


def test_columns_of_a_migration_are_typed_wherever_they_stand() -> None:
    text = "create table t (\n  text text not null,\n  n integer check (n in (0, 1)),\n  j {json}\n);\nalter table t add column more text;"
    assert script(text) == (
        'create table t (\n  text text collate "C" not null,\n  n bigint check (n in (0, 1)),\n  j text collate "C"\n);\n'
        'alter table t add column more text collate "C";'
    )


@promise("postgres.engine.same_promises")
def test_every_text_column_is_compared_by_bytes_and_every_integer_has_64_bits(node: Nodes, raw: Raw) -> None:
    node()
    found = raw().execute(
        "select table_name, column_name, data_type, collation_name from information_schema.columns where table_schema = 'waypost'"
    )
    kinds = {(kind, collation) for _, _, kind, collation in found}
    assert kinds == {("text", "C"), ("bigint", None)}


@promise("postgres.engine.same_promises")
def test_text_keys_are_ordered_by_bytes_though_the_database_orders_by_language(node: Nodes, raw: Raw) -> None:
    store = node()
    with raw() as connection:
        for word in WORDS:
            connection.execute("insert into store_info (key, value) values (%s, 'word')", (word,))
        language = [
            row[0] for row in connection.execute("select key from store_info where value = 'word' order by key || ''")
        ]
        database = [
            row[0]
            for row in connection.execute(
                'select v from unnest(%s::text[]) as v order by v collate "default"', (list(WORDS),)
            )
        ]
    by_bytes = sorted(WORDS, key=lambda word: word.encode())
    query = Query(name="words", text="select key from store_info where value = 'word' and key > :after order by key")
    assert [row["key"] for row in store.read(lambda tx: tx.rows(query, {"after": ""}))] == by_bytes == language
    if database == by_bytes:
        pytest.skip("this Postgres has no collation but that of bytes, so that this proves nothing")


@promise("house.sql.beside_domains", "postgres.engine.same_promises")
def test_every_named_query_can_be_planned_on_postgres(node: Nodes, raw: Raw) -> None:
    node()
    statements = Statements()
    connection = raw()
    for query in QUERIES:
        statement = statements[query.text]
        planned = connection.pgconn.exec_params(b"explain " + statement.sql, [None] * len(statement.parameters))
        assert planned.status == psycopg.pq.ExecStatus.TUPLES_OK, (query.name, planned.error_message)
        connection.rollback()


def test_text_that_would_end_early_is_refused_by_the_statement() -> None:
    statement = Statements()["select :a, :b"]
    assert statement.encode({"a": "é", "b": b"\0"}) == (["é".encode(), b"\0"], [0, 1])
    assert statement.encode({"a": None, "b": 2**63 - 1}) == ([None, b"9223372036854775807"], None)
    with pytest.raises(ValueError, match="NUL"):
        statement.encode({"a": "cut\0 here", "b": None})


@promise("postgres.engine.same_promises")
def test_the_largest_number_of_sqlite_fits_into_every_count(postgres_url: str, node: Nodes) -> None:
    store: PostgresStore = node()
    query = Query(name="big", text="update sessions set version = :version where version = :version")
    assert store.write(lambda tx: tx.execute(query, {"version": 2**63 - 1})) == 0
