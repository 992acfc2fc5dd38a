"""What an answer says: the body of a success, or the error that it stands for. No I/O.

Invariant: an answer is believed only if it names the store that the client speaks to. What names none comes from a gateway in between
or from another program; nothing of its text is shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import httpx2
from pydantic import ValidationError

from waypost import __version__
from waypost.client.api.asked import Asked
from waypost.client.errors import AnswerLost, AnswerUnreadable, ForeignServer, ServerAway, ServerSlow, StoreChanged
from waypost.kernel.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    RateLimited,
    StoreUnavailable,
    Unauthenticated,
    WaypostError,
    every_error,
)

__all__ = ["Answered", "Readable", "fault_of", "refusal_of", "store_of", "typed"]


class Readable(Protocol):
    """An operation's output, as far as it matters here: it reads itself from JSON."""

    @classmethod
    def model_validate_json(cls, json_data: bytes, /) -> Self:
        """The output. Raises pydantic's `ValidationError`."""
        ...


O = TypeVar("O", bound=Readable)  # noqa: E741 - the customary letter for an output

GATEWAY = frozenset({502, 503, 504})
"""What a proxy answers while the server behind it is away."""
KINDS: dict[int, type[WaypostError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
    503: StoreUnavailable,
    507: StoreUnavailable,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A whole answer; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def retry_after(self) -> float | None:
        """The seconds after which the server wants to be asked again, where it says so in seconds."""
        text = self.headers.get("retry-after", "")
        return float(text) if text.isdigit() else None


def store_of(answered: Answered, known: str | None) -> str:
    """The store that answered. Raises `StoreChanged` where it is not the `known` one, and where no Waypost answered `ForeignServer`, or
    `AnswerLost` where a gateway says that the server behind it is away."""
    store = answered.headers.get("waypost-store")
    if not store:
        if answered.status in GATEWAY:
            raise AnswerLost(f"A gateway answered {answered.status} in the server's place.")
        raise ForeignServer(f"What answers ({answered.status}) is no Waypost server.", hint="Check the address.")
    if known is not None and store != known:
        raise StoreChanged("The server serves another store than the one that was spoken to so far.")
    return store


def refusal_of(answered: Answered) -> WaypostError | None:
    """The refusal that an answer is, as the same class that the server raised where this version knows it; None for a success."""
    if 200 <= answered.status < 300:
        return None
    try:
        problem = json.loads(answered.body)
    except (ValueError, RecursionError):
        problem = None
    if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
        return StoreUnavailable(f"The server answered {answered.status} without saying why.")
    code, title, detail, hint = (str(problem.get(name) or "") for name in ("code", "title", "detail", "hint"))
    kind = _kind(code, answered.status, title)
    error = kind.__new__(kind)
    # A domain's own constructor would build its sentence from what was not sent.
    WaypostError.__init__(error, detail, hint=hint)
    if (kind.code, kind.status, kind.title) != (code, answered.status, title):
        vars(error).update(
            code=code, status=answered.status, title=title
        )  # of a newer server, or of the HTTP door alone
    return error


def _kind(code: str, status: int, title: str) -> type[WaypostError]:
    """The class for a code: the one with that status and title, else the first of that code, else the kind of its status."""
    known = [kind for kind in every_error() if kind.code == code]
    exact = [kind for kind in known if (kind.status, kind.title) == (status, title)]
    return next(iter(exact or known), KINDS.get(status, InvalidInput if status < 500 else WaypostError))


def fault_of(error: httpx2.RequestError) -> WaypostError:
    """A failure of the transport as the error that says whether the request may have taken effect."""
    why = str(error) or type(error).__name__
    if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)):
        return ServerAway(f"The server cannot be reached: {why}.")
    if isinstance(error, httpx2.TimeoutException):
        return ServerSlow("The server did not answer in time.")
    return AnswerLost(f"The connection to the server broke: {why}.")


def typed(output: type[O], answered: Answered, asked: Asked) -> O:
    """The body as the operation's output. Raises `AnswerUnreadable`; fields that a newer server added are passed over."""
    try:
        return output.model_validate_json(answered.body)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        server = answered.headers.get("waypost-version", "unknown")
        raise AnswerUnreadable(
            f"The answer to {asked.operation} does not fit at '{place}'. The server is of version {server}, this client of "
            f"{__version__}."
        ) from None
