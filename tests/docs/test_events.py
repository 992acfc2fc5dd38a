"""The event table of the docs holds every kind that the code journals, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import functions, package_modules
from tests.promises.marks import promise
from waypost.operations.events import EVENTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "changes.md"
ROW = re.compile(r"^\| `([a-z]+\.[a-z_]+)` \| (.+) \|$", re.MULTILINE)
KIND = re.compile(r"[a-z]+\.[a-z_]+")


def takers() -> dict[str, int]:
    """The functions that take a `kind`, `self` left out, and at which place."""
    places: dict[str, int] = {}
    for _, tree in package_modules().values():
        for function in functions(tree):
            names = [one.arg for one in (*function.args.posonlyargs, *function.args.args) if one.arg != "self"]
            if "kind" in names:
                places[function.name] = names.index("kind")
            elif "kind" in [one.arg for one in function.args.kwonlyargs]:
                places.setdefault(function.name, len(names))
    return places


def given(call: ast.Call, place: int) -> Iterator[ast.expr]:
    """What a call gives as the kind."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "kind"]
    for value in named or call.args[place : place + 1]:
        yield from [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]


def journalled() -> set[str]:
    """The kinds that stand in the code."""
    places = takers()
    return {
        value.value
        for _, tree in package_modules().values()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for name in [getattr(call.func, "attr", getattr(call.func, "id", ""))]
        if name in places
        for value in given(call, places[name])
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and KIND.fullmatch(value.value)
    }


@promise("feed.events.documented")
def test_every_kind_that_is_journalled_is_an_event_and_every_event_is_journalled() -> None:
    found = journalled()
    assert found - set(EVENTS) == set(), "name them in operations/events.py and in docs/changes.md"
    assert set(EVENTS) - found == set(), "nothing journals these any more"


@promise("feed.events.documented")
def test_the_table_of_the_docs_is_the_table_of_the_code() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Events")[2]
    assert dict(ROW.findall(table)) == dict(EVENTS)


def test_a_kind_is_never_put_together() -> None:
    places = takers()
    made = [
        f"{name}:{call.lineno}"
        for name, (_, tree) in package_modules().items()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "journal"
        for value in given(call, places["journal"])
        if not isinstance(value, ast.Constant | ast.Name)
    ]
    assert made == [], "a kind is one literal, so that the table can be compared with the code"
