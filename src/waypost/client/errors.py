"""What can go wrong between a local door and the server. Each says whether the request may have taken effect.

StoreUnavailable
├── ServerAway        nobody listens; the request was not sent
├── AnswerLost        the connection broke after the request was sent; it may have taken effect
├── ServerSlow        no answer before the deadline; it may have taken effect
├── ForeignServer     something else answers where the run file points; nothing of its answer is believed
├── AnswerTooLarge    the answer is above the size that is read
└── ServerNotStarted  a server was started and did not become ready
"""

from __future__ import annotations

from waypost.kernel.errors import StoreUnavailable, WaypostError

__all__ = [
    "AnswerLost",
    "AnswerTooLarge",
    "ForeignServer",
    "ServerAway",
    "ServerNotStarted",
    "ServerSlow",
    "WaypostError",
]


class ServerAway(StoreUnavailable):
    """No server listens for this store. Nothing was sent."""

    title = "No Waypost server runs"
    hint_by_default = "Start one with `waypost serve`."


class AnswerLost(StoreUnavailable):
    """The connection broke after the request was sent, so that it may or may not have taken effect."""

    title = "The server went away before it had answered"
    hint_by_default = "Repeat the request with the same idempotency key."


class ServerSlow(StoreUnavailable):
    """The deadline passed before the whole answer had come; the request may have taken effect."""

    title = "The server did not answer in time"
    hint_by_default = "Repeat the request with the same idempotency key, or look at `waypost logs`."


class ForeignServer(StoreUnavailable):
    """What answers is not the server of this store, so that its answer was not read."""

    title = "Another program answers in the server's place"
    hint_by_default = "Run `waypost restart`; `waypost doctor` shows which program holds the address."


class AnswerTooLarge(StoreUnavailable):
    """The answer is larger than what is read; the request took effect if it was a write."""

    title = "The server's answer is too large"
    retryable = False
    hint_by_default = "Ask for less at once, for example with a lower limit."


class ServerNotStarted(StoreUnavailable):
    """A server was started in the background and did not become ready."""

    title = "The Waypost server did not start"
    hint_by_default = "Run `waypost serve` in a terminal to see why, or `waypost doctor`."
