"""What can go wrong between a local door and the server. Each says whether the request may have taken effect.

StoreUnavailable
└── ConnectionFault       `may_have_run` says whether the request may have taken effect
    ├── ServerAway        nobody listens; the request was not sent
    ├── AnswerLost        the connection broke after the request was sent; it may have taken effect
    ├── ServerSlow        no answer before the deadline; it may have taken effect
    ├── ForeignServer     something else answers where the server should be; nothing of its answer is believed
    │   └── StoreChanged    a Waypost answers, and it serves another store
    ├── AnswerTooLarge    the answer is above the size that is read
    ├── AnswerUnreadable  the answer has another shape than this version knows
    └── ServerNotStarted  a server was started and did not become ready

The refusals of the server are those of `waypost.kernel.errors`, offered here too, so that one `except` serves every door.
"""

from __future__ import annotations

from waypost.kernel.errors import (
    BodyTooLong,
    Conflict,
    Forbidden,
    IdempotencyMismatch,
    InvalidInput,
    InvalidText,
    NotFound,
    RateLimited,
    RequestTooLarge,
    SchemaNewer,
    StoreBusy,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    Unauthenticated,
    WaypostError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

__all__ = [
    "AnswerLost",
    "AnswerTooLarge",
    "AnswerUnreadable",
    "BodyTooLong",
    "Conflict",
    "ConnectionFault",
    "Forbidden",
    "ForeignServer",
    "IdempotencyMismatch",
    "InvalidInput",
    "InvalidText",
    "NotFound",
    "RateLimited",
    "RequestTooLarge",
    "SchemaNewer",
    "ServerAway",
    "ServerNotStarted",
    "ServerSlow",
    "StoreBusy",
    "StoreChanged",
    "StoreFull",
    "StoreReadOnly",
    "StoreUnavailable",
    "Unauthenticated",
    "WaypostError",
]


class ConnectionFault(StoreUnavailable):
    """What went wrong lies between this program and the server, not in the request."""

    may_have_run: ClassVar[bool] = True
    """Whether the request may have taken effect. False is certain."""


class ServerAway(ConnectionFault):
    """No server listens for this store. Nothing was sent."""

    may_have_run = False
    title = "No Waypost server runs"
    hint_by_default = "Start one with `waypost serve`."


class AnswerLost(ConnectionFault):
    """The connection broke after the request was sent, so that it may or may not have taken effect."""

    title = "The server went away before it had answered"
    hint_by_default = "Repeat the request with the same idempotency key."


class ServerSlow(ConnectionFault):
    """The deadline passed before the whole answer had come; the request may have taken effect."""

    title = "The server did not answer in time"
    hint_by_default = "Repeat the request with the same idempotency key, or look at `waypost logs`."


class ForeignServer(ConnectionFault):
    """What answers is not the server of this store, so that its answer was not read."""

    title = "Another program answers in the server's place"
    hint_by_default = "Run `waypost restart`; `waypost doctor` shows which program holds the address."


class StoreChanged(ForeignServer):
    """A Waypost answers, and it serves another store than the one that was spoken to so far."""

    title = "Another store is served here"
    retryable = False
    hint_by_default = "Look with `waypost status` which server serves which store."


class AnswerTooLarge(ConnectionFault):
    """The answer is larger than what is read; the request took effect if it was a write."""

    title = "The server's answer is too large"
    retryable = False
    hint_by_default = "Ask for less at once, for example with a lower limit."


class AnswerUnreadable(ConnectionFault):
    """The answer has another shape than this version of Waypost knows; the request took effect if it was a write."""

    title = "The server's answer cannot be read"
    retryable = False
    hint_by_default = "Use the same version of Waypost on both sides; `waypost restart` replaces an older local server."


class ServerNotStarted(ConnectionFault):
    """A server was started in the background and did not become ready."""

    may_have_run = False
    title = "The Waypost server did not start"
    hint_by_default = "Run `waypost serve` in a terminal to see why, or `waypost doctor`."
