"""Takes away what a process that died in the middle of a copy or a restore left beside a store.

Called under the store's lock, or by who is about to make a copy of that name. Removes only files that no living process works
on, and never the last name of anything. Knows names, not contents.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from pathlib import Path

__all__ = ["clear_partials", "give_back", "undo_interrupted_restore"]


def clear_partials(place: Path) -> None:
    """Removes the partial copies beside `place` whose process is gone: those that would have become `place`, or a copy whose name
    begins with its name. A file that cannot be removed stays."""
    partial = re.compile(rf"\.{re.escape(place.name)}(\..+)?\.(?P<pid>\d+)\.partial(-journal|-wal|-shm)?")
    if not place.parent.is_dir():
        return
    with contextlib.suppress(OSError):
        for file in place.parent.iterdir():
            found = partial.fullmatch(file.name)
            if found is not None and not _lives(int(found["pid"])):
                with contextlib.suppress(OSError):
                    file.unlink()


def undo_interrupted_restore(place: Path) -> None:
    """A restore first gives the store that it replaces a second name; where it died before the restored file took the first,
    the store is given back as it was, its WAL included."""
    if not place.exists() or place.stat().st_nlink < 2:
        return
    for kept in place.parent.glob(f"{place.name}.replaced.*Z"):  # not their -wal files
        if kept.samefile(place):
            give_back(place, kept)
            return


def give_back(place: Path, kept: Path) -> None:
    """Takes the second name `kept` of the store from it again, and its WAL back."""
    with contextlib.suppress(OSError):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{kept}-wal").rename(f"{place}-wal")
        kept.unlink()


def _lives(pid: int) -> bool:
    """Whether a process of that number may exist. Where asking is not safe, it may."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
