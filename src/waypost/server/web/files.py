"""The page's files: style, script, mark, and the vendored ones. Only what the package holds is served, under names that change
with the content, so that a browser may keep them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["StaticFile", "static_files", "url_of"]

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class StaticFile:
    """One file: its bytes, type, and the first letters of its SHA-256."""

    content: bytes
    media_type: str
    version: str


@cache
def static_files() -> Mapping[str, StaticFile]:
    """All files by their path below the folder. Read once; they are small."""
    found = {}
    for path in sorted(FOLDER.rglob("*")):
        if path.is_file() and path.suffix in TYPES:
            content = path.read_bytes()
            found[path.relative_to(FOLDER).as_posix()] = StaticFile(
                content=content, media_type=TYPES[path.suffix], version=hashlib.sha256(content).hexdigest()[:16]
            )
    return found


def url_of(name: str) -> str:
    """The address of a file, with its version. A name that is not there is a programming error and raises KeyError."""
    return f"/web/static/{name}?v={static_files()[name].version}"
