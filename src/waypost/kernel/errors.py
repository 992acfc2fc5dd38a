"""The one hierarchy of refusals. Each has a stable code that maps once to an HTTP status and an exit code.

    WaypostError
    ├── InvalidInput            invalid_input         422   a field is missing, unknown, of the wrong type or out of range
    │   ├── InvalidText         invalid_text          422   text that cannot be stored: a lone surrogate or NUL
    │   ├── BodyTooLong         body_too_long         422   text above its limit
    │   └── RequestTooLarge     invalid_input         413   a request above the size that is parsed
    ├── Unauthenticated         unauthenticated       401
    ├── Forbidden               forbidden             403   names the missing right
    ├── NotFound                not_found             404
    ├── Conflict                conflict              409   somebody else changed it first
    ├── IdempotencyMismatch     idempotency_mismatch  409   the key was used with another input
    ├── RateLimited             rate_limited          429
    ├── StoreBusy               store_busy            503   another process holds the store, or the writer is full
    ├── StoreUnavailable        store_unavailable     503   the database failed; nothing was stored
    │   ├── StoreFull           store_unavailable     507
    │   └── StoreReadOnly       store_unavailable     503
    └── SchemaNewer             schema_newer          503   a newer Waypost wrote the store

Domains add their own subclasses in their `errors.py`. A message says what was wrong and what was left unchanged; the
hint says what to do. Neither ever carries a secret or foreign text.
"""

from __future__ import annotations

# Hooks and the bridge load this file at every start, so that `typing`, which costs more than all of it, is only for the checker.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

__all__ = [
    "BodyTooLong",
    "Conflict",
    "Forbidden",
    "IdempotencyMismatch",
    "InvalidInput",
    "InvalidText",
    "NotFound",
    "RateLimited",
    "RequestTooLarge",
    "SchemaNewer",
    "StoreBusy",
    "StoreFull",
    "StoreReadOnly",
    "StoreUnavailable",
    "Unauthenticated",
    "WaypostError",
    "every_error",
]


class WaypostError(Exception):
    """A refusal with a stable code. Subclasses set the class attributes; instances carry what was wrong and the remedy."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Waypost failed"
    exit_code: ClassVar[int] = 1
    retryable: ClassVar[bool] = False
    hint_by_default: ClassVar[str] = ""

    def __init__(self, detail: str, *, hint: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = self.hint_by_default if hint is None else hint

    def problem(self) -> dict[str, str | int]:
        """The error as an RFC 9457 problem document, the same at every door."""
        return {
            "type": f"urn:waypost:error:{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "hint": self.hint,
        }


class InvalidInput(WaypostError):
    """A field is missing, unknown, of the wrong type or out of its range."""

    code = "invalid_input"
    status = 422
    title = "The input is not valid"
    hint_by_default = "Correct what is named and repeat the request."


class InvalidText(InvalidInput):
    """Text that no engine can store: a lone surrogate or a NUL character."""

    code = "invalid_text"
    title = "The text holds characters that cannot be stored"
    hint_by_default = "Send the text without them, or pass repair=true to store it repaired."


class BodyTooLong(InvalidInput):
    """Text above its limit."""

    code = "body_too_long"
    title = "The text is too long"
    hint_by_default = "Shorten it, or pass truncate=true to store its beginning with a visible mark."


class RequestTooLarge(InvalidInput):
    """A request above the size that Waypost parses at all."""

    status = 413
    title = "The request is too large"
    hint_by_default = "Send less at once."


class Unauthenticated(WaypostError):
    """The credential is missing, unknown or expired."""

    code = "unauthenticated"
    status = 401
    title = "Sign in first"
    hint_by_default = "Sign in, or pass a token that is valid."


class Forbidden(WaypostError):
    """The caller lacks a right, which the message names."""

    code = "forbidden"
    status = 403
    title = "Not allowed"
    hint_by_default = "Ask the person who runs this Waypost."


class NotFound(WaypostError):
    """The named thing does not exist, or the caller may not know that it does."""

    code = "not_found"
    status = 404
    title = "Not found"
    hint_by_default = "List what there is, and pass a name or id as the list shows it."


class Conflict(WaypostError):
    """The record changed, or its name is taken."""

    code = "conflict"
    status = 409
    title = "Conflict"
    hint_by_default = "Look at it again, then repeat the request."


class IdempotencyMismatch(WaypostError):
    """The idempotency key was used before with another input."""

    code = "idempotency_mismatch"
    status = 409
    title = "The idempotency key belongs to another request"
    hint_by_default = "Use a new key for a new request; repeat the old one only with the same input."


class RateLimited(WaypostError):
    """Too many requests of one kind in a short time."""

    code = "rate_limited"
    status = 429
    title = "Too many requests"
    hint_by_default = "Wait a minute, then repeat the request."
    retryable = True


class StoreBusy(WaypostError):
    """Another process holds the store, or more writes wait than the store takes."""

    code = "store_busy"
    status = 503
    title = "The store is busy"
    hint_by_default = "Repeat the request with the same idempotency key."
    retryable = True


class StoreUnavailable(WaypostError):
    """The database failed and nothing of this request was stored."""

    code = "store_unavailable"
    status = 503
    title = "The store is not available"
    hint_by_default = "Repeat the request with the same idempotency key; `waypost doctor` looks at the store."
    retryable = True


class StoreFull(StoreUnavailable):
    """The disk that holds the store is full."""

    status = 507
    title = "The disk is full"
    hint_by_default = "Free space on the disk that holds the store, then repeat the request."


class StoreReadOnly(StoreUnavailable):
    """The store's file or folder cannot be written."""

    title = "The store is read-only"
    retryable = False
    hint_by_default = "Give the account that runs Waypost write access to the store's file and folder."


class SchemaNewer(WaypostError):
    """A newer Waypost wrote the store; this one leaves it alone."""

    code = "schema_newer"
    status = 503
    title = "The store belongs to a newer Waypost"
    hint_by_default = "Upgrade this Waypost, or run `waypost restart` where an older server still runs."


def every_error(root: type[WaypostError] = WaypostError) -> list[type[WaypostError]]:
    """Every error class below `root`, itself included, for tests and the reference page; needs their modules imported."""
    found = [root]
    for child in root.__subclasses__():
        found.extend(every_error(child))
    return found
