"""Files and functions keep the size of a room that one person can see whole; names and handlers say what they are for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from tests.house.source import functions, modules, package_modules
from tests.promises.marks import promise

LONGEST_FILE = 600
USUAL_FILE = 400
USUAL_FUNCTION = 35
USUALLY = 0.9

GENERATED = "src/waypost/client/api/verbs/"
"""Written by a program from the catalogue, one method for each verb: nobody has to see it whole to change it."""

EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}

BROAD = {
    "src/waypost/server/mcp/app.py": "an SDK that cannot be loaded must not end the server's other doors",
    "src/waypost/server/mcp/calls.py": "a tool call answers the model one fixed sentence, whatever failed",
    "src/waypost/store/sqlite/writer.py": "the writer's loop answers every waiting unit, whatever one of them raised",
    "src/waypost/store/postgres/follower.py": "a listener that fails holds up no other listener",
    "src/waypost/hook/main.py": "a hook ends with 0 whatever failed, because some agents read another status as a veto",
    "src/waypost/bridge/relay.py": "every request of the client is answered, an unexpected failure with one fixed sentence",
    "src/waypost/server/app.py": "the door answers every request, an unexpected failure with one fixed sentence",
}
"""The boundaries where a handler may catch everything, each with its reason. Handlers that raise again need no place here."""


def share_within(sizes: Sequence[int], limit: int) -> float:
    """The share of `sizes` that are at most `limit`."""
    return sum(size <= limit for size in sizes) / len(sizes)


def written(texts: Mapping[str, tuple[str, ast.Module]]) -> Iterator[tuple[str, ast.Module]]:
    """The modules that people write."""
    return (module for name, module in texts.items() if not name.startswith(GENERATED))


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function, its decorators left out and its docstring counted."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


@promise("house.sizes.bounded")
def test_no_file_is_over_600_lines_and_nine_of_ten_are_under_400() -> None:
    sizes = {name: text.count("\n") for name, (text, _) in modules().items() if not name.startswith(GENERATED)}
    assert {name: size for name, size in sizes.items() if size > LONGEST_FILE} == {}
    assert share_within(list(sizes.values()), USUAL_FILE) >= USUALLY


@promise("house.sizes.bounded")
def test_nine_of_ten_functions_of_the_package_are_at_most_35_lines() -> None:
    sizes = [length(node) for _, tree in written(package_modules()) for node in functions(tree)]
    assert share_within(sizes, USUAL_FUNCTION) >= USUALLY


@promise("house.names.say_what")
def test_every_module_says_what_it_owns() -> None:
    assert [name for name, (_, tree) in modules().items() if not ast.get_docstring(tree)] == []


@promise("house.names.say_what")
def test_no_module_has_a_name_that_says_nothing() -> None:
    paths = [PurePosixPath(name) for name in modules()]
    assert [str(path) for path in paths if EMPTY_NAMES & {path.stem, *path.parts}] == []


def is_broad(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches every exception and does not end by raising one."""
    caught = handler.type
    named = [caught] if not isinstance(caught, ast.Tuple) else caught.elts
    everything = caught is None or any(
        isinstance(name, ast.Name) and name.id in {"Exception", "BaseException"} for name in named
    )
    return everything and not isinstance(handler.body[-1], ast.Raise)


@promise("house.handlers.broad_listed")
def test_broad_handlers_stand_only_in_listed_boundaries() -> None:
    found = {
        name
        for name, (_, tree) in package_modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and is_broad(node)
    }
    assert sorted(found - set(BROAD)) == [], "catch what can happen, or list the boundary with its reason"
    assert sorted(set(BROAD) - found) == [], "these need no place in the list any more"
