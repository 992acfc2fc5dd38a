"""Refusals that only an HTTP door can have, below the one hierarchy; each code keeps its meaning.

InvalidInput     invalid_input       422
├── Malformed                        400   the body is not JSON, or nests too deep
├── WrongMethod                      405   carries the methods that the path takes
├── WrongMediaType                   415   a body that does not say it is JSON
└── PortTaken                              the port to listen on is in use; nothing was started
Forbidden        forbidden           403
└── ForeignHost                      421   the Host header names another server (DNS rebinding)
StoreUnavailable store_unavailable   503
└── OtherStore                       421   the caller asks for another store than this server's
"""

from __future__ import annotations

from collections.abc import Sequence

from waypost.kernel.errors import Forbidden, InvalidInput, StoreUnavailable

__all__ = ["UNEXPECTED", "ForeignHost", "Malformed", "OtherStore", "PortTaken", "WrongMediaType", "WrongMethod"]

UNEXPECTED = {
    "type": "urn:waypost:error:internal_error",
    "title": "Waypost failed",
    "status": 500,
    "code": "internal_error",
    "detail": "Waypost met an error of its own; whether the request took effect is not known.",
    "hint": "Repeat it with the same idempotency key; `waypost logs` shows what happened.",
}
"""What an unexpected failure answers, whatever it was: nothing of its inside."""


class Malformed(InvalidInput):
    """The body is not JSON, or nests too deep."""

    status = 400
    title = "The body cannot be read"


class WrongMethod(InvalidInput):
    """The path exists and does not take this method."""

    status = 405
    title = "The method is not allowed here"

    def __init__(self, allowed: Sequence[str]) -> None:
        super().__init__(
            f"This path takes {', '.join(allowed)} only. Nothing was changed.", hint="See /openapi.json for all paths."
        )
        self.allowed = tuple(allowed)


class WrongMediaType(InvalidInput):
    """The body does not say that it is JSON."""

    status = 415
    title = "The body must be JSON"


class PortTaken(InvalidInput):
    """The port to listen on is in use."""

    title = "The port is taken"


class ForeignHost(Forbidden):
    """The Host header names another server than this one."""

    status = 421
    title = "Not this server's name"


class OtherStore(StoreUnavailable):
    """The caller asks for another store than the one that this server serves."""

    status = 421
    title = "Another store is served here"
    retryable = False
    hint_by_default = "Look for the right server with `waypost status`, or start it with `waypost serve`."
