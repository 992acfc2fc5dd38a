"""One thing that `doctor` found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

__all__ = ["Finding"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One check: how it came out, what was found, and the command that mends it where something is wrong."""

    check: str
    state: Literal["good", "odd", "bad"]
    found: str
    remedy: str = ""

    def record(self) -> dict[str, str]:
        """The finding as JSON takes it."""
        return asdict(self)
