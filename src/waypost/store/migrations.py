"""Migrations as files: numbered from 0001 without gaps, forward only, each with the checksum of its text.

What to run is decided here, purely; an engine runs it, one transaction for each, under its lock. A store that a newer Waypost
wrote is refused and left alone, unless every step that is not known says by a line `-- additive` that nodes from before it may go on
beside it: it only adds what they neither read nor have to write. Knows no engine: the files are in the shared dialect.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from waypost.kernel.errors import SchemaNewer
from waypost.store.errors import StoreForeign

__all__ = ["Applied", "Migration", "Upgrade", "load_migrations", "migration", "pending"]

ADDITIVE = re.compile(r"^-- additive\b", re.MULTILINE)
FILE = re.compile(r"(\d{4})_([a-z][a-z0-9_]*)\.sql")


@dataclass(frozen=True, kw_only=True, slots=True)
class Migration:
    """One step of the schema, as its file gives it."""

    version: int
    name: str
    text: str
    checksum: str

    @property
    def additive(self) -> bool:
        """Whether nodes from before this step may go on beside it."""
        return ADDITIVE.search(self.text) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied:
    """A step that a store went through, as its `schema_migrations` says."""

    version: int
    name: str
    checksum: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Upgrade:
    """What opening a store did to its schema: the one it had (0: there was no store) and the one it has, the steps by name, and where
    the store as it was before is kept, if it was copied."""

    before: int
    after: int
    steps: tuple[str, ...]
    kept: str | None

    @classmethod
    def by(cls, run: Sequence[Migration], *, after: int, kept: str | None = None) -> Upgrade:
        """The upgrade that ran these steps."""
        names = tuple(f"{step.version:04d}_{step.name}" for step in run)
        return cls(before=after - len(names), after=after, steps=names, kept=kept)


def migration(file_name: str, text: str) -> Migration:
    """A migration from the name and text of its file. Other names than `NNNN_name.sql` raise ValueError."""
    found = FILE.fullmatch(file_name)
    if found is None:
        raise ValueError(f"{file_name} is not the name of a migration: NNNN_name.sql")
    plain = text.replace("\r\n", "\n")
    return Migration(
        version=int(found.group(1)),
        name=found.group(2),
        text=plain,
        checksum=hashlib.sha256(plain.encode("utf-8")).hexdigest(),
    )


def load_migrations() -> tuple[Migration, ...]:
    """Every migration that comes with this Waypost, in order. A gap or a number given twice raises ValueError."""
    folder = files("waypost.store").joinpath("migrations")
    return in_order(
        migration(file.name, file.read_text(encoding="utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    )


def in_order(migrations: Iterable[Migration]) -> tuple[Migration, ...]:
    """The migrations by number. A gap or a number given twice raises ValueError."""
    steps = tuple(sorted(migrations, key=lambda step: step.version))
    if [step.version for step in steps] != list(range(1, len(steps) + 1)):
        raise ValueError("migrations must be numbered from 0001 without gaps")
    return steps


def pending(
    migrations: Sequence[Migration], applied: Sequence[Applied], *, served: int | None = None
) -> Sequence[Migration]:
    """The steps that a store still lacks.

    Refuses (`schema_newer`) a store with steps that this Waypost does not know, unless the store says that it serves nodes from
    schema `served` on and this is one of them; and (`store_unavailable`) one whose steps were not those of this Waypost.
    """
    done = sorted(applied, key=lambda step: step.version)
    if done and done[-1].version > len(migrations) and (served is None or served > len(migrations)):
        raise SchemaNewer(
            f"The store has schema {done[-1].version}; this Waypost knows schemas up to {len(migrations)}. "
            "Nothing was changed."
        )
    for known, step in zip(migrations, done, strict=False):
        if (known.version, known.checksum) != (step.version, step.checksum):
            raise StoreForeign(
                f"The store went through another migration {known.version:04d} ('{step.name}') than the one of this "
                "Waypost. Nothing was changed.",
                hint="Run the Waypost that made the store, or bring back a backup; a migration is never edited after its release.",
            )
    return migrations[len(done) :]
