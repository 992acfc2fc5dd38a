"""Finds the handler of a method and path. A path that exists with another method is told apart from one that does not exist.

Paths are matched as they were sent, before decoding, so that an encoded `/` or `:` in a name never becomes part of the path.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote

from waypost.kernel.errors import InvalidInput, NotFound
from waypost.server.errors import WrongMethod
from waypost.server.replies import Reply
from waypost.server.requests import Request

__all__ = ["Endpoint", "Router"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """One method of one path. `path` is the template, the name of the endpoint in log and metrics."""

    method: str
    path: str
    handle: Callable[[Request], Awaitable[Reply]]


class Router:
    """The endpoints by path: those without fields in a table, the others by pattern."""

    def __init__(self, endpoints: list[Endpoint]) -> None:
        self._exact: dict[str, dict[str, Endpoint]] = {}
        self._patterns: dict[str, tuple[re.Pattern[str], dict[str, Endpoint]]] = {}
        for endpoint in endpoints:
            if "{" in endpoint.path:
                _, methods = self._patterns.setdefault(endpoint.path, (_pattern(endpoint.path), {}))
            else:
                methods = self._exact.setdefault(endpoint.path, {})
            _add(methods, endpoint)

    def find(self, method: str, path: str) -> tuple[Endpoint, dict[str, str]]:
        """The endpoint and the fields in the path. Refuses `not_found`, and `invalid_input` (405) with the methods there are."""
        exact = self._exact.get(path)
        if exact is not None:
            if method in exact:
                return exact[method], {}
            raise WrongMethod(sorted(exact))
        allowed: set[str] = set()
        for pattern, methods in self._patterns.values():
            found = pattern.fullmatch(path)
            if found is None:
                continue
            if method in methods:
                return methods[method], {name: _decoded(name, value) for name, value in found.groupdict().items()}
            allowed.update(methods)
        if allowed:
            raise WrongMethod(sorted(allowed))
        raise NotFound("There is nothing at this path.", hint="See /openapi.json for all paths.")


def _add(methods: dict[str, Endpoint], endpoint: Endpoint) -> None:
    methods[endpoint.method] = endpoint
    if endpoint.method == "GET":
        methods.setdefault("HEAD", endpoint)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile("".join(f"(?P<{part}>[^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts)))


def _decoded(name: str, value: str) -> str:
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} in the path is not UTF-8. Nothing was changed.") from None
