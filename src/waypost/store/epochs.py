"""A new epoch: after a restore or an import, positions, cursors and leases of before mean nothing any more.

The domains' statements end what somebody held, and lift generations above every earlier one. Knows no engine and no domain.
"""

from __future__ import annotations

from typing import Final

from waypost.store.interface import Fields

__all__ = ["GENERATIONS_PER_EPOCH", "ending_parameters"]

GENERATIONS_PER_EPOCH: Final = 1_000_000_000
"""A lease's generation in a new epoch starts at the epoch times this, which no lease of an earlier epoch reached."""


def ending_parameters(*, now: int, epoch: int) -> Fields:
    """What the domains' statements may use: `:now`, `:epoch` and `:generation_floor`."""
    return {"now": now, "epoch": epoch, "generation_floor": epoch * GENERATIONS_PER_EPOCH}
