"""Opens connections to the database with the settings that the promises need, and checks that it is one Waypost can use.

All tables live in the schema `waypost`, so that nothing of anybody else in the database is touched. A place is shown without its
password, always. Knows nothing of units and threads.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from waypost.kernel.errors import InvalidInput, StoreBusy, StoreReadOnly
from waypost.store.errors import StoreForeign
from waypost.store.postgres.errors import unreachable
from waypost.store.postgres.wire import Connection

__all__ = [
    "OLDEST",
    "OPEN_LOCK",
    "SCHEMA",
    "check_database",
    "configure",
    "connect",
    "connection_info",
    "hold_open",
    "look_at",
    "shown_place",
]

OLDEST: Final = 15
SCHEMA: Final = "waypost"
DEFAULTS: Final[dict[str, Any]] = {
    "connect_timeout": 5,
    "application_name": "waypost",
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,  # keepalives are silent while something sent is not acknowledged
}
OPEN_LOCK: Final = 0x57505354_0003
"""The key of the advisory lock that every node shares while it has the store open; an import takes it for itself."""
LOCK_TIMEOUT_MS: Final = 5_000
STATEMENT_TIMEOUT_MS: Final = 30_000
IDLE_TIMEOUT_MS: Final = 10_000
"""A unit that does nothing for so long has lost its process, or that stands still; its locks are given back, sooner than those who wait
for them are refused. Where it goes on after all, it runs again."""
SETTINGS: Final = f"""
select set_config('search_path', '{SCHEMA}, pg_temp', false),
  set_config('lock_timeout', '{LOCK_TIMEOUT_MS}', false),
  set_config('statement_timeout', '{STATEMENT_TIMEOUT_MS}', false),
  set_config('idle_in_transaction_session_timeout', '{IDLE_TIMEOUT_MS}', false),
  set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false)
"""

log = logging.getLogger(__name__)


def connection_info(url: str) -> str:
    """What the driver takes, with this program's defaults under the URL's own words. Refuses (`invalid_input`) a malformed URL."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        raise InvalidInput(
            "The database URL is malformed.", hint="Write it like postgresql://user@host:5432/database."
        ) from None
    return make_conninfo("", **{**DEFAULTS, **given, "client_encoding": "utf8"})


def shown_place(info: str) -> str:
    """Where the database is, as a URL without any secret."""
    given = conninfo_to_dict(info)
    user = f"{given['user']}@" if given.get("user") else ""
    host = str(given.get("host") or given.get("hostaddr") or "")
    if "/" in host:
        host = host.replace("/", "%2F")
    port = f":{given['port']}" if given.get("port") else ""
    return f"postgresql://{user}{host}{port}/{given.get('dbname') or given.get('user') or ''}"


def connect(info: str) -> Connection:
    """A connection of its own, in autocommit. Refuses (`store_unavailable`) with the reason, as far as it is known."""
    try:
        connection = psycopg.connect(info, autocommit=True, row_factory=dict_row)
    except psycopg.Error as error:
        log.warning("the database cannot be reached", exc_info=error)
        raise unreachable(error, shown_place(info)) from None
    return connection


def look_at(url: str) -> str:
    """The version of the server at `url`, if Waypost can use that database. Refuses as opening it does. Changes nothing."""
    info = connection_info(url)
    with connect(info) as connection:
        return check_database(connection, shown_place(info))


def configure(connection: Connection) -> None:
    """Sets a new connection up for units."""
    connection.execute(SETTINGS)
    if not connection.autocommit:
        connection.commit()


def hold_open(connection: Connection) -> None:
    """Says, as long as the connection lives, that a node has the store open. Refuses (`store_busy`) while it is being imported. The
    connection is in autocommit and set up for units."""
    try:
        connection.execute(f"select pg_advisory_lock_shared({OPEN_LOCK})")
    except psycopg.errors.LockNotAvailable:
        raise StoreBusy(
            "The store is being imported. Nothing was changed.", hint="Wait until `waypost import` has ended."
        ) from None


def check_database(connection: Connection, place: str) -> str:
    """The server's version. Refuses (`store_unavailable`) one that is too old, not in UTF-8 or read-only. Changes nothing."""
    number = connection.info.server_version
    version = f"{number // 10_000}.{number % 10_000}"
    if number // 10_000 < OLDEST:
        raise StoreForeign(
            f"{place} is Postgres {version}; this Waypost needs {OLDEST} or newer. Nothing was changed.",
            hint="Upgrade the database server.",
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreForeign(
            f"{place} keeps its text in {encoding}, which cannot hold every message. Nothing was changed.",
            hint="Make a database with createdb --encoding=UTF8 --template=template0 NAME.",
        )
    row = connection.execute("select current_setting('transaction_read_only') as only").fetchone()
    if row is not None and row["only"] == "on":
        raise StoreReadOnly(
            f"{place} cannot be written: it is a standby or set to read-only. Nothing was changed.",
            hint="Connect Waypost to the primary; a URL with several hosts needs target_session_attrs=read-write.",
        )
    return version
