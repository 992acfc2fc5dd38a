"""Writing to the files of other programs: a copy first, one step, a look afterwards, and a note by which all can be taken back.

The notes and copies stand in Waypost's own state folder (0600), so that nothing is left beside the client's files. Invariant: a file
is written whole or not at all, with its mode, through a symbolic link to what it leads to; what changed meanwhile is not overwritten.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["NotWritten", "Note", "Notes", "delete", "read", "replace"]

LARGEST = 16 * 1024 * 1024
"""No client's configuration comes near; a larger file is something else."""


class NotWritten(Exception):
    """A file cannot be read or written; the words say why, and it is as it was."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """What was done to one file: the copy of what it was (None where it was not there), the folders made for it, the digest of what
    was written, and the stretches that were put in."""

    path: str
    copy: str | None
    folders: tuple[str, ...]
    digest: str
    inserted: tuple[str, ...]


class Notes:
    """The notes in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, path: Path) -> Note | None:
        """What was noted of a file."""
        try:
            record = json.loads(self._place(path).read_text(encoding="utf-8"))
            return Note(
                path=str(record["path"]),
                copy=record["copy"],
                folders=tuple(record["folders"]),
                digest=str(record["digest"]),
                inserted=tuple(record["inserted"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, note: Note) -> None:
        """Notes what was done. Raises `NotWritten`."""
        self._write(self._place(Path(note.path)), json.dumps(asdict(note), indent=1).encode("utf-8"))

    def copy(self, path: Path, content: bytes) -> str:
        """Keeps a copy of a file and answers where. Raises `NotWritten`."""
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        place = self._folder / "copies" / f"{_key(path)}-{stamp}-{path.name}"
        self._write(place, content)
        return str(place)

    def original(self, note: Note) -> bytes | None:
        """The file as it was before the first change; None where there was none. Raises `NotWritten` where the copy is gone."""
        return None if note.copy is None else read(Path(note.copy)) or b""

    def drop(self, path: Path, *, with_copy: bool) -> None:
        """Forgets a file, and the copy of what it was where nobody needs it any more."""
        note = self.find(path)
        with contextlib.suppress(OSError):
            if with_copy and note is not None and note.copy is not None:
                Path(note.copy).unlink()
            self._place(path).unlink()

    def _place(self, path: Path) -> Path:
        return self._folder / f"{_key(path)}.json"

    def _write(self, place: Path, content: bytes) -> None:
        try:
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        except OSError as error:
            raise NotWritten(f"{place} cannot be written: {error.strerror}") from None


def digest(content: bytes) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def read(path: Path) -> bytes | None:
    """A file's bytes; None where there is none. Raises `NotWritten`."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotWritten(f"it cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise NotWritten("it is larger than 16 MiB")
    return content


def replace(path: Path, before: bytes | None, after: bytes) -> list[str]:
    """Puts `after` in the place of `before` and looks whether it is there; answers the folders that had to be made, the outermost
    first. Raises `NotWritten` and leaves the file as it was."""
    if read(path) != before:
        raise NotWritten("it changed while it was being read")
    target = Path(os.path.realpath(path))
    made = _make_folders(target.parent)
    try:
        _put(target, before is not None, after)
    except OSError as error:
        _remove_folders(made)
        raise NotWritten(f"it cannot be written: {error.strerror}") from None
    if read(path) != after:
        raise NotWritten("it is not as it was written")
    return made


def delete(path: Path, folders: Sequence[str]) -> None:
    """Removes a file of ours and the folders that were made for it, where they are empty. Raises `NotWritten`."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise NotWritten(f"it cannot be removed: {error.strerror}") from None
    _remove_folders(folders)


def _put(target: Path, there: bool, after: bytes) -> None:  # noqa: FBT001 - private
    descriptor, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if there:
            Path(draft).chmod(target.stat().st_mode & 0o7777)
        else:
            mask = os.umask(0)
            os.umask(mask)
            Path(draft).chmod(0o644 & ~mask)
        Path(draft).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(draft).unlink()
        raise


def _make_folders(folder: Path) -> list[str]:
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _remove_folders([str(place) for place in reversed(missing)])
        raise NotWritten(f"its folder cannot be made: {error.strerror}") from None
    return [str(place) for place in reversed(missing)]


def _remove_folders(folders: Sequence[str]) -> None:
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def _key(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
