"""What Postgres's failures are called here: each becomes one refusal with a sentence and a remedy.

Mistakes in a statement (syntax, an unknown column, a broken CHECK) stay what they are: faults of the program. No text of the
database enters a message, because it may quote a row or a secret.
"""

from __future__ import annotations

from typing import Final

import psycopg

from waypost.kernel.errors import StoreBusy, StoreFull, StoreReadOnly, StoreUnavailable
from waypost.store.errors import Overtaken, StoreDamaged, StoreForeign

__all__ = ["is_lost", "runs_again", "translate", "unreachable"]

UNCHANGED = "Nothing of this request was stored."
REPEAT = "Repeat the request in a moment."
AGAIN: Final = frozenset({"40001", "40P01", "55P03", "0A000"})
"""Serialization, deadlock, lock timeout, a migration under a prepared statement: like a unit that was overtaken, run again, it sees
what is there now."""
LOST: Final = ("08", "57P")
ACCOUNT: Final = (
    "authentication failed",
    "no pg_hba.conf entry",
    "no password supplied",
    "password authentication",
    "role ",
    "not permitted to log in",
    "permission denied for database",
)


def translate(error: BaseException) -> BaseException:
    """The refusal for an error of psycopg; any other error is answered as it is. Raise it `from` the error."""
    if not isinstance(error, psycopg.Error):
        return error
    state = error.sqlstate or ""
    match state:
        case "23505":
            return Overtaken("A record with the same key is there already. Nothing was changed.")
        case "40001" | "40P01" | "55P03":
            return StoreBusy(f"Other requests held what this one needed. {UNCHANGED}", hint=REPEAT)
        case "57014" | "25P03" | "25P04":
            return StoreBusy(f"The database took too long and the request was ended. {UNCHANGED}", hint=REPEAT)
        case "25006":
            return StoreReadOnly(
                f"The database cannot be written: it is a standby or set to read-only. {UNCHANGED}",
                hint="Connect Waypost to the primary; a URL with several hosts needs target_session_attrs=read-write.",
            )
        case "53100":
            return StoreFull(f"The database's disk is full. {UNCHANGED}", hint="Free space there, then repeat it.")
        case "53300":
            return _crowded()
        case "XX001" | "XX002":
            return StoreDamaged(f"Postgres found damaged pages or indexes. {UNCHANGED}", hint=RESTORE)
        case "42501":
            return _refused_account()
        case _ if state.startswith(("53", "58", *LOST)) or isinstance(error, psycopg.OperationalError):
            return StoreUnavailable(f"The connection to the database failed. {UNCHANGED}", hint=REPEAT)
        case _:
            return error


RESTORE = "Stop Waypost and bring back the last good backup of the database."


def runs_again(error: BaseException) -> bool:
    """Whether a unit that ended so is run again: it has no outside effect, and nothing of it was kept."""
    cause = error.__cause__
    return isinstance(error, Overtaken) or (isinstance(cause, psycopg.Error) and cause.sqlstate in AGAIN)


def is_lost(error: BaseException) -> bool:
    """Whether the error says that the connection, not the request, is at fault."""
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    if not isinstance(cause, psycopg.Error):
        return False
    state = cause.sqlstate or ""
    if state == "57014":
        return False
    return state.startswith(LOST) or state in {"25006", "25P03"} or (not state and isinstance(cause, LOSING))


LOSING = (psycopg.OperationalError, psycopg.InterfaceError)


def unreachable(error: psycopg.Error, place: str) -> BaseException:
    """The refusal for an attempt to connect. libpq gives no code here, so its English words are looked at; others are said to be
    in the log."""
    words = str(error)
    if "does not exist" in words and 'database "' in words:
        return StoreForeign(
            f"There is no such database: {place}. Nothing was made.",
            hint="Make it first: createdb --encoding=UTF8 NAME.",
        )
    if any(word in words for word in ACCOUNT):
        return _refused_account()
    if "too many clients" in words or "connection slots" in words or "too many connections" in words:
        return _crowded()
    if "in recovery mode" in words or "starting up" in words or "shutting down" in words:
        return StoreUnavailable(f"The database is starting or stopping. {UNCHANGED}", hint=REPEAT)
    if "session is read-only" in words or "session is not read-only" in words or "in hot standby" in words:
        return StoreReadOnly(f"None of the hosts at {place} can be written. {UNCHANGED}", hint="Name the primary.")
    return StoreUnavailable(
        f"The database cannot be reached: {place}. {UNCHANGED}",
        hint="Check host, port and that the database runs; the log has the driver's words.",
    )


def _refused_account() -> StoreUnavailable:
    return StoreForeign(
        "The database refused the account. Nothing was changed.",
        hint="Check the user, its password (PGPASSWORD, ~/.pgpass or WAYPOST_DATABASE) and that it may create a schema in the database.",
    )


def _crowded() -> StoreBusy:
    return StoreBusy(
        f"The database takes no more connections. {UNCHANGED}", hint="Raise max_connections, or run fewer nodes."
    )
