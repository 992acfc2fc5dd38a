"""What setup puts into a file, as data, and the text with it: pure functions from text to text.

    Member   a named entry in an object of a JSON file, such as one MCP server
    Item     one entry of a list there, such as one hook
    Block    lines at the end of a TOML file, between two marks
    Whole    a file of Waypost's own

Invariant: what somebody else wrote is never changed; an entry of ours that is there keeps every value that its owner chose, but for
the path of a program that moved. An edit that would change anything else is refused (`Broken`).
"""

from __future__ import annotations

import copy
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from waypost.agents.files.jsonc import Broken, find, insert_item, insert_member, parse, removed, value_of

__all__ = ["Block", "Broken", "Edited", "Item", "Member", "Whole", "apply_edits", "holds", "take_out", "times"]

MARK = "written by `waypost setup`"
BEGIN = f"# waypost: begin, {MARK}; `waypost setup --remove` takes it out"
END = "# waypost: end"
NAMED = re.compile(r'^const PROGRAM = ("(?:[^"\\\n]|\\.)*");?$', re.MULTILINE)
"""How a generated file names the program."""

Ours = Callable[[Any], "str | None"]
"""Whether a value is an entry of ours: the program that it names, empty where it names none; else None."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """`name` in the object at `path`. `ours` is None for one that is not ours alone: a file may have it already, and keeps it."""

    path: tuple[str, ...]
    name: str
    value: Any
    ours: Ours | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One item of the list at `path`."""

    path: tuple[str, ...]
    value: Any
    ours: Ours


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """TOML lines. `present` answers, of the whole parsed file, the program that an entry of ours names there, else None."""

    lines: str
    program: str
    present: Callable[[dict[str, Any]], str | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Whole:
    """A file of our own; another's of that name, which has not our mark, is never touched."""

    text: str


Edit = Member | Item | Block | Whole


@dataclass(kw_only=True, slots=True)
class Edited:
    """The text with the edits, and the stretches that were put in, in order."""

    text: str
    inserted: list[str]
    moved: list[tuple[str, str]] = field(default_factory=list)
    """The programs that were named and are gone, with what is named in their place."""


def apply_edits(text: str | None, edits: Sequence[Edit], *, alive: Callable[[str], bool]) -> Edited:
    """The file's text with the edits; None is a file that is not there. `alive` says of a program that our entry names whether it is
    still there; only one that is not gives way. Raises `Broken`."""
    done = Edited(text=text or "", inserted=[])
    for edit in edits:
        match edit:
            case Whole():
                _whole(done, edit, new=text is None)
            case Block():
                _block(done, edit, alive)
            case Member() | Item():
                if not done.text.strip("\ufeff \t\r\n"):
                    done.text += "{}\n"
                _json(done, edit, alive)
    return done


def holds(text: str, edits: Sequence[Edit]) -> list[str]:
    """The programs that our entries in the file name, one for each edit that is there. Raises `Broken`."""
    found = [_program(text, edit) for edit in edits]
    return [program for program in found if program is not None]


def times(text: str, edit: Item) -> int:
    """How many entries of ours for this very event the list holds. Raises `Broken`."""
    holder = find(parse(text), edit.path) if text.strip() else None
    return 0 if holder is None else sum(edit.ours(value_of(node)) is not None for node in holder.items or [])


def take_out(text: str, edits: Sequence[Edit], inserted: Sequence[str]) -> str | None:
    """The text without our entries: by the very stretches that were put in, else entry by entry. None where nothing is left of a file
    of ours. Raises `Broken`."""
    for stretch in reversed(inserted):
        if text.count(stretch) == 1:
            text = text.replace(stretch, "")
    for edit in edits:
        match edit:
            case Whole():
                return None if MARK in text else text
            case Block():
                text = _without_block(text)
            case Member() | Item() if text.strip():
                text = _without(text, edit)
    return text


def _program(text: str, edit: Edit) -> str | None:
    match edit:
        case Whole():
            if MARK not in text:
                return None
            named = NAMED.search(text)
            return str(json.loads(named[1])) if named else ""
        case Block():
            return edit.present(_toml(text))
    if not text.strip():
        return None
    found = _entry(text, edit)
    return found[1] if found else None


def _whole(done: Edited, edit: Whole, *, new: bool) -> None:
    if not new and MARK not in done.text:
        raise Broken("it is another's file, without the mark of `waypost setup`")
    done.text = edit.text


def _block(done: Edited, edit: Block, alive: Callable[[str], bool]) -> None:
    before = _toml(done.text)
    program = edit.present(before)
    if program is not None:
        if program and program != edit.program and not alive(program):
            done.text = done.text.replace(_quoted(program), _quoted(edit.program))
            done.moved.append((program, edit.program))
            if _toml(done.text) != _replaced(before, program, edit.program):
                raise Broken(f"its entry names {program} in a form that cannot be changed safely")
        return
    newline = "\r\n" if "\r\n" in done.text else "\n"
    lead = newline if done.text and not done.text.endswith("\n") else ""
    gap = newline if done.text.strip() else ""
    lines = [BEGIN, *edit.lines.strip("\n").split("\n"), END, ""]
    stretch = lead + gap + newline.join(lines)
    after = _toml(done.text + stretch)
    if edit.present(after) != edit.program or not _contains(after, before):
        raise Broken("what it holds cannot be joined with our lines")
    done.text += stretch
    done.inserted.append(stretch)


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise Broken(f"it is not valid TOML: {error}") from None
    except RecursionError:
        raise Broken("it nests too deep") from None


def _without_block(text: str) -> str:
    while BEGIN in text and END in text[text.index(BEGIN) :]:
        start = text.index(BEGIN)
        end = text.index(END, start) + len(END)
        rest = text[end:]
        text = text[:start].rstrip("\r\n") + ("\n" if text[:start].strip() else "") + rest.lstrip("\r\n")
    return text


def _json(done: Edited, edit: Member | Item, alive: Callable[[str], bool]) -> None:
    text = done.text
    expected = copy.deepcopy(value_of(parse(text)))
    found = _entry(text, edit)
    if found is not None:
        node, program = found
        wanted = edit.ours(edit.value) if edit.ours else None
        if wanted and program and program != wanted and not alive(program):
            done.text = _renamed(text, node, program, wanted)
            done.moved.append((program, wanted))
        return
    if isinstance(edit, Member) and _has(expected, edit):
        if edit.ours is None:
            return
        raise Broken(f"{'.'.join((*edit.path, edit.name))} is there and another's")
    insertion = _put(text, edit)
    done.text = insertion[0]
    done.inserted.append(insertion[1])
    _expect(expected, edit)
    if value_of(parse(done.text)) != expected:
        raise Broken("it cannot be changed safely")


def _put(text: str, edit: Member | Item) -> tuple[str, str]:
    """The text with the entry, and the stretch put in: the entry within as many new objects as are missing around it."""
    document = parse(text)
    value: Any = edit.value if isinstance(edit, Member) else [edit.value]
    names = list(edit.path) + ([edit.name] if isinstance(edit, Member) else [])
    for depth in range(len(names), 0, -1):
        node = find(document, names[: depth - 1])
        if node is None:
            continue
        if node.members is not None and names[depth - 1] not in node.members:
            for name in reversed(names[depth:]):
                value = {name: value}
            insertion = insert_member(text, node, names[depth - 1], value)
        else:
            held = find(document, names)
            if held is None:
                raise Broken("it cannot be changed safely")
            insertion = insert_item(text, held, edit.value)
        return insertion.into(text), insertion.text
    raise Broken("it holds no object")


def _entry(text: str, edit: Member | Item) -> tuple[Any, str] | None:
    """Our entry, if it is there, and the string that names our program in it."""
    holder = find(parse(text), edit.path)
    if holder is None:
        return None
    if isinstance(edit, Member):
        if holder.members is None:
            raise Broken(f"{'.'.join(edit.path)} is no object")
        candidates = [holder.members[edit.name]] if edit.name in holder.members else []
    else:
        if holder.items is None:
            raise Broken(f"{'.'.join(edit.path)} is no list")
        candidates = holder.items
    for node in candidates:
        program = edit.ours(value_of(node)) if edit.ours else None
        if program is not None:
            return node, program
    return None


def _has(value: Any, edit: Member) -> bool:
    for name in edit.path:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return isinstance(value, dict) and edit.name in value


def _expect(value: Any, edit: Member | Item) -> None:
    for name in edit.path[:-1] if isinstance(edit, Item) else edit.path:
        value = value.setdefault(name, {})
    if isinstance(edit, Member):
        value[edit.name] = edit.value
    else:
        value.setdefault(edit.path[-1], []).append(edit.value)


def _renamed(text: str, node: Any, old: str, new: str) -> str:
    """The text with the program's path within our entry changed, and nothing else of it."""
    spans = [child for child in _strings(node) if old in child.value]
    if len(spans) != 1:
        raise Broken("our entry there was changed so that it cannot be mended safely")
    value = spans[0].value
    for written in (f"'{old}'", shlex.quote(old)):
        if value != old and written in value:
            value = value.replace(written, shlex.quote(new), 1)
            break
    else:
        value = new
    return text[: spans[0].start] + json.dumps(value, ensure_ascii=False) + text[spans[0].end :]


def _quoted(program: str) -> str:
    """A path as it stands within a quoted text of TOML or JSON."""
    return json.dumps(program, ensure_ascii=False)[1:-1]


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {name: _replaced(one, old, new) for name, one in value.items()}
    if isinstance(value, list):
        return [_replaced(one, old, new) for one in value]
    return value


def _strings(node: Any) -> list[Any]:
    if isinstance(node.value, str):
        return [node]
    return [found for child in node.children() for found in _strings(child)]


def _without(text: str, edit: Member | Item) -> str:
    found = _entry(text, edit)
    while found is not None:
        holder = find(parse(text), edit.path)
        assert holder is not None
        child = next(one for one in holder.children() if one.start == found[0].start)
        text = removed(text, holder, child)
        found = _entry(text, edit)
    return text


def _contains(whole: Any, part: Any) -> bool:
    """Whether everything of `part` is in `whole`, lists only longer at their end."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(name in whole and _contains(whole[name], part[name]) for name in part)
    if isinstance(part, list):
        return isinstance(whole, list) and whole[: len(part)] == part
    return bool(whole == part)
