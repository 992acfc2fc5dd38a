"""`waypost setup`: shows what it would write for each coding agent that is there, writes it with `--write`, takes it back with
`--remove`. What goes where stands in `agents`; here is only whom it concerns and what is said."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import cast

from waypost.agents.files.writing import Notes
from waypost.agents.install import Installer, Level, Where
from waypost.agents.known import INSTALLERS, installer_named
from waypost.agents.plan import FilePlan, other_levels_files, plan_removal, plan_setup, write
from waypost.agents.program import find_program
from waypost.cli.command import make_command
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.client.folders import find_folders
from waypost.kernel.errors import InvalidInput

__all__ = ["find_where", "is_there", "notes_folder", "setup", "take_all_back"]

Record = dict[str, object]
WORDS = {
    "new": ("would make", "made"),
    "added": ("would add to", "added to"),
    "mended": ("would mend", "mended"),
    "same": ("nothing to do in", "nothing to do in"),
    "gone": ("would take out of", "took out of"),
    "failed": ("CANNOT CHANGE", "COULD NOT CHANGE"),
}


def find_where() -> Where:
    """This account, environment and directory."""
    return Where(home=Path.home(), directory=Path.cwd(), environ=os.environ, platform=sys.platform)


def is_there(installer: Installer, where: Where) -> bool:
    """Whether the client is installed here: its folder or its program is there."""
    return installer.folder(where).is_dir() or any(shutil.which(program) for program in installer.programs)


def notes_folder() -> Notes:
    """The notes by which all is taken back."""
    return Notes(Path(find_folders().state) / "setup")


def _setup(how: How, output: Output, params: dict[str, object]) -> int:
    level = cast("Level", params.get("level") or "user")
    writes, removes = bool(params.get("write_files")), bool(params.get("remove_files"))
    where, notes = find_where(), notes_folder()
    program = (
        "waypost" if removes and not params.get("program") else find_program(cast("str | None", params.get("program")))
    )
    named = cast("tuple[str, ...]", params.get("client_names") or ())
    records: list[Record] = []
    for installer in _chosen(named, where, removes=removes):
        if level not in installer.levels:
            continue
        record = _one(installer, where, level, program, notes, writes=writes, removes=removes)
        if not (removes and not record["files"]):
            records.append(record)
    well = all(record["state"] != "failed" for record in records)
    if how.as_json:
        output.json(json.dumps({"ok": well, "program": program, "level": level, "clients": records}))
    else:
        _say(output, records, writes=writes or removes, removes=removes)
    return 0 if well else 1


def take_all_back(level: Level = "user") -> list[Record]:
    """Takes back what was set up for every client."""
    where, notes = find_where(), notes_folder()
    return [
        _one(installer, where, level, "waypost", notes, writes=False, removes=True)
        for installer in INSTALLERS
        if level in installer.levels
    ]


def _chosen(named: tuple[str, ...], where: Where, *, removes: bool) -> Iterator[Installer]:
    if not named:
        yield from (one for one in INSTALLERS if removes or is_there(one, where))
        return
    for name in named:
        installer = installer_named(name)
        if installer is None:
            names = ", ".join(one.name for one in INSTALLERS)
            raise InvalidInput(f"There is no coding agent {name!r}. Nothing was changed.", hint=f"Known ones: {names}.")
        yield installer


def _one(
    installer: Installer, where: Where, level: Level, program: str, notes: Notes, *, writes: bool, removes: bool
) -> Record:
    others = [] if removes else other_levels_files(installer, where, level, program)
    if others:
        files: list[FilePlan] = []
        hint = f"waypost setup --remove --client {installer.name} --level {'project' if level == 'user' else 'user'}"
        problem = f"It is set up at the other level already, in {', '.join(map(str, others))}: with both, all would be told twice."
        return _record(installer, files, "failed", problem=problem, remedy=hint)
    if removes:
        files = [one for one in plan_removal(installer, where, level, program, notes) if one.state != "same"]
    else:
        files = plan_setup(installer, where, level, program)
    if writes or removes:
        # Backwards when taking back, so that the folders that the first file needed go last.
        for plan in reversed(files) if removes else files:
            write(plan, notes)
    failed = any(plan.state == "failed" for plan in files)
    changes = any(plan.changes for plan in files)
    return _record(installer, files, "failed" if failed else "changes" if changes else "same")


def _record(installer: Installer, files: list[FilePlan], state: str, *, problem: str = "", remedy: str = "") -> Record:
    return {
        "client": installer.name,
        "title": installer.title,
        "state": state,
        "delivery": installer.delivery,
        "advice": installer.advice,
        "problem": problem,
        "remedy": remedy,
        "files": [
            {
                "path": str(plan.path),
                "what": plan.what,
                "state": plan.state,
                "adds": plan.inserted,
                "moved": [list(pair) for pair in plan.moved],
                "copy": plan.copy,
                "problem": plan.problem,
            }
            for plan in files
        ],
    }


def _say(output: Output, records: list[Record], *, writes: bool, removes: bool) -> None:
    if not records:
        output.line("Nothing was set up here." if removes else "No coding agent was found.")
        if not removes:
            names = ", ".join(one.name for one in INSTALLERS)
            output.aside(f"Name one with --client to set it up all the same: {names}.")
        return
    for record in records:
        output.line(f"{record['title']}" + (f": {record['delivery']}" if not removes else ""))
        if record["problem"]:
            output.line(f"  REFUSED  {record['problem']}")
            output.line(f"  mend it: {record['remedy']}")
        for file in cast("list[Record]", record["files"]):
            _say_file(output, file, writes=writes)
        if writes and not removes and record["state"] == "changes" and record["advice"]:
            output.line(f"  next     {record['advice']}")
    changes = any(record["state"] == "changes" for record in records)
    if not writes:
        output.aside("\nNothing was written. `waypost setup --write` writes it." if changes else "\nAll is set up.")


def _say_file(output: Output, file: Record, *, writes: bool) -> None:
    what = ", ".join(cast("list[str]", file["what"]))
    output.line(f"  {WORDS[str(file['state'])][writes]} {file['path']}  ({what})")
    if file["problem"]:
        output.line(f"    {file['problem']}")
    if not writes:
        for stretch in cast("list[str]", file["adds"]):
            for line in dedent(stretch.lstrip(",").strip("\r\n")).splitlines():
                output.line(f"    + {line}")
    for old, new in cast("list[list[str]]", file["moved"]):
        output.line(f"    {old} is gone; {new} is named in its place")
    if file["copy"]:
        output.aside(f"    copy of what it was: {file['copy']}")


setup = make_command(
    "setup",
    _setup,
    summary="Show what coding agents need to hear of mail; --write sets them up, --remove takes it back.",
    example="waypost setup --write --client claude-code",
    options=("write_files", "client_names", "remove_files", "level", "program"),
)
