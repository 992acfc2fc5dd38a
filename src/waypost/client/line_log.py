"""A bounded log of lines without bodies, one file for all short-lived programs of a kind. A log that cannot be written is no fault."""

from __future__ import annotations

import os
import time

from waypost.client.folders import log_path

__all__ = ["add_line"]

MAX_BYTES = 1_000_000
MAX_ENTRY_CHARACTERS = 1_000


def add_line(name: str, text: str) -> None:
    """Adds a line with time and process number to the log file of that name; a full file is put aside and the one before it
    dropped."""
    path = log_path(name)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    words = "".join(sign if sign.isprintable() else " " for sign in text[:MAX_ENTRY_CHARACTERS])
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            full = os.fstat(descriptor).st_size > MAX_BYTES
            os.write(descriptor, f"{moment} {os.getpid()} {words}\n".encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
        if full:
            os.replace(path, f"{path}.1")
    except (OSError, ValueError):
        return
