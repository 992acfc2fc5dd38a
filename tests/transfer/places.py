"""Places for stores on either engine, by their name alone, and what a test looks at in an export."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.assembly.transfer import Imported, export_database, import_store
from waypost.store.transfer.reading import Export

__all__ = ["ENDED", "Place", "check_equal", "checked", "comparable"]

ENDED = {
    "messages": (
        "lease_holder",
        "lease_token",
        "lease_until",
        "lease_generation",
        "first_read_at",
        "wake_owner",
        "wake_token",
        "wake_until",
    )
}
"""What the beginning of an epoch may change: the columns of open messages that docs/export.md names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a store may be: a file, or the URL of an empty database."""

    database: str
    folder: Path

    def take(self, export: bytes) -> Imported:
        """Imports into it."""
        return import_store(io.BytesIO(export), self.database)

    def give(self) -> bytes:
        """Its export."""
        return export_database(self.database, self.folder / "export.jsonl", overwrite=True).path.read_bytes()


def checked(export: bytes) -> Export:
    """The export, found whole."""
    found = Export(io.BytesIO(export))
    found.check()
    return found


def comparable(export: bytes) -> list[dict[str, Any]]:
    """An export without what an import must change: epoch and time of its header, the leases of open messages, and the sum."""
    header, *records, closing = [json.loads(line) for line in export.splitlines()]
    del header["epoch"], header["exported_at"], closing["sha256"]
    for record in records:
        if record.get("status", "open") == "open":
            for column in ENDED.get(record["table"], ()):
                del record[column]
    return [header, *records, closing]


def check_equal(export: bytes, first: bytes) -> None:
    """Fails where two exports of one store differ in more than an import must change, naming the columns."""
    found, wanted = comparable(export), comparable(first)
    differing = {
        f"{one.get('table', 'header or closing line')}.{column}"
        for one, other in zip(found, wanted, strict=True)
        for column in one.keys() | other.keys()
        if one.get(column) != other.get(column)
    }
    assert not differing, (
        f"{sorted(differing)} came back changed. Where a statement in the ENDINGS of assembly/keeping.py changes it, add it to ENDED "
        "in tests/transfer/places.py and to the last section of docs/export.md; else the export loses something"
    )
