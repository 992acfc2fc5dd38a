"""JSON with comments and trailing commas, edited in place: what is added is one stretch of text, and nothing else moves.

Libraries for such files write them anew and lose comments or spacing; here every edit is a span of the text that was read. Invariant:
an edit either is a pure insertion, or replaces one string, or removes one member or item with its comma. Knows no client.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Broken", "Insertion", "Node", "find", "insert_item", "insert_member", "parse", "removed", "value_of"]

BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
DEEPEST = 200


class Broken(ValueError):
    """The text is no JSON with comments, or cannot be edited safely; the words say why."""


@dataclass(kw_only=True, slots=True)
class Node:
    """One value with its span. `members` are those of an object by name, `items` those of an array; `comma` is where a trailing comma
    ends, if there is one."""

    start: int
    end: int = 0
    value: Any = None
    members: dict[str, Node] | None = None
    items: list[Node] | None = None
    keys: dict[str, int] = field(default_factory=dict)
    comma: int | None = None

    def children(self) -> list[Node]:
        """Its members or items in order."""
        return list(self.members.values()) if self.members is not None else self.items or []


@dataclass(frozen=True, kw_only=True, slots=True)
class Insertion:
    """Text put in at a place."""

    at: int
    text: str

    def into(self, text: str) -> str:
        """The text with it."""
        return text[: self.at] + self.text + text[self.at :]


def parse(text: str) -> Node:
    """The document. Raises `Broken`."""
    node = _value(text, _skip(text, 0), 0)
    if _skip(text, node.end) != len(text):
        raise Broken("there is something after its end")
    return node


def value_of(node: Node) -> Any:
    """The plain value."""
    if node.members is not None:
        return {name: value_of(member) for name, member in node.members.items()}
    if node.items is not None:
        return [value_of(item) for item in node.items]
    return node.value


def find(node: Node, path: Sequence[str]) -> Node | None:
    """The value at a path of member names. Raises `Broken` where something on the way is no object."""
    for name in path:
        if node.members is None:
            raise Broken(f"{'.'.join(path)} cannot stand there, because what holds it is no object")
        if name not in node.members:
            return None
        node = node.members[name]
    return node


def insert_member(text: str, within: Node, name: str, value: Any) -> Insertion:
    """The insertion that makes `name` the last member of an object. Raises `Broken` where it is none."""
    if within.members is None:
        raise Broken(f"{name} cannot be added to what is no object")
    return _insertion(text, within, f"{json.dumps(name)}: ", value)


def insert_item(text: str, within: Node, value: Any) -> Insertion:
    """The insertion that makes a value the last item of an array. Raises `Broken` where it is none."""
    if within.items is None:
        raise Broken("a list was expected")
    return _insertion(text, within, "", value)


def removed(text: str, within: Node, child: Node) -> str:
    """The text without one member or item of `within`, with the comma that it no longer needs."""
    children = within.children()
    at = children.index(child)
    start = min(
        (within.keys[name] for name, member in (within.members or {}).items() if member is child), default=child.start
    )
    if at:
        return text[: children[at - 1].end] + text[child.end :]
    if len(children) > 1:
        following = children[1]
        next_start = min(
            (within.keys[name] for name, member in (within.members or {}).items() if member is following),
            default=following.start,
        )
        return text[:start] + text[next_start:]
    return text[: within.start + 1] + text[within.end - 1 :]


def _insertion(text: str, within: Node, head: str, value: Any) -> Insertion:
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    children = within.children()
    outer = _indent(text, within.start)
    inside = text[within.start + 1 : within.end - 1]
    spread = "\n" in inside or not children
    inner = _indent(text, _first_start(within)) if children and "\n" in inside else outer + unit
    written = json.dumps(value, indent=unit if spread else None, ensure_ascii=False).replace("\n", newline + inner)
    lead = newline + inner if spread else " "
    if children:
        if within.comma is not None:
            return Insertion(at=within.comma, text=f"{lead}{head}{written},")
        return Insertion(at=children[-1].end, text=f",{lead}{head}{written}")
    last_line = inside.rpartition("\n")[2]
    if "\n" in inside and not last_line.strip():
        at = within.end - 1 - len(last_line)
        return Insertion(at=at, text=f"{inner}{head}{written}{newline}")
    return Insertion(at=within.end - 1, text=f"{lead}{head}{written}{newline}{outer}")


def _first_start(within: Node) -> int:
    if within.members:
        return within.keys[next(iter(within.members))]
    return within.children()[0].start


def _indent(text: str, at: int) -> str:
    """The blanks at the beginning of the line of `at`."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, begin)
    return found.group() if found else ""


def _unit(text: str) -> str:
    """One step of indentation, as the file has it."""
    found = re.search(r"\n([ \t]+)\S", text)
    step = found.group(1) if found else "  "
    return "\t" if step.startswith("\t") else step[:4] if len(step) in {1, 2, 3, 4} else "  "


def _skip(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise Broken("it nests too deep")
    if text.startswith("{", at):
        return _object(text, at, depth)
    if text.startswith("[", at):
        return _array(text, at, depth)
    found = SCALAR.match(text, at)
    if found is None:
        raise Broken(f"line {text.count(chr(10), 0, at) + 1} is no JSON")
    try:
        return Node(start=at, end=found.end(), value=json.loads(found.group()))
    except ValueError as error:
        raise Broken(f"line {text.count(chr(10), 0, at) + 1} is no JSON: {error}") from None


def _object(text: str, at: int, depth: int) -> Node:
    node = Node(start=at, members={})
    assert node.members is not None
    for place in _places(text, node, "}"):
        key = _value(text, place, depth + 1)
        if not isinstance(key.value, str):
            raise Broken(f"line {text.count(chr(10), 0, place) + 1} has no name")
        colon = _skip(text, key.end)
        if not text.startswith(":", colon):
            raise Broken(f"line {text.count(chr(10), 0, colon) + 1} lacks a colon")
        if key.value in node.members:
            raise Broken(f"{key.value} stands there twice")
        node.members[key.value] = _value(text, _skip(text, colon + 1), depth + 1)
        node.keys[key.value] = place
        node.end = node.members[key.value].end
    return node


def _array(text: str, at: int, depth: int) -> Node:
    node = Node(start=at, items=[])
    assert node.items is not None
    for place in _places(text, node, "]"):
        node.items.append(_value(text, place, depth + 1))
        node.end = node.items[-1].end
    return node


def _places(text: str, node: Node, close: str) -> Iterator[int]:
    """Where each child begins; after each, the child's end is the node's. At last the node's end is its own."""
    at = _skip(text, node.start + 1)
    while not text.startswith(close, at):
        yield at
        node.comma = None
        at = _skip(text, node.end)
        if text.startswith(",", at):
            node.comma = at + 1
            at = _skip(text, at + 1)
        elif not text.startswith(close, at):
            raise Broken(f"line {text.count(chr(10), 0, at) + 1} lacks a comma or a closing bracket")
    node.end = at + 1
