"""The mark by which a test names the promises it proves: `@promise("mail.pop.exactly_once")`. Knows nothing of the manifest."""

from __future__ import annotations

import pytest

__all__ = ["promise"]


def promise(*ids: str) -> pytest.MarkDecorator:
    """A mark for a test, a class, a module (`pytestmark`) or one set of parameters. At least one id must be given."""
    if not ids:
        raise ValueError("promise() needs at least one id")
    return pytest.mark.promise(*ids)
