"""The real server on a disk with a fault, or as an account without rights: `waypost serve` in all else.

`python -m tests.crash.serving_child die POINT | full FLAG | bound`
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

from tests.crash import office
from tests.crash.disks import FullDisk, KillingDisk, point_of
from waypost.server.main import serve
from waypost.store.sqlite import engine


def drop_capabilities() -> None:
    """From now on the rights of files bind root too. Nothing to do for other accounts."""
    if os.geteuid() != 0:
        return
    header = struct.pack("Ii", 0x20080522, 0)  # version 3 of the call, this process
    if ctypes.CDLL(None, use_errno=True).capset(header, bytes(24)) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def main(fault: str, detail: str = "") -> int:
    """Serves with the fault; the exit status is the server's."""
    if fault == "die":
        killing = KillingDisk()
        killing.arm(point_of(detail))
        engine.load_migrations = lambda: tuple(office.MIGRATIONS)  # type: ignore[attr-defined] # a seam of this child alone
        return serve()
    if fault == "full":
        full = FullDisk(Path(detail))
        assert not full.flag.exists()
        return serve()
    drop_capabilities()
    return serve()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
