"""The tokens that `waypost login` keeps: one file in the config folder, for its owner alone, by the server's address or the store.

Invariant: a token leaves this file only for the place that it was kept for. A file that others may read is refused, not used.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import NamedTuple

from waypost.cli.asked import Asked
from waypost.client.folders import find_folders
from waypost.kernel.errors import Forbidden, InvalidInput

__all__ = ["Login", "armed", "check_private", "forget", "keep", "logins_file", "place_of_store", "token_for"]

FORMAT = 1
WIDER_THAN_OWNER = 0o077


class Login(NamedTuple):
    """One token that is kept: for which place, whether it is the operator's, whose, and the token."""

    place: str
    operator: bool
    user: str
    token: str


def logins_file() -> Path:
    """Where the tokens stand."""
    return Path(find_folders().config) / "logins.json"


def place_of_store(store_id: str) -> str:
    """The place of a store of this machine, which has no address."""
    return f"store:{store_id}"


def token_for(place: str, *, operator: bool) -> str | None:
    """The token kept for a place: the operator's, or the person's own or his agents'. Refuses (`invalid_input`) a file that others
    may read, and one that is damaged."""
    return next((login.token for login in _read() if (login.place, login.operator) == (place, operator)), None)


def armed(asked: Asked, place: str) -> Asked:
    """The request with the operator's token of a place, where it is to be made as the operator. Refuses `forbidden` without one."""
    if not asked.as_operator or asked.token is not None:
        return asked
    token = token_for(place, operator=True)
    if token is None:
        raise Forbidden(
            "--as-operator needs the operator's token, and none is kept here for this store. Nothing was changed.",
            hint="Make one as the store's owner by `waypost token create --operator`, then keep it by `waypost login`.",
        )
    return asked._replace(token=token)


def keep(login: Login) -> Path:
    """Keeps a token in place of one of the same kind for the same place, and answers the file."""
    others = [one for one in _read() if (one.place, one.operator) != (login.place, login.operator)]
    return _write([*others, login])


def forget(place: str) -> int:
    """Drops what is kept for a place, and answers how many tokens that were."""
    found = _read()
    left = [one for one in found if one.place != place]
    if len(left) < len(found):
        _write(left)
    return len(found) - len(left)


def check_private(path: Path | str, descriptor: int) -> None:
    """Refuses (`invalid_input`) a regular file that others than its owner may read or write, or that belongs to somebody else."""
    found = os.fstat(descriptor)
    if os.name != "posix" or not stat.S_ISREG(found.st_mode):
        return
    if found.st_mode & WIDER_THAN_OWNER or found.st_uid != os.geteuid():
        raise InvalidInput(
            f"{path} holds a token and is not for you alone. Nothing was read from it.",
            hint=f"Make it so: chmod 600 {path}",
        )


def _read() -> list[Login]:
    path = logins_file()
    try:
        with path.open("rb") as file:
            check_private(path, file.fileno())
            record = json.loads(file.read())
        return [Login(**entry) for entry in record["logins"]]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError):
        raise InvalidInput(f"{path} is damaged.", hint="Remove it, then run `waypost login` again.") from None


def _write(logins: list[Login]) -> Path:
    path = logins_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"format": FORMAT, "logins": [login._asdict() for login in logins]}, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return path
