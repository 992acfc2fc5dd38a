"""A node that stands still in the middle of a unit, holding a mailbox: `python -m tests.postgres.stopping_child URL MAILBOX`.

It says `holding`, stops itself as SIGSTOP does, and when it is let go on says how often its unit ran until it was stored.
"""

from __future__ import annotations

import os
import signal
import sys

from waypost.identity.store import lock_mailbox
from waypost.store.interface import Query, Transaction
from waypost.store.postgres import PostgresStore

PUT = Query(name="put", text="insert into store_info (key, value) values ('stopped', 'once')")


def say(words: str) -> None:
    """Tells the test where the node stands."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def main(url: str, mailbox: str) -> None:
    """Holds, stops, and goes on."""
    store = PostgresStore.open(url, connections=5)
    runs = 0

    def unit(tx: Transaction) -> None:
        nonlocal runs
        runs += 1
        lock_mailbox(tx, mailbox)
        if runs == 1:
            say("holding")
            os.kill(os.getpid(), signal.SIGSTOP)
        tx.execute(PUT)

    store.write(unit)
    say(f"stored in run {runs}")
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
