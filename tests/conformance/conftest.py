"""The home of the conformance tests is that of all whole paths."""

from __future__ import annotations

from tests.end_to_end.conftest import home

__all__ = ["home"]
