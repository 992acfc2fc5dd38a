"""A process that does one thing to a store and ends at a named point in the middle of it.

`python -m tests.crash.crashing_child DEED POINT DATABASE [FILE]`. Points are those of `disks`, or `call:NAME:before|after:N` for the
Nth call of a method of Path (`hardlink_to`, `rename`, `replace`, `unlink`), by which copies and restores take their names.
"""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.crash.disks import KillingDisk, Point, end_here, point_of
from tests.crash.office import MIGRATIONS, ask, send
from tests.crash.waiting import wait_until
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import open_waypost
from waypost.mail.store import RESTORE_ENDINGS
from waypost.store.sqlite.backup import backup
from waypost.store.sqlite.engine import SqliteStore
from waypost.store.sqlite.restore import restore


def arm_call(point: Point) -> None:
    """Ends the process before or after the nth call of a method of Path."""
    method: Callable[..., Any] = getattr(Path, point.operation)
    left = point.nth

    @functools.wraps(method)
    def watched(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0 and point.moment == "before":
            end_here(point)
        answer = method(*arguments, **named)
        if left == 0 and point.moment == "after":
            end_here(point)
        return answer

    setattr(Path, point.operation, watched)


def do(deed: str, arm: Callable[[], None], database: Path, file: Path) -> None:
    """The deed; `arm` is called right before its crucial part."""
    if deed == "migrate":
        arm()
        SqliteStore.open(database, migrations=MIGRATIONS).close()
    elif deed == "restore":
        arm()
        restore(file, database, endings=RESTORE_ENDINGS)
    else:
        do_open(deed, arm, database, file)


def do_open(deed: str, arm: Callable[[], None], database: Path, file: Path) -> None:
    """A deed on an open store."""
    waypost = open_waypost(database, Settings())
    if deed == "send":
        arm()
        sys.stdout.write(f"answered {send(waypost, key='doomed')['message_id']}\n")
        sys.stdout.flush()
    elif deed == "ask":
        asked = json.loads(file.read_text(encoding="utf-8"))
        arm()
        sys.stdout.write(f"answered {ask(waypost, **asked)}\n")
        sys.stdout.flush()
    elif deed == "backup":
        assert isinstance(waypost.store, SqliteStore)
        arm()
        backup(waypost.store, file)
    elif deed == "close":
        send(waypost, key="before the checkpoint")
        arm()
        waypost.close()
    elif deed == "idle":
        arm()
        send(waypost, key="before the checkpoint")
        began = time.monotonic()
        wait_until(lambda: time.monotonic() > began + 30, "an end in the checkpoint", seconds=20)


def main(deed: str, point_text: str, database: str, file: str = "") -> None:
    """Does the deed on a disk that ends the process at the point."""
    point = point_of(point_text)
    disk = KillingDisk()
    do(deed, lambda: arm_call(point) if point.kind == "call" else disk.arm(point), Path(database), Path(file))
    sys.stdout.write("survived\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
