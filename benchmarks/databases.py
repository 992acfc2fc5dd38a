"""Databases of their own for the programs that measure Postgres: made, migrated and filled; and the server that they stand on."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator

import psycopg

from tests.postgres_cluster import own_cluster, url_of
from waypost.kernel.time import HOUR
from waypost.store.postgres import PostgresStore

__all__ = ["OPTIONS", "database", "fill", "two_databases"]

OPTIONS = "-c listen_addresses= -c max_connections=100 -c shared_buffers=128MB -c autovacuum=off"
MAILBOX = (
    "insert into mailboxes (id, workspace, kind) select name, 'default', 'project' from unnest(%s::text[]) as name"
)
PROJECT = """
insert into projects (id, workspace, name, by_marker, created_at, version)
select name, 'default', name, 0, 0, 1 from unnest(%s::text[]) as name
"""
MAIL = """
insert into messages (id, format, workspace, mailbox_id, from_project_id, from_door, from_source, subject, body, actionable,
  reminder, delivery, created_at, due_at, occurrence, status, version, thread, digest)
select m, 1, 'default', 'inbox-' || n %% %(inboxes)s, 'sender', 'rest', 'explicit', 'Export fails', repeat('Please look at it. ', 10), 0,
  0, 'next_activity', %(sent)s + n, %(sent)s + n, 1, 'open', 1, m, md5(n::text)
from (select n, format('00000000-0000-7000-8000-%%s', lpad(n::text, 12, '0')) as m from generate_series(1, %(count)s) as n) as numbered
"""
CLOSE = """
update messages set status = 'done', outcome = 'popped', version = 2, closed_at = %(popped)s, first_read_at = %(popped)s
where digest in (select md5(n::text) from generate_series(1, %(closed)s) as n)
"""
CLOSED = 2_000


@contextlib.contextmanager
def two_databases(url: str | None) -> Iterator[tuple[str, str]]:
    """Two new databases, on the server named or on one of the tests' with a disk that is waited for."""
    with contextlib.ExitStack() as stack:
        if url is None:
            url = stack.enter_context(own_cluster(OPTIONS)).url
        yield stack.enter_context(database(url)), stack.enter_context(database(url))


@contextlib.contextmanager
def database(url: str) -> Iterator[str]:
    """A new, empty database on a server."""
    name = f"waypost_test_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create database {name} template template0 encoding 'UTF8'".encode())
        yield url_of(url, name)
        connection.execute(f"drop database {name} with (force)".encode())


def fill(url: str, *, inboxes: int, open_each: int) -> None:
    """Makes the schema, a sender, so many inboxes (`inbox-0` on) and their open mail, due for an hour; behind it older mail that was
    popped, so that Postgres plans for a database in use."""
    PostgresStore.open(url, sequences=False).close()
    names = ["sender", *(f"inbox-{number}" for number in range(inboxes))]
    with psycopg.connect(url, options="-c search_path=waypost") as connection:
        connection.execute(MAILBOX, (names,))
        connection.execute(PROJECT, (names,))
        count = inboxes * open_each
        connection.execute(MAIL, {"inboxes": inboxes, "sent": time.time_ns() // 1_000 - HOUR, "count": count + CLOSED})
        connection.execute(CLOSE, {"closed": CLOSED, "popped": time.time_ns() // 1_000 - HOUR // 2})
        connection.commit()
        connection.autocommit = True
        connection.execute("vacuum analyze")
