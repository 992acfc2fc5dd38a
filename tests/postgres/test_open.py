"""Opening a database: any number of nodes at once, and a clear word where it cannot be used."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres.conftest import Nodes, Raw
from tests.postgres_cluster import Cluster
from tests.promises.marks import promise
from tests.store.stores import MIGRATIONS, WAIT_SECONDS
from waypost.kernel.errors import InvalidInput, SchemaNewer, StoreBusy, StoreFull, StoreReadOnly, StoreUnavailable
from waypost.store.errors import Overtaken, StoreDamaged, StoreForeign
from waypost.store.interface import Query
from waypost.store.migrations import migration
from waypost.store.postgres import PostgresStore, connections
from waypost.store.postgres.connections import connection_info, shown_place
from waypost.store.postgres.errors import translate, unreachable
from waypost.store.postgres.schema import MIGRATION_LOCK


@promise("postgres.migrations.any_number")
def test_nodes_that_start_at_once_migrate_once_and_all_run(empty_postgres_url: str) -> None:
    stores: list[PostgresStore] = []
    failures: list[BaseException] = []
    gate = threading.Barrier(5)

    def start() -> None:
        gate.wait(WAIT_SECONDS)
        try:
            stores.append(PostgresStore.open(empty_postgres_url, connections=2))
        except BaseException as error:
            failures.append(error)

    nodes = [threading.Thread(target=start) for _ in range(5)]
    for one in nodes:
        one.start()
    for one in nodes:
        one.join(WAIT_SECONDS * 2)
    assert failures == []
    assert len({store.facts.store_id for store in stores}) == 1
    steps = Query(name="steps", text="select count(*) as steps from schema_migrations")
    assert stores[0].read(lambda tx: tx.rows(steps))[0]["steps"] == stores[0].facts.schema
    for store in stores:
        store.close()


@promise("postgres.migrations.any_number")
def test_a_node_waits_while_another_migrates(empty_postgres_url: str) -> None:
    opened: list[PostgresStore] = []
    with psycopg.connect(empty_postgres_url, autocommit=True) as other:
        other.execute(f"select pg_advisory_lock({MIGRATION_LOCK})")
        starting = threading.Thread(target=lambda: opened.append(PostgresStore.open(empty_postgres_url)))
        starting.start()
        waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        while other.execute(waiting).fetchone() == (0,):
            assert starting.is_alive()
        assert other.execute("select to_regnamespace('waypost')").fetchone() == (None,)
    starting.join(WAIT_SECONDS)
    opened[0].close()


@promise("postgres.errors.clear")
def test_a_migration_that_fails_leaves_the_database_as_it_was(empty_postgres_url: str) -> None:
    broken = migration("0003_broken.sql", "create table more (id {big});\ninsert into nowhere values (1);")
    with pytest.raises(StoreForeign, match=r"Migration 0003 .* as it was before"):
        PostgresStore.open(empty_postgres_url, migrations=[*MIGRATIONS, broken])
    store = PostgresStore.open(empty_postgres_url, migrations=MIGRATIONS)
    tables = Query(name="tables", text="select to_regclass('more') as more")
    assert store.facts.schema == 2
    assert store.read(lambda tx: tx.row(tables)) == {"more": None}
    store.close()


@promise("postgres.errors.clear")
def test_a_newer_schema_and_an_edited_migration_are_refused(postgres_url: str) -> None:
    with pytest.raises(SchemaNewer):
        PostgresStore.open(postgres_url, migrations=MIGRATIONS[:1])
    with pytest.raises(StoreForeign, match="another migration 0002"):
        PostgresStore.open(
            postgres_url, migrations=[*MIGRATIONS, *(migration(f"{n:04d}_x.sql", "") for n in range(3, 30))]
        )


@promise("postgres.errors.clear")
def test_a_schema_of_another_program_is_refused_and_other_tables_are_let_be(empty_postgres_url: str) -> None:
    with psycopg.connect(empty_postgres_url) as other:
        other.execute(
            "create table messages (mine integer); create schema waypost; create table waypost.mine (id integer)"
        )
    with pytest.raises(StoreForeign, match="belongs to another program"):
        PostgresStore.open(empty_postgres_url)
    with psycopg.connect(empty_postgres_url) as other:
        other.execute("drop schema waypost cascade")
    PostgresStore.open(empty_postgres_url).close()
    with psycopg.connect(empty_postgres_url) as other:
        assert other.execute("select count(*) from public.messages").fetchone() == (0,)


@promise("postgres.errors.clear")
def test_a_database_that_is_missing_or_out_of_reach_is_named_without_the_password(
    cluster: Cluster, tmp_path: Path
) -> None:
    missing = connection_info(cluster.url + " dbname=waypost_nowhere password=hush-hush")
    with pytest.raises(StoreForeign, match=r"no such database: postgresql://.*waypost_nowhere") as refusal:
        PostgresStore.open(missing)
    assert "hush" not in str(refusal.value.problem())
    with pytest.raises(StoreUnavailable, match="cannot be reached") as away:
        PostgresStore.open(f"host={tmp_path} dbname=x password=hush-hush")
    assert away.value.retryable
    assert "hush" not in str(away.value.problem())
    with pytest.raises(InvalidInput, match="malformed"):
        PostgresStore.open("postgresql://a b:hush@/?nonsense=1")


@promise("postgres.errors.clear")
def test_an_account_that_the_database_refuses_is_told_so(cluster: Cluster) -> None:
    over_tcp = cluster.url + " host=127.0.0.1 password=wrong"
    with pytest.raises(StoreForeign, match="refused the account"):
        PostgresStore.open(connection_info(over_tcp))


@promise("postgres.errors.clear")
def test_an_old_server_and_another_encoding_are_refused(
    cluster: Cluster, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    latin = cluster.make(migrated=False, options="encoding 'LATIN1' locale 'C'")
    with pytest.raises(StoreForeign, match="LATIN1"):
        PostgresStore.open(latin)
    cluster.drop(latin)
    monkeypatch.setattr(connections, "OLDEST", 99)
    with pytest.raises(StoreForeign, match="needs 99 or newer"):
        PostgresStore.open(postgres_url)


@promise("postgres.errors.clear")
def test_a_read_only_database_is_refused_at_the_start_and_in_the_middle(
    node: Nodes, raw: Raw, postgres_url: str
) -> None:
    store = node()
    name = shown_place(connection_info(postgres_url)).rpartition("/")[2]
    with raw() as connection:
        connection.execute(f"alter database {name} set default_transaction_read_only = on".encode())
    with pytest.raises(StoreReadOnly, match="standby or set to read-only"):
        PostgresStore.open(postgres_url)
    write = Query(name="write", text="delete from store_info where key = 'nothing'")
    with pytest.raises(StoreReadOnly, match="cannot be written"):
        store.write(lambda tx: tx.execute(write))
    assert store.read(lambda tx: tx.now) > 0


@promise("postgres.errors.clear")
def test_no_place_shows_a_secret() -> None:
    shown = shown_place(
        connection_info("postgresql://maria:hush@db.example:5433/post?sslmode=require&sslpassword=hush")
    )
    assert shown == "postgresql://maria@db.example:5433/post"
    assert shown_place(connection_info("host=/run/pg dbname=x")) == "postgresql://%2Frun%2Fpg/x"


class Failure(psycopg.Error):
    """A failure with the given code."""

    def __init__(self, state: str) -> None:
        super().__init__("secret words of the database")
        self.sqlstate = state


@promise("postgres.errors.clear")
@pytest.mark.parametrize(
    ("state", "refusal"),
    [
        ("53100", StoreFull),
        ("53200", StoreUnavailable),
        ("53300", StoreBusy),
        ("25006", StoreReadOnly),
        ("40001", StoreBusy),
        ("40P01", StoreBusy),
        ("55P03", StoreBusy),
        ("57014", StoreBusy),
        ("57P01", StoreUnavailable),
        ("08006", StoreUnavailable),
        ("58030", StoreUnavailable),
        ("XX001", StoreDamaged),
        ("42501", StoreForeign),
        ("23505", Overtaken),
    ],
)
def test_each_failure_of_the_database_has_one_refusal_without_its_words(state: str, refusal: type[Exception]) -> None:
    known = translate(Failure(state))
    assert type(known) is refusal
    assert "secret" not in str(known)


@pytest.mark.parametrize("state", ["42601", "23502", "23514", "22003"])
def test_a_fault_of_the_program_stays_what_it_is(state: str) -> None:
    error = Failure(state)
    assert translate(error) is error


@promise("postgres.errors.clear")
@pytest.mark.parametrize(
    ("words", "refusal", "said"),
    [
        ('FATAL:  database "x" does not exist', StoreForeign, "no such database"),
        ('FATAL:  role "x" does not exist', StoreForeign, "refused the account"),
        ("FATAL:  no pg_hba.conf entry for host", StoreForeign, "refused the account"),
        ("FATAL:  sorry, too many clients already", StoreBusy, "no more connections"),
        ("FATAL:  the database system is starting up", StoreUnavailable, "starting or stopping"),
        ("session is read-only", StoreReadOnly, "can be written"),
        ("Connection refused", StoreUnavailable, "cannot be reached"),
    ],
)
def test_what_libpq_says_while_connecting_is_told_apart(words: str, refusal: type[Any], said: str) -> None:
    known = unreachable(psycopg.OperationalError(words), "postgresql://x/y")
    assert type(known) is refusal
    assert said in str(known)
