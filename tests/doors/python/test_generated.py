"""The methods are those of the catalogue: the written files are current, complete and say their types."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any, Literal, assert_type, get_args, get_type_hints

import pytest

from tests.promises.marks import promise
from waypost.client import AsyncListing, AsyncWaypost, Listing, Waypost
from waypost.client.api import generate
from waypost.client.api.asked import Value
from waypost.client.routes import ROUTES
from waypost.operations.project_records import ProjectRecord, ProjectsOutput
from waypost.operations.reading import ListOutput
from waypost.operations.records import MessageRecord
from waypost.operations.sending import SendOutput
from waypost.operations.taking import PopOutput

COMMAND = "python -m waypost.client.api.generate"


@promise("client.python.current")
def test_the_written_verbs_are_those_of_the_catalogue() -> None:
    there = {path.name: path.read_text(encoding="utf-8") for path in generate.FOLDER.glob("*.py")}
    assert there == generate.write_all(), f"run `{COMMAND}`"


def verbs(of: type[Waypost | AsyncWaypost]) -> Iterator[tuple[str, Callable[..., object]]]:
    """Each method of a client by `group.name`."""
    post = of(url="http://127.0.0.1:1")
    for group, held in vars(post).items():
        if not group.startswith("_"):
            for name, method in inspect.getmembers(held, callable):
                if not name.startswith("_"):
                    yield f"{group}.{name}", method


@promise("client.python.every_verb")
@pytest.mark.parametrize("of", [Waypost, AsyncWaypost])
def test_every_operation_with_a_route_is_a_method(of: type[Waypost | AsyncWaypost]) -> None:
    known = {name for name, _ in verbs(of)}
    wanted = {
        f"{generate._group(operation.name)}.{generate.Method(operation=operation, route=ROUTES[operation.name]).name}"
        for operation in generate.VERBS
        if operation.name in ROUTES
    }
    assert wanted <= known


def holds_any(annotation: object) -> bool:
    return annotation is Any or any(holds_any(part) for part in get_args(annotation))


@promise("client.python.typed")
@pytest.mark.parametrize("of", [Waypost, AsyncWaypost])
def test_no_method_takes_or_answers_just_anything(of: type[Waypost | AsyncWaypost]) -> None:
    for name, method in verbs(of):
        hints = get_type_hints(method, localns={"Value": Value})
        assert "return" in hints, name
        assert not any(holds_any(hint) for hint in hints.values()), name
        assert set(hints) - {"return"} == set(inspect.signature(method).parameters), name


@promise("client.python.typed")
def test_answers_have_the_operations_own_types() -> None:
    """The type checker reads this; it is called with nothing."""

    def program(post: Waypost) -> None:
        assert_type(post.messages.send(body="x", delivery="wake"), SendOutput)
        assert_type(post.messages.list(box="outbox"), Listing[ListOutput, MessageRecord])
        assert_type(next(iter(post.projects.list())), ProjectRecord)
        assert_type(next(post.projects.list().pages()), ProjectsOutput)
        popped = post.messages.pop()
        assert_type(popped, PopOutput)
        if popped.message is not None:
            assert_type(popped.message.status, Literal["open", "done", "cancelled", "expired"])
        post.messages.send(body=1)  # type: ignore[arg-type] # refused by the checker, as it should be
        post.messages.send()  # type: ignore[call-arg] # as above

    async def asynchronous(post: AsyncWaypost) -> None:
        assert_type(await post.messages.send(body="x"), SendOutput)
        assert_type(post.messages.list(), AsyncListing[ListOutput, MessageRecord])

    assert callable(program)
    assert callable(asynchronous)


@promise("client.python.typed")
def test_an_input_of_a_kind_without_words_stops_the_generator() -> None:
    assert generate._type(str | None, moment=True) == "str | datetime | None"
    assert generate._type(dict[str, list[str]]) == "Mapping[str, Sequence[str]]"
    assert generate._type(typing.Optional[Literal["a", "b"]]) == 'Literal["a", "b"] | None'  # noqa: UP045 - the old way too
    assert generate._type(list[SendOutput]) == "Sequence[SendOutput]"
    assert generate._value([]) == "()"
    with pytest.raises(TypeError, match="no words"):
        generate._value({"a": 1})
    with pytest.raises(TypeError, match="no words"):
        generate._type(bytes)
