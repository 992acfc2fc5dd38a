"""What setup would do to a client's files, and doing it: one plan for each file, so that what was shown is what is written.

Invariant: a file that cannot be understood or written is left as it is and named; the files of one client are independent, so that one
that fails leaves the others done and says so.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from waypost.agents.files.edits import Broken, Edit, Member, apply_edits, holds, take_out
from waypost.agents.files.jsonc import parse, value_of
from waypost.agents.files.writing import Note, Notes, NotWritten, delete, digest, read, replace
from waypost.agents.install import Installer, Level, Wanted, Where

__all__ = ["FilePlan", "alive", "other_levels_files", "our_programs", "plan_removal", "plan_setup", "write"]

State = Literal["new", "added", "mended", "same", "gone", "failed"]


@dataclass(kw_only=True, slots=True)
class FilePlan:
    """What is to be done to one file. `after` is None for a file that goes; `inserted` are the stretches put in; `problem` says why
    nothing is done."""

    path: Path
    what: list[str]
    state: State
    before: bytes | None = None
    after: bytes | None = None
    inserted: list[str] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)
    problem: str = ""
    copy: str | None = None

    @property
    def changes(self) -> bool:
        """Whether writing it does anything."""
        return self.state in {"new", "added", "mended", "gone"}


def alive(program: str) -> bool:
    """Whether a program that an entry names can still be run."""
    return Path(program).is_absolute() and os.access(program, os.X_OK) and Path(program).is_file()


def plan_setup(installer: Installer, where: Where, level: Level, program: str) -> list[FilePlan]:
    """What `setup --write` would do for one client."""
    return [_plan(path, wanted) for path, wanted in _by_file(installer.wanted(where, level, program))]


def plan_removal(installer: Installer, where: Where, level: Level, program: str, notes: Notes) -> list[FilePlan]:
    """What `setup --remove` would do for one client."""
    return [_removal(path, wanted, notes) for path, wanted in _by_file(installer.wanted(where, level, program))]


def our_programs(wanted: Sequence[Wanted]) -> list[tuple[Path, str, str]]:
    """Which of these entries are there: the file, what it is, and the program that it names. Raises `Broken`, `NotWritten`."""
    found: list[tuple[Path, str, str]] = []
    for one in wanted:
        content = read(one.path)
        if content is not None:
            found += [(one.path, one.what, program) for program in holds(_text(content), _ours(one.edits))]
    return found


def other_levels_files(installer: Installer, where: Where, level: Level, program: str) -> list[Path]:
    """The files of the other level that hold hooks, a plugin or a server of ours: with both, everything would be told twice."""
    other: Level = "project" if level == "user" else "user"
    if other not in installer.levels or where.directory == where.home:
        return []
    here = {path for path, _ in _by_file(installer.wanted(where, level, program))}
    found: list[Path] = []
    for one in installer.wanted(where, other, program):
        try:
            if one.path not in here and not one.what.startswith("skill") and our_programs([one]):
                found.append(one.path)
        except (Broken, NotWritten):
            continue  # what cannot be read is named where it would be written
    return sorted(set(found))


def write(plan: FilePlan, notes: Notes) -> None:
    """Does what was planned. A failure becomes the plan's problem, and the file is as it was."""
    try:
        if plan.state == "gone":
            _take_back(plan, notes)
        elif plan.changes:
            _put(plan, notes)
    except NotWritten as error:
        plan.state, plan.problem = "failed", str(error)


def _by_file(wanted: Sequence[Wanted]) -> list[tuple[Path, list[Wanted]]]:
    files: dict[Path, list[Wanted]] = {}
    for one in wanted:
        files.setdefault(one.path, []).append(one)
    return list(files.items())


def _plan(path: Path, wanted: Sequence[Wanted]) -> FilePlan:
    plan = FilePlan(path=path, what=[one.what for one in wanted], state="same")
    try:
        plan.before = read(path)
        text = None if plan.before is None else _text(plan.before)
        edited = apply_edits(text, [edit for one in wanted for edit in one.edits], alive=alive)
    except (Broken, NotWritten) as error:
        plan.state, plan.problem = "failed", f"{error}; it was left as it is"
        return plan
    plan.after = edited.text.encode("utf-8")
    plan.inserted, plan.moved = edited.inserted, edited.moved
    if plan.after != plan.before:
        plan.state = "new" if plan.before is None else "added" if edited.inserted and not edited.moved else "mended"
    return plan


def _removal(path: Path, wanted: Sequence[Wanted], notes: Notes) -> FilePlan:
    plan = FilePlan(path=path, what=[one.what for one in wanted], state="same")
    edits = [edit for one in wanted for edit in one.edits]
    try:
        plan.before = read(path)
        if plan.before is None:
            return plan
        note = notes.find(path)
        if note is not None and note.digest == digest(plan.before):
            plan.after = notes.original(note)
        elif note is not None or holds(_text(plan.before), _ours(edits)):
            left = take_out(_text(plan.before), edits, note.inserted if note else ())
            created = note is not None and note.copy is None
            plan.after = None if left is None or (created and _is_hollow(left)) else left.encode("utf-8")
        else:
            return plan
    except (Broken, NotWritten) as error:
        plan.state, plan.problem = "failed", f"{error}; it was left as it is"
        return plan
    plan.state = "same" if plan.after == plan.before else "gone"
    return plan


def _put(plan: FilePlan, notes: Notes) -> None:
    assert plan.after is not None
    before = notes.find(plan.path)
    goes_on = before is not None and plan.before is not None and before.digest == digest(plan.before)
    plan.copy = None if plan.before is None else notes.copy(plan.path, plan.before)
    made = replace(plan.path, plan.before, plan.after)
    inserted = [*(before.inserted if before else ()), *plan.inserted]
    for old, new in plan.moved:
        inserted = [stretch.replace(old, new) for stretch in inserted]
    notes.keep(
        Note(
            path=str(plan.path),
            copy=before.copy if goes_on and before else plan.copy,
            folders=(*(before.folders if before else ()), *made),
            digest=digest(plan.after),
            inserted=tuple(inserted),
        )
    )


def _take_back(plan: FilePlan, notes: Notes) -> None:
    note = notes.find(plan.path)
    if plan.after is None:
        delete(plan.path, note.folders if note else ())
    else:
        replace(plan.path, plan.before, plan.after)
    notes.drop(plan.path, with_copy=note is not None and note.digest == digest(plan.before or b""))


def _ours(edits: Sequence[Edit]) -> list[Edit]:
    """Those that are ours alone, and not what a file of that kind needs anyway."""
    return [edit for edit in edits if not (isinstance(edit, Member) and edit.ours is None)]


def _is_hollow(text: str) -> bool:
    """Whether a JSON file holds nothing but empty objects, lists and a version, so that it was made for our entries alone."""
    try:
        value = value_of(parse(text)) if text.strip() else {}
    except Broken:
        return False
    return isinstance(value, dict) and all(_is_empty(one) for name, one in value.items() if "version" not in name)


def _is_empty(value: object) -> bool:
    if isinstance(value, dict):
        return all(_is_empty(one) for one in value.values())
    return value == []


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise Broken("it is not UTF-8") from None
