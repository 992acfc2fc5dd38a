"""A process that imports and kills itself at a named point: `put:N` before the Nth batch, or before or after a named function."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from waypost.assembly.transfer import import_store
from waypost.store.postgres import importing as postgres
from waypost.store.sqlite import importing as sqlite


def end_here() -> None:
    """Dies as by a loss of power: nothing is flushed, closed or taken back."""
    os.kill(os.getpid(), signal.SIGKILL)


def before(step: Callable[..., Any], calls: int) -> Callable[..., Any]:
    """The step, which kills the process where it is called for the nth time."""
    left = calls

    def run(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            end_here()
        return step(*arguments, **named)

    return run


def after(step: Callable[..., Any]) -> Callable[..., Any]:
    """The step, after which the process is killed."""

    def run(*arguments: Any, **named: Any) -> Any:
        step(*arguments, **named)
        end_here()

    return run


def arm(module: Any, point: str) -> None:
    """Sets the point up in the engine's module."""
    moment, _, name = point.partition(":")
    if moment == "put":
        if module is sqlite:
            sqlite._put = before(sqlite._put, int(name))
        else:
            postgres.Loading._copy = before(postgres.Loading._copy, int(name))  # type: ignore[method-assign] # a seam of this child alone
        return
    step = getattr(module, name)
    setattr(module, name, before(step, 1) if moment == "before" else after(step))


def main(database: str, file: str, point: str) -> None:
    """Imports the file."""
    if point == "done":
        import_store(Path(file), database)
        end_here()
    arm(postgres if "://" in database else sqlite, point)
    import_store(Path(file), database)


if __name__ == "__main__":
    main(*sys.argv[1:])
