"""Reading input: text first (validity, scrubbing, length), then shape. Refusals name the field, the problem and the remedy.

Free text is marked in the models with `Text`; its order (scrub, then measure) is `kernel/text`'s. No value is ever echoed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from waypost.kernel.errors import InvalidInput
from waypost.kernel.text import accept_text, check_text, is_storable, visible
from waypost.mail.models import Limits

__all__ = [
    "ActingInput",
    "Input",
    "Output",
    "PageInput",
    "Text",
    "TextReport",
    "read_input",
]

I = TypeVar("I", bound="Input")  # noqa: E741 - the customary letter for an input
SHOWN_PROBLEMS = 5
FIELD_NAME_SHOWN = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Marks a field as stored free text: which limit of `[limits]` bounds it and perhaps `most`, how little is enough, whether it
    is one line. The mark of a list is that of each of its texts."""

    limit: Literal["subject", "body"]
    minimum: int = 0
    most: int | None = None
    single_line: bool = False


class Input(BaseModel):
    """The base of every operation's input: unknown fields are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Output(BaseModel):
    """The base of every answer."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, serialize_by_alias=True)


class ActingInput(Input):
    """Input of a verb that acts in a project, perhaps for a session."""

    workspace: str | None = Field(None, description="The own project's workspace, where project is a bare name.")
    project: str | None = Field(None, description="The own project: a name, or workspace/project.")
    session: str | None = Field(None, description="The acting session, exactly as the client printed it.")


class PageInput(ActingInput):
    """Input of a verb that lists."""

    limit: Annotated[int, Field(ge=1, le=500, description="How many items at most.")] = 50
    cursor: str | None = Field(None, description="next_cursor of the page before.")


@dataclass(kw_only=True, slots=True)
class TextReport:
    """What was done to the text of an input: secrets removed, and the original length of each text that was cut."""

    scrubbed: int = 0
    kinds: set[str] = field(default_factory=set)
    truncated: dict[str, int] = field(default_factory=dict)


def read_input(
    model: type[I], fields: Mapping[str, object], *, texts_only: bool, limits: Limits
) -> tuple[I, TextReport]:
    """The typed input and what was done to its text. Refuses `invalid_text`, `body_too_long`, `invalid_input`."""
    report = TextReport()
    reading = _Reading(
        limits=limits, truncate=_asked(fields, "truncate"), repair=_asked(fields, "repair"), report=report
    )
    clean = reading.fields(model, fields, "")
    try:
        if texts_only:
            return model.model_validate_strings(clean), report
        return model.model_validate(clean, strict=True), report
    except ValidationError as error:
        raise _refusal(error, model) from None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shape:
    """What a field holds: marked text or several, objects with marked texts of their own, or neither."""

    mark: Text | None
    inner: type[Input] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reading:
    """One input being read: how its texts are accepted, and what was done to them."""

    limits: Limits
    truncate: bool
    repair: bool
    report: TextReport

    def fields(self, model: type[Input], fields: Mapping[str, object], place: str) -> dict[str, object]:
        """The fields of an object with their texts accepted; those it does not know are looked at all the same."""
        shapes = _shapes(model)
        return {
            name: self._value(value, shapes.get(name, UNMARKED), f"{place}{name}") for name, value in fields.items()
        }

    def _value(self, value: object, shape: _Shape, name: str) -> object:
        if isinstance(value, str) and shape.mark is not None:
            return self._text(value, shape.mark, name)
        if isinstance(value, list) and (shape.mark is not None or shape.inner is not None):
            return [
                self._value(item, UNMARKED if isinstance(item, list) else shape, f"{name}.{at}")
                for at, item in enumerate(value)
            ]
        if isinstance(value, Mapping) and shape.inner is not None and all(isinstance(key, str) for key in value):
            _check_all(list(value), name)
            return self.fields(shape.inner, value, f"{name}.")
        _check_all(value, name)
        return value

    def _text(self, value: str, mark: Text, name: str) -> str:
        limit: int = getattr(self.limits, mark.limit)
        accepted = accept_text(
            value,
            field=name,
            limit=limit if mark.most is None else min(limit, mark.most),
            minimum=mark.minimum,
            truncate=self.truncate,
            repair=self.repair,
            single_line=mark.single_line,
        )
        report = self.report
        report.scrubbed += accepted.removed
        report.kinds.update(accepted.kinds)
        if accepted.truncated:
            report.truncated[name] = accepted.original_length
        return accepted.text


UNMARKED = _Shape(mark=None, inner=None)


@cache
def _shapes(model: type[Input]) -> dict[str, _Shape]:
    found: dict[str, _Shape] = {}
    for name, info in model.model_fields.items():
        parts = [*info.metadata, *_nested(info.annotation)]
        marks = [part for part in parts if isinstance(part, Text)]
        inner = [part for part in parts if isinstance(part, type) and issubclass(part, Input)]
        found[info.alias or name] = _Shape(mark=marks[0] if marks else None, inner=inner[0] if inner else None)
    return found


def _nested(annotation: object) -> Iterator[object]:
    """The marks and objects within an annotation: pydantic keeps those of `Annotated[str, Text(...)] | None` inside the union."""
    yield annotation
    yield from getattr(annotation, "__metadata__", ())
    for part in get_args(annotation):
        yield from _nested(part)


def _asked(fields: Mapping[str, object], name: str) -> bool:
    return fields.get(name) in (True, "true", "1")


def _check_all(value: object, name: str) -> None:
    """No text anywhere in the input may hold what an engine cannot store, field names included."""
    for text in _texts(value):
        if not is_storable(text):  # the name is made fit to be shown only where it is shown
            check_text(text, field=_shown(name), repair=False)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _refusal(error: ValidationError, model: type[Input]) -> InvalidInput:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    problems = "; ".join(_problem(detail) for detail in details[:SHOWN_PROBLEMS])
    hint = "Correct the fields named."
    if any(detail["type"] == "extra_forbidden" for detail in details):
        known = ", ".join(sorted(info.alias or name for name, info in model.model_fields.items()))
        hint = f"Known fields: {known}."
    return InvalidInput(f"{problems}. Nothing was changed.", hint=hint)


def _problem(detail: ErrorDetails) -> str:
    place = _shown(".".join(str(part) for part in detail["loc"]) or "input")
    if detail["type"] == "extra_forbidden":
        return f"{place}: unknown field"
    if detail["type"] == "missing":
        return f"{place}: required"
    return f"{place}: {detail['msg'][0].lower()}{detail['msg'][1:]}"


def _shown(name: str) -> str:
    """A field's name as a caller may be shown it: on one line, with nothing invisible in it."""
    return visible(name[:FIELD_NAME_SHOWN].encode("utf-8", "replace").decode("utf-8")).replace("\n", "\\n")
