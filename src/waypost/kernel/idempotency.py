"""The one idempotency rule: a key, its scope, the fingerprint of the input, and what a repeat gets.

Keys are scoped to (user or `local`, own project, operation) and kept for 24 hours (DESIGN, Storage). Refusals are not stored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

from waypost.kernel.errors import IdempotencyMismatch, InvalidInput
from waypost.kernel.time import DAY

__all__ = ["KEPT_FOR", "check_key", "check_repeat", "fingerprint"]

KEPT_FOR = DAY
CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))
KEY = re.compile(r"[\x21-\x7e]{1,255}")


def check_key(key: str) -> str:
    """The key itself. Refuses (`invalid_input`) one that is empty, longer than 255, or holds spaces or non-ASCII."""
    if not KEY.fullmatch(key):
        raise InvalidInput(
            "The idempotency key must be 1 to 255 visible ASCII characters.", hint="Use a fresh UUID as the key."
        )
    return key


def fingerprint(operation: str, fields: Mapping[str, object]) -> str:
    """A digest of the input as given after scrubbing; equal inputs give equal digests whatever their field order."""
    return hashlib.sha256(CANONICAL.encode([operation, fields]).encode("ascii")).hexdigest()


def check_repeat(stored: str, given: str) -> None:
    """Refuses (`idempotency_mismatch`) when a known key comes with another input than the first time."""
    if stored != given:
        raise IdempotencyMismatch("This idempotency key was used before with another input. Nothing was changed.")
