"""What SQLite's failures are called here: each becomes one refusal with a sentence and a remedy.

Mistakes in a statement (syntax, an unknown column, a broken CHECK) stay what they are: they are faults of the program, not of
the store, and a door answers them as such. No text of the database enters a message.
"""

from __future__ import annotations

import apsw

from waypost.kernel.errors import Conflict, StoreBusy, StoreFull, StoreReadOnly, StoreUnavailable
from waypost.store.errors import StoreDamaged

__all__ = ["is_failure", "translate"]

UNCHANGED = "Nothing of this request was stored."
TAKEN = frozenset({apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID})


def translate(error: BaseException) -> BaseException:
    """The refusal for an error of apsw; any other error is answered as it is. Raise it `from` the error."""
    if not isinstance(error, apsw.Error):
        return error
    match error:
        case apsw.FullError():
            return StoreFull(f"The disk that holds the store is full. {UNCHANGED}")
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return StoreReadOnly(f"The store's file or folder cannot be written. {UNCHANGED}")
        case apsw.CorruptError():
            return StoreDamaged(f"SQLite found damaged pages in the store. {UNCHANGED}")
        case apsw.NotADBError():
            return StoreDamaged("The file is not an SQLite database. It was left as it is.")
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy(
                f"Another program holds a lock on the store's file. {UNCHANGED}",
                hint="Close the program that has the file open (an SQLite shell, a copy that is running), then repeat the request.",
            )
        case apsw.CantOpenError():
            return StoreUnavailable(
                f"The store's file cannot be opened. {UNCHANGED}",
                hint="Check that the file and its folder exist and that the account which runs Waypost may read and write them.",
            )
        case apsw.ConstraintError() if getattr(error, "extendedresult", 0) in TAKEN:
            return Conflict("A record with the same key is there already. Nothing was changed.")
        case apsw.IOError() | apsw.NoMemError() | apsw.InterruptError() | apsw.ProtocolError() | apsw.AbortError():
            return StoreUnavailable(
                f"SQLite could not use the store's file ({type(error).__name__}). {UNCHANGED}",
                hint="Repeat the request; where it happens again, look at the disk and the log.",
            )
        case _:
            return error


def is_failure(error: BaseException) -> bool:
    """Whether an error says that the store, not the request, is at fault: the connection should be looked at anew."""
    return isinstance(error, StoreUnavailable | StoreBusy)
