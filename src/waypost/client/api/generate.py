"""Writes `verbs/` from the catalogue of operations and the route table: `python -m waypost.client.api.generate`.

Knows no operation by name. An operation without a route has no method. The text is already as the formatter would leave it.
"""

from __future__ import annotations

import keyword
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from waypost.client.routes import ROUTES, Route
from waypost.operations.catalogue import OPERATIONS
from waypost.operations.housekeeping import HOUSEKEEPING, ProcessVerb
from waypost.operations.inputs import Output
from waypost.operations.pipeline import AnyOperation

__all__ = ["main", "write_all"]

VERBS: tuple[AnyOperation | ProcessVerb, ...] = (*OPERATIONS, *HOUSEKEEPING)
FOLDER = Path(__file__).parent / "verbs"
WIDTH = 120
ALONE = frozenset({"activity", "briefing", "memory", "server", "store"})
"""Groups that keep their singular."""
BASES = {"changes": "following", "wakes": "receiving"}
"""Groups with methods written by hand, by the module that holds them: `Following`, and for asyncio `AsyncFollowing`."""
KEY_DOC = "Makes a repeat of the call answer what the first one did; made for each call where it is left out."
PLAIN: dict[object, str] = {str: "str", int: "int", float: "float", bool: "bool"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One argument of a method."""

    name: str
    sent_as: str
    type: str
    default: str | None
    text: str

    @property
    def declared(self) -> str:
        """The argument in a signature."""
        return f"{self.name}: {self.type}" if self.default is None else f"{self.name}: {self.type} = {self.default}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Method:
    """One verb of a group."""

    operation: AnyOperation | ProcessVerb
    route: Route

    @property
    def name(self) -> str:
        """The verb as a Python name."""
        verb: str = self.operation.name.partition(".")[2]
        return f"{verb}_" if keyword.iskeyword(verb) else verb

    @property
    def output(self) -> type[Output]:
        """The type of the answer."""
        output: type[Output] = self.operation.output
        return output

    @property
    def kind(self) -> str:
        """Which method of the exchange it calls."""
        fields = self.operation.input.model_fields
        if isinstance(self.operation, ProcessVerb):
            return "write_once"
        if self.operation.writes:
            return "write"
        if "timeout_seconds" in fields:
            return "wait"
        return "pages" if "cursor" in fields and {"items", "next_cursor"} <= self.output.model_fields.keys() else "read"

    @property
    def item(self) -> type[Output]:
        """The type of a list's items."""
        (item,) = get_args(self.output.model_fields["items"].annotation)
        assert isinstance(item, type)
        assert issubclass(item, Output)
        return item

    def fields(self) -> list[Field]:
        """The arguments: those of the path first, in its order, then the required ones, then the others."""
        paged = self.kind == "pages"
        found = {name: _field(name, info, paged=paged) for name, info in self.operation.input.model_fields.items()}
        in_path = [found.pop(name) for name in self.route.path_fields]
        rest = sorted(found.values(), key=lambda field: field.default is not None)
        return [*in_path, *rest]


def write_all() -> dict[str, str]:
    """The text of each file by its name."""
    groups: dict[str, list[Method]] = {}
    for operation in VERBS:
        route = ROUTES.get(operation.name)
        if route is not None:
            groups.setdefault(_group(operation.name), []).append(Method(operation=operation, route=route))
    texts = {"__init__.py": _lines(_write_index(groups))}
    for group, methods in groups.items():
        texts[f"{group}.py"] = _lines(_write_group(group, methods, asynchronous=False))
        texts[f"{group}_async.py"] = _lines(_write_group(group, methods, asynchronous=True))
    return texts


def _group(operation: str) -> str:
    name = operation.partition(".")[0]
    return name if name in ALONE or name.endswith("s") else f"{name}s"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _head(text: str) -> Iterator[str]:
    yield f'"""{text} Written by `python -m waypost.client.api.generate`; do not edit."""'
    yield ""
    yield "from __future__ import annotations"
    yield ""


def _write_index(groups: Iterable[str]) -> Iterator[str]:
    names = sorted(groups)
    yield from _head("Every verb, by what it is about.")
    yield from sorted(
        [
            *(f"from waypost.client.api.verbs.{name} import {_class(name)}" for name in names),
            *(f"from waypost.client.api.verbs.{name}_async import Async{_class(name)}" for name in names),
            "from waypost.client.api.exchange import Exchange",
            "from waypost.client.api.exchange_async import AsyncExchange",
        ]
    )
    yield ""
    yield '__all__ = ["AsyncVerbs", "Verbs"]'
    for prefix, text in (("", "blocking"), ("Async", "awaited")):
        yield from ("", "", f"class {prefix}Verbs:", f'    """Every verb, {text}."""', "")
        yield f"    def __init__(self, exchange: {prefix}Exchange) -> None:"
        yield "        self._exchange = exchange"
        yield from (f"        self.{name} = {prefix}{_class(name)}(exchange)" for name in names)


def _write_group(group: str, methods: list[Method], *, asynchronous: bool) -> Iterator[str]:
    prefix = "Async" if asynchronous else ""
    yield from _head(f"The verbs on {group}{', awaited' if asynchronous else ''}.")
    yield from _imports(group, methods, prefix)
    yield ""
    yield f'__all__ = ["{prefix}{_class(group)}"]'
    base = f"({prefix}{_class(BASES[group])})" if group in BASES else ""
    yield from ("", "", f"class {prefix}{_class(group)}{base}:", f'    """The verbs on {group}."""', "")
    yield f"    def __init__(self, exchange: {prefix}Exchange) -> None:"
    yield f"        {'super().__init__(exchange)' if base else 'self._exchange = exchange'}"
    for method in methods:
        yield ""
        yield from _write_method(method, asynchronous=asynchronous)


def _imports(group: str, methods: list[Method], prefix: str) -> Iterator[str]:
    texts = [field.type for method in methods for field in method.fields()]
    for name, module in (("Mapping", "collections.abc"), ("Sequence", "collections.abc"), ("datetime", "datetime")):
        if any(name in text for text in texts):
            yield f"from {module} import {name}"
    if any("Literal" in text for text in texts):
        yield "from typing import Literal"
    if any(word in text for text in texts for word in ("Mapping", "Sequence", "datetime", "Literal")):
        yield ""
    suffix = "_async" if prefix else ""
    wanted: dict[str, set[str]] = {
        "waypost.client.api.asked": {"Fields"},
        f"waypost.client.api.exchange{suffix}": {f"{prefix}Exchange"},
    }
    if group in BASES:
        module = f"waypost.client.api.{BASES[group]}{suffix}"
        wanted.setdefault(module, set()).add(f"{prefix}{_class(BASES[group])}")
    for method in methods:
        for info in method.operation.input.model_fields.values():
            for model in _models(info.annotation):
                wanted.setdefault(model.__module__, set()).add(model.__name__)
        wanted.setdefault(method.output.__module__, set()).add(method.output.__name__)
        if method.kind == "pages":
            wanted.setdefault("waypost.client.api.listing", set()).add(f"{prefix}Listing")
            wanted.setdefault(method.item.__module__, set()).add(method.item.__name__)
    for module in sorted(wanted):
        yield f"from {module} import {', '.join(sorted(wanted[module]))}"


def _write_method(method: Method, *, asynchronous: bool) -> Iterator[str]:
    fields = method.fields()
    count = len(method.route.path_fields)
    arguments = ["self", *(field.declared for field in fields[:count])]
    if len(fields) > count or method.kind == "write":
        arguments.append("*")
    arguments += [field.declared for field in fields[count:]]
    if method.kind == "write":
        arguments.append("idempotency_key: str | None = None")
    prefix = "Async" if asynchronous else ""
    answer = method.output.__name__
    if method.kind == "pages":
        answer = f"{prefix}Listing[{answer}, {method.item.__name__}]"
    awaited = asynchronous and method.kind != "pages"
    yield from _signature(f"    {'async ' if awaited else ''}def {method.name}(", arguments, f") -> {answer}:")
    yield from _docstring(method, fields)
    yield from _fields(fields)
    rest = {"pages": ", lambda page: page.items", "write": ", idempotency_key"}.get(method.kind, "")
    call = f"self._exchange.{method.kind}("
    inner = f'"{method.operation.name}", {method.output.__name__}, fields{rest}'
    yield f"        return {'await ' if awaited else ''}{call}{inner})"


def _signature(begin: str, arguments: list[str], end: str) -> Iterator[str]:
    line = f"{begin}{', '.join(arguments)}{end}"
    if len(line) <= WIDTH:
        yield line
    elif len(f"        {', '.join(arguments)}") <= WIDTH:
        yield from (begin, f"        {', '.join(arguments)}", f"    {end}")
    else:
        yield begin
        yield from (f"        {argument}," for argument in arguments)
        yield f"    {end}"


def _docstring(method: Method, fields: list[Field]) -> Iterator[str]:
    told = [(field.name, field.text) for field in fields]
    if method.kind == "write":
        told.append(("idempotency_key", KEY_DOC))
    if not told:
        yield f'        """{method.operation.summary}"""'
        return
    yield f'        """{method.operation.summary}'
    yield ""
    yield from (f"        {name}: {text}" for name, text in told)
    yield '        """'


def _fields(fields: list[Field]) -> Iterator[str]:
    pairs = [f'"{field.sent_as}": {field.name}' for field in fields]
    line = f"        fields: Fields = {{{', '.join(pairs)}}}"
    if len(line) <= WIDTH:
        yield line
        return
    yield "        fields: Fields = {"
    yield from (f"            {pair}," for pair in pairs)
    yield "        }"


def _field(name: str, info: FieldInfo, *, paged: bool) -> Field:
    text = info.description or ""
    kind = _type(info.annotation, moment=name.endswith("_at"))
    default = None if info.is_required() else _value(info.get_default(call_default_factory=True))
    if name == "timeout_seconds":
        text = "How long at most, in seconds; longer than one request may last is asked again."
    elif paged and name == "limit":
        text = "How many items one page holds at most; iterating goes on through all pages."
    elif paged and name == "cursor":
        text = "Begin where the page before ended, instead of at the beginning."
    return Field(name=name, sent_as=info.alias or name, type=kind, default=default, text=text)


def _value(default: object) -> str:
    """A default, or one of a Literal's values, as text. Raises TypeError for what no input has had so far."""
    if isinstance(default, str):
        return f'"{default}"'
    if isinstance(default, (list, tuple)) and not default:
        return "()"
    if default is None or isinstance(default, (bool, int, float)):
        return repr(default)
    raise TypeError(f"an input has the default {default!r}, which the Python client has no words for")


def _type(annotation: object, *, moment: bool = False) -> str:
    """The annotation as text. A moment is taken as a `datetime` too. Raises TypeError for what no input has had so far."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(parts[0], moment=moment)
    if origin in {Union, types.UnionType}:
        return " | ".join(_type(part, moment=moment) for part in parts)
    if origin is Literal:
        return f"Literal[{', '.join(_value(part) for part in parts)}]"
    if origin is list:
        return f"Sequence[{_type(parts[0])}]"
    if origin is dict:
        return f"Mapping[{_type(parts[0])}, {_type(parts[1])}]"
    if annotation is type(None):
        return "None"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation.__name__
    if annotation in PLAIN:
        return "str | datetime" if moment and annotation is str else PLAIN[annotation]
    raise TypeError(f"an input holds {annotation!r}, which the Python client has no words for")


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """The models within an annotation, which a caller makes."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def main() -> int:
    """Writes the files, and removes those that no group has any more."""
    texts = write_all()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.py"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
