"""What a directory says of itself: the identity of its checkout and the project that a marker names. Reads files, runs nothing.

An identity is `host/owner/name` of the remote `upstream`, else `origin`; else the git common directory, so that worktrees agree;
else the directory's real path (contracts/clients.md, Project of a session). A remote that is a path on this disk leads to that
repository's own identity, so that a clone shares the mailbox of what it was cloned from.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from urllib.parse import quote

from waypost.identity.models import Workdir
from waypost.identity.remotes import identity_of_remote, read_remotes
from waypost.kernel.addresses import DEFAULT_WORKSPACE, ProjectName, parse_project_label, slug
from waypost.kernel.errors import InvalidInput
from waypost.kernel.text import is_storable, visible

__all__ = ["look_at"]

MARKERS = (".waypost.toml", ".ai-memory.toml")
LONGEST_DIRECTORY = 4_096
MARKER_LIMIT = 64 * 1024
CLONES_FOLLOWED = 5
"""How many clones of clones are followed on one disk before the path itself is the identity."""


def look_at(directory: str) -> Workdir:
    """What `directory` says of itself. Refuses `invalid_input` where it is not an absolute path, at most 4,096 characters, of an
    existing directory that can be read."""
    if not Path(directory).is_absolute():
        raise InvalidInput("directory is not an absolute path.", hint="Pass the directory's full path.")
    if len(directory) > LONGEST_DIRECTORY:
        raise InvalidInput(f"directory is longer than {LONGEST_DIRECTORY} characters.", hint="Pass a real path.")
    try:
        return _read(directory)
    except OSError:  # a name too long for the disk, a folder above that may not be entered, a disk that went away
        raise InvalidInput("directory cannot be read.", hint="Pass a directory that this account may enter.") from None


def _read(directory: str) -> Workdir:
    root = Path(os.path.realpath(directory))
    if not root.is_dir():
        raise InvalidInput("directory does not exist or is not a directory.", hint="Pass an existing directory.")
    checkout, common = _checkout(root)
    identity, offered = _identity(checkout or root, common, CLONES_FOLLOWED)
    marker_path = _nearest_marker(root)
    marker, problem = _read_marker(marker_path) if marker_path else (None, None)
    return Workdir(
        root=_told(checkout or root),
        identity=identity,
        offered_name=offered,
        marker=marker,
        marker_path=_told(marker_path) if marker_path else None,
        marker_problem=problem,
    )


def _checkout(start: Path) -> tuple[Path | None, Path | None]:
    """The root of the checkout around `start` and its common git directory, or nothing outside a repository.

    A bare repository counts only where no checkout is around it: git carries such a folder as ordinary files, so that a hostile
    clone could bring one whose config names another's remote.
    """
    bare: Path | None = None
    for place in (start, *start.parents):
        entry = place / ".git"
        if entry.is_dir():
            return place, _common_directory(entry)
        if entry.is_file():
            line = _head(entry)
            if line.startswith("gitdir:"):
                return place, _common_directory((place / line.removeprefix("gitdir:").strip()).resolve())
        if bare is None and _looks_bare(place):
            bare = place
    return bare, bare


def _looks_bare(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "config").is_file()


def _common_directory(git_directory: Path) -> Path:
    pointer = git_directory / "commondir"
    if pointer.is_file():
        return (git_directory / _head(pointer)).resolve()
    return git_directory.resolve()


def _identity(root: Path, common: Path | None, follow: int) -> tuple[str, str]:
    """The identity and the name it offers."""
    if common is None:
        return f"path:{_disk_spelling(root)}", slug(root.name)
    remotes = read_remotes(common / "config")
    url = remotes.get("upstream") or remotes.get("origin")
    if url:
        found = identity_of_remote(url)
        if found:
            return found, slug("-".join(found.split("/")[1:]))
        if follow and "://" not in url.removeprefix("file://"):
            origin = Path(os.path.realpath(root / url.removeprefix("file://")))
            if origin.is_dir():
                _, behind = _checkout(origin)
                return _identity(origin, behind, follow - 1)
    home = common.parent if common.name == ".git" else common
    return f"git:{_disk_spelling(common)}", slug(home.name.removesuffix(".git"))


def _nearest_marker(start: Path) -> Path | None:
    """The marker that governs `start`: in the nearest ancestor, up to the home folder, where one is never read."""
    home = Path(os.path.realpath(Path.home()))
    for place in (start, *start.parents):
        if place == home:
            return None
        for name in MARKERS:
            if (place / name).is_file():
                return place / name
    return None


def _read_marker(path: Path) -> tuple[ProjectName | None, str | None]:
    """The project that a marker names, or what is wrong with it. A marker without a project is about other things."""
    try:
        with path.open("rb") as file:
            content = file.read(MARKER_LIMIT + 1)
        if len(content) > MARKER_LIMIT:
            return None, f"{_told(path)} is larger than {MARKER_LIMIT // 1024} KiB and was not read"
        table = tomllib.loads(content.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return None, f"{_told(path)} cannot be read as TOML: {type(error).__name__}"
    project, workspace = table.get("project"), table.get("workspace", DEFAULT_WORKSPACE)
    if project is None:
        return None, None
    if not isinstance(project, str) or not isinstance(workspace, str):
        return None, f"{_told(path)}: project and workspace must be text"
    try:
        return parse_project_label(project, None if "/" in project else workspace, field="project"), None
    except InvalidInput:
        return None, f"{_told(path)}: project is no name, or no workspace/project"


def _head(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""


def _told(path: Path) -> str:
    """The path for a sentence: on one line, with nothing in it that is invisible or steers a terminal."""
    return visible(os.fsencode(path).decode("utf-8", "replace")).replace("\n", "\\n")


def _disk_spelling(path: Path) -> str:
    """The path as the disk spells it, where the disk ignores case, so that two spellings are one identity. A path that is no
    UTF-8 is written percent-encoded, because no engine stores its bytes; the two forms never meet, since paths begin with a slash."""
    text = str(path)
    if not is_storable(text):
        return quote(os.fsencode(text), safe="")
    swapped = path.parent / path.name.swapcase()
    if swapped == path or not swapped.exists() or not path.samefile(swapped):
        return text
    spelled = Path(path.anchor)
    for part in path.parts[1:]:
        entries = {entry.name.casefold(): entry.name for entry in spelled.iterdir()}
        spelled = spelled / entries.get(part.casefold(), part)
    return str(spelled)
